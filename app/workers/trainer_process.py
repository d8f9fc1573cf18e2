"""The training program as a process of its own, and the leash beside it.

Nothing here knows Qt. A trainer belongs to no window: it has its own session, so that
neither Ctrl+C in a terminal nor the end of the window reaches it, and it gives way to
the window wherever both want the processor.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from app.workers.run_leash import KEEP

log = logging.getLogger(__name__)

Program = Sequence[str]
TRAINER: Program = ("-m", "core.training")
LEASH: Program = ("-m", "app.workers.run_leash")
NICENESS = 10
"""With it the window's largest gap is 17 ms beside a training of two threads."""
LOG_FILE = "trainer.log"
"""What the trainer says, in its run's folder: also there for the next window."""
LAST_BYTES = 4096
"""Of the log, to find its last line in."""

if sys.platform == "win32":
    FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.BELOW_NORMAL_PRIORITY_CLASS

    def _give_way(process: subprocess.Popen[bytes]) -> None:
        """Nothing: the flags did it."""

else:
    FLAGS = 0

    def _give_way(process: subprocess.Popen[bytes]) -> None:
        """Be nice; threads that the process starts later inherit it."""
        try:
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        except OSError as error:  # it has ended already, or the system has its rules
            log.info("the trainer keeps its priority: %s", error)


def start_trainer(folder: Path, program: Program = TRAINER) -> subprocess.Popen[bytes]:
    """Start the training program on a run's folder.

    Raises:
        OSError: The folder cannot be written or there is no room for a process.
    """
    with open(folder / LOG_FILE, "ab") as words:
        process = subprocess.Popen(
            [sys.executable, *program, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
            creationflags=FLAGS,
        )
    _give_way(process)
    return process


def last_words(folder: Path) -> str:
    """The last line the trainer said, or ""."""
    try:
        with open(folder / LOG_FILE, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LAST_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


class Leash:
    """Stops a run with a checkpoint when this process ends, unless it is let go."""

    def __init__(self, folder: Path) -> None:
        """Hold the run from now on.

        Raises:
            OSError: There is no room for a process.
        """
        self._process = subprocess.Popen(
            [sys.executable, *LEASH, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=FLAGS,
        )

    def let_go(self) -> None:
        """Let the run go on whatever becomes of us."""
        words: IO[bytes] | None = self._process.stdin
        if words is None:
            return
        try:
            words.write(KEEP + b"\n")
            words.close()
        except OSError as error:
            log.info("the leash has gone before: %s", error)
