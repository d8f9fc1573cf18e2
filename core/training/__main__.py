"""The program: `python -m core.training RUN_DIR`.

It reads `RUN_DIR/config.toml`, trains, and writes `RUN_DIR/checkpoints` and
`RUN_DIR/events.jsonl`. Started again on the same folder it goes on where it stopped.
"""

import argparse
import logging
import signal
import sys
from pathlib import Path

from core.errors import CoreError
from core.files import held_alone
from core.training.checkpoint import newest_step
from core.training.events import EventLog, Failed, Stopped
from core.training.loop import train

log = logging.getLogger("core.training")

LOCK_FILE = "lock"
DESCRIPTION = "Train a model as RUN_DIR/config.toml says, or go on with a run."
EPILOG = (
    "The run writes RUN_DIR/events.jsonl (what happens, one line each) and "
    "RUN_DIR/checkpoints (each of them a model folder). Ctrl-C stops after the "
    "present step with a checkpoint; the same command goes on from there."
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. -> 0 if the run ended or was stopped, 1 if it failed."""
    parser = argparse.ArgumentParser("python -m core.training", None, DESCRIPTION)
    parser.epilog = EPILOG
    parser.add_argument("folder", metavar="RUN_DIR", type=Path)
    folder = parser.parse_args(arguments).folder
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if not folder.is_dir():
        log.error("%s is not a folder; make it and put a config.toml into it.", folder)
        return 1
    try:
        with held_alone(folder / LOCK_FILE):
            return run(folder)
    except CoreError as error:
        log.error("%s", error)
        return 1


def run(folder: Path) -> int:
    """Train in a folder that is ours alone; every end becomes an event."""
    events = EventLog(folder)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        train(folder, events)
    except KeyboardInterrupt:  # before the first step, or asked twice
        events.write(Stopped(step=newest_step(folder), message="Stopped at once."))
    except CoreError as error:
        events.write(Failed(message=str(error)))
        raise
    except Exception as error:
        log.exception("The run ended by a fault of the program.")
        events.write(Failed(message=f"{type(error).__name__}: {error}"))
        return 1
    finally:
        events.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
