"""What comes before the first step: `python -m core.training.prepare RUN_DIR`.

It learns or opens the tokenizer and cuts the texts into tokens, so that somebody may
watch the merges being chosen before a model is trained. The training program finds it
all done; without it, that does the same by the same functions (`start.py`). Events go
to `RUN_DIR/events.jsonl`; Ctrl-C, or "stop" in `RUN_DIR/control`, ends it and leaves
nothing half.
"""

import argparse
import logging
import signal
import sys
from pathlib import Path

from core.errors import CoreError
from core.files import held_alone
from core.training.config import read_config
from core.training.control import Control
from core.training.events import Event, EventLog, Failed, Preparing, Stopped
from core.training.progress import Tell
from core.training.runs import LOCK_FILE
from core.training.start import run_texts, run_tokenizer

log = logging.getLogger("core.training.prepare")

DESCRIPTION = "Learn the tokenizer of RUN_DIR and cut its texts into tokens."


def prepare(folder: Path, tell: Tell) -> None:
    """Do what a run needs before its first step; what is done already is kept.

    Raises:
        CoreError: A file is missing, damaged, not text or too short.
    """
    config = read_config(folder)
    tokenizer = run_tokenizer(folder, config, tell)
    texts = run_texts(folder, config, tokenizer, tell)
    n_valid = texts.valid.n_tokens if texts.valid else 0
    message = (
        f"Ready: {tokenizer.n_vocab:,} kinds of token, {texts.train.n_tokens:,} tokens "
        f"to learn from, {n_valid:,} to test on."
    )
    log.info(message)
    tell(Preparing(message=message, share=1.0))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. -> 0 if all is ready or it was stopped, 1 if it failed."""
    parser = argparse.ArgumentParser(
        "python -m core.training.prepare", None, DESCRIPTION
    )
    parser.add_argument("folder", metavar="RUN_DIR", type=Path)
    folder = parser.parse_args(arguments).folder
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with held_alone(folder / LOCK_FILE):
            return run(folder)
    except CoreError as error:
        log.error("%s", error)
        return 1


def run(folder: Path) -> int:
    """Prepare a folder that is ours alone; every end becomes an event."""
    events = EventLog(folder)
    control = Control(folder)

    def tell(event: Event) -> None:
        events.write(event)
        if control.is_asked_to_stop():
            raise KeyboardInterrupt

    try:
        prepare(folder, tell)
    except KeyboardInterrupt:
        events.write(Stopped(step=0, message="Preparing was stopped."))
    except CoreError as error:
        events.write(Failed(message=str(error)))
        raise
    finally:
        events.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
