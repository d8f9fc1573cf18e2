"""The program: `python -m core.training RUN_DIR`.

It reads `RUN_DIR/config.toml`, trains, and writes `RUN_DIR/checkpoints` and
`RUN_DIR/events.jsonl`. Started again on the same folder it goes on where it stopped.
`torchrun` starts it several times, on one machine or on many; the first one writes.
"""

import argparse
import logging
import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import CoreError
from core.files import held_alone
from core.training.events import EventLog, Failed, Stopped
from core.training.runs import LOCK_FILE

if TYPE_CHECKING:
    from core.training.distributed import Processes

log = logging.getLogger("core.training")

DESCRIPTION = "Train a model as RUN_DIR/config.toml says, or go on with a run."
EPILOG = (
    "The run writes RUN_DIR/events.jsonl (what happens, one line each) and "
    "RUN_DIR/checkpoints (each of them a model folder). Ctrl-C stops after the "
    "present step with a checkpoint; the same command goes on from there. On several "
    "GPUs or machines: torchrun --nproc-per-node K -m core.training RUN_DIR"
)
WAITING = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}
"""Threads that wait for each other sleep; spinning, they collapse beside any other
busy program. Read once, when torch is loaded: by GNU's OpenMP and by LLVM's."""
LOWEST_PRIORITY = 19


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. -> 0 if the run ended or was stopped, 1 if it failed."""
    parser = argparse.ArgumentParser("python -m core.training", None, DESCRIPTION)
    parser.epilog = EPILOG
    parser.add_argument("folder", metavar="RUN_DIR", type=Path)
    parser.add_argument(
        "--nice",
        metavar="N",
        type=int,
        choices=range(LOWEST_PRIORITY + 1),
        default=0,
        help="let other programs go first: 0 (not at all) to 19, as nice(1) says it",
    )
    chosen = parser.parse_args(arguments)
    folder = chosen.folder
    is_main = os.environ.get("RANK", "0") == "0"
    level = logging.INFO if is_main else logging.CRITICAL
    logging.basicConfig(level=level, format="%(asctime)s %(message)s")
    if not folder.is_dir():
        log.error("%s is not a folder; make it and put a config.toml into it.", folder)
        return 1
    settle(chosen.nice)
    try:
        with held_alone(folder / LOCK_FILE) if is_main else nullcontext():
            return run(folder)
    except CoreError as error:
        log.error("%s", error)
        return 1


def settle(niceness: int) -> None:
    """Be a good neighbour to other programs, before torch is loaded."""
    for name, value in WAITING.items():
        os.environ.setdefault(name, value)
    if niceness and sys.platform != "win32":
        os.nice(niceness)


def run(folder: Path) -> int:
    """Train in a folder that is ours alone; every end becomes an event."""
    from core.training.distributed import SilentLog, joined  # loads torch

    with joined() as processes:
        events = EventLog(folder) if processes.is_main else SilentLog()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            return carry_out(folder, events, processes)
        finally:
            events.close()


def carry_out(folder: Path, events: EventLog, processes: "Processes") -> int:
    """Train to the end or a stop, and say why if it was neither. -> exit status."""
    from core.training.checkpoint import newest_step
    from core.training.loop import train

    try:
        train(folder, events, processes)
    except (KeyboardInterrupt, Exception) as error:
        if processes.n > 1:  # torchrun ends all when one ends; the reason comes first
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        cause = processes.cause_of(error) or error
        if isinstance(cause, KeyboardInterrupt):  # before the first step, or twice
            events.write(Stopped(step=newest_step(folder), message="Stopped at once."))
            return 0
        sentence = f"{type(cause).__name__}: {cause}"
        if isinstance(cause, CoreError):
            sentence = str(cause)
            log.error("%s", sentence)
        else:
            log.exception("The run ended by a fault of the program.")
        processes.leave_word(sentence)
        events.write_last(Failed(message=sentence))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
