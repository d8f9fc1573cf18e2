"""How a run is told to pause, go on or stop: by a signal or by a file.

SIGINT and SIGTERM ask for a stop after the present step. The file `RUN_DIR/control`
holds one word, "pause", "resume" or "stop"; it is removed once it has been obeyed.
"""

import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from core.files import explained, write_whole

log = logging.getLogger(__name__)

CONTROL_FILE = "control"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
Command = Literal["pause", "resume", "stop"]
COMMANDS: tuple[Command, ...] = ("pause", "resume", "stop")


def send(folder: Path, command: Command) -> None:
    """Tell the run in a folder what to do; it obeys after its present step."""
    write_whole(folder / CONTROL_FILE, command.encode())


class Control:
    """Listens for one run: to the file from now on, to signals in the `with` block."""

    def __init__(self, folder: Path) -> None:
        """Begin to listen. What an earlier run was told no longer counts."""
        self._file = folder / CONTROL_FILE
        with explained(self._file):
            self._file.unlink(missing_ok=True)
        self._signal = ""
        self._before: dict[signal.Signals, Callable[..., Any] | int | None] = {}

    def __enter__(self) -> "Control":
        for number in SIGNALS:
            self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def command(self) -> Command | None:
        """What the run was told since the last time it asked."""
        if self._signal:
            return "stop"
        if not (word := self._word()):
            return None
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
        for command in COMMANDS:
            if word == command:
                return command
        log.warning("%s says %r; known are %s", self._file, word, ", ".join(COMMANDS))
        return None

    def is_asked_to_stop(self) -> bool:
        """Whether a stop is asked for; any other word is left for the first step."""
        return bool(self._signal) or self._word() == "stop"

    def _word(self) -> str:
        """What stands in the file; "" if nothing does that can be read just now.

        Whoever replaces the file may hold it for a moment; no run must end by that.
        """
        try:
            return self._file.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Note the first signal; a second one acts as it would without us."""
        self._signal = signal.Signals(number).name
        signal.signal(number, self._before[signal.Signals(number)])
