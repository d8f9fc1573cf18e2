"""A small process beside a run: it stops the run if the window that started it is gone.

`python -m app.workers.run_leash RUN_DIR`. It listens to the window through its standard
input. "keep" ends it and nothing else happens; the end of the input without that word,
however the window ended, asks the run to stop with a checkpoint. The run itself need
not know that there is a window.
"""

import sys
import time
from pathlib import Path
from typing import BinaryIO

from core.errors import CoreError
from core.files import is_held
from core.training.control import CONTROL_FILE, send

LOCK_FILE = "lock"
KEEP = b"keep"
POLL_S = 0.2
PATIENCE_S = 20.0
"""A run that is only just starting forgets what it was told before it listened."""


def main(arguments: list[str]) -> int:
    """Wait for the window's word or its end. -> 0."""
    folder = Path(arguments[0])
    if not is_kept(sys.stdin.buffer):
        stop_run(folder, PATIENCE_S)
    return 0


def is_kept(words: BinaryIO) -> bool:
    """Whether the last word before the end says that the run goes on."""
    return any([line.strip() == KEEP for line in words])


def stop_run(folder: Path, patience_s: float) -> None:
    """Ask the run to stop until its process has ended.

    A run that no process holds is waited for no longer than `patience_s`.
    """
    end_s = time.monotonic() + patience_s
    lock, control = folder / LOCK_FILE, folder / CONTROL_FILE
    was_held = False
    while True:
        is_there = is_held(lock)
        if was_held and not is_there:
            return
        if not is_there and time.monotonic() > end_s:
            return
        was_held = is_there
        try:
            if is_there and not control.exists():
                send(folder, "stop")
        except CoreError:
            return  # the folder is gone, or nobody may write there
        time.sleep(POLL_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
