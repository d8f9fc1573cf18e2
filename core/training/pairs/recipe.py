"""Built-in pairs as a file: `python -m core.training.pairs.recipe RUN_DIR`.

Writes RUN_DIR/train.tsv, from which a model can be trained; the same task and seed give
the same file on every machine.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import CoreError
from core.files import explained
from core.training.pairs.tasks import TASKS
from core.training.sources import TaskSource, write_sources

log = logging.getLogger("core.training.pairs.recipe")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. -> 0, or 1 if nothing could be written."""
    usual = TaskSource("numbers")
    parser = argparse.ArgumentParser(
        "python -m core.training.pairs.recipe",
        description="Write the pairs of a built-in task as RUN_DIR/train.tsv.",
    )
    parser.add_argument("folder", metavar="RUN_DIR", type=Path)
    parser.add_argument("--task", choices=[t.name for t in TASKS], default=usual.task)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--pairs", type=int, default=usual.n_pairs)
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    source = TaskSource(chosen.task, chosen.seed, chosen.pairs)
    try:
        with explained(chosen.folder):
            chosen.folder.mkdir(parents=True, exist_ok=True)
        written = write_sources([source], chosen.folder)
    except CoreError as error:
        log.error("%s", error)
        return 1
    log.info("%s holds %d pairs.", chosen.folder / written.train[0], chosen.pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
