"""Take a model out of its run: `python -m core.training.publish RUN_DIR FOLDER`.

In: a run folder. Out: a model folder without optimizer and counters, its weights in
float16, and beside them, in `recipe/`, how it was made: the run's configuration, its
events and the loss curve. A card is written too, unless somebody wrote a README.md.
"""

import argparse
import logging
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import torch

from core.checkpoints.native import read_model, save_model
from core.errors import CoreError, TrainingError
from core.files import explained, write_whole
from core.training.checkpoint import checkpoints
from core.training.config import CONFIG_FILE
from core.training.curve import loss_curve
from core.training.events import EVENTS_FILE, read_events
from core.training.model_card import CARD_FILE, record_of, write_card

CURVE_FILE = "loss.svg"
log = logging.getLogger("core.training.publish")


def publish(run: Path, folder: Path, name: str) -> None:
    """Write the newest checkpoint of a run as a model folder.

    Raises:
        TrainingError: The run has no checkpoint yet.
        CheckpointError: A file is damaged or cannot be written.
    """
    saved = checkpoints(run)
    if not saved:
        raise TrainingError(f"{run} has no checkpoint yet; let the run go on first.")
    model = replace(read_model(saved[-1]), name=name)
    with explained(folder):
        recipe = folder / "recipe"
        recipe.mkdir(parents=True, exist_ok=True)
        for file in (CONFIG_FILE, EVENTS_FILE):
            shutil.copyfile(run / file, recipe / file)
    write_whole(recipe / CURVE_FILE, loss_curve(read_events(run)).encode())
    save_model(
        folder,
        model.config,
        model.weights,
        model.tokenizer,
        name=name,
        dtype=torch.float16,
        end_ids=model.end_ids,
    )
    if not (folder / CARD_FILE).exists():
        write_card(folder, model, record_of(saved[-1]))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. -> 0, or 1 if nothing could be published."""
    parser = argparse.ArgumentParser(
        "python -m core.training.publish", description=__doc__
    )
    parser.add_argument("run", metavar="RUN_DIR", type=Path)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--name", default="", help="what the model is called")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        name = chosen.name or chosen.folder.resolve().name
        publish(chosen.run, chosen.folder, name)
    except CoreError as error:
        log.error("%s", error)
        return 1
    log.info("%s holds the model.", chosen.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
