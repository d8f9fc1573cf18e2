"""Files are written in a thread: a whole trace takes seconds, a slow disk longer.

In: what writes the file, and where to. Out: that it is there, or why not. On the way it
tells how far it is, and stops when it is asked to.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from app.workers.runner import Worker
from core.errors import CoreError


class StoppedError(CoreError):
    """Somebody asked for an end; nothing was written."""


@dataclass(frozen=True, slots=True, eq=False)
class SaveRequest:
    """Write a file. Answer: None."""

    file: Path
    write: Callable[[Path], None]

    @property
    def doing(self) -> str:
        """For a report."""
        return f"writing {self.file}"


@dataclass(frozen=True, slots=True, eq=False)
class SaveTraceRequest:
    """Write a whole trace. Answer: None. Progress: (bytes done, all bytes)."""

    file: Path
    write: Callable[..., None]
    """Takes the file, and `watch`, which is told (bytes done, all bytes)."""
    stop: Event = field(default_factory=Event)

    @property
    def doing(self) -> str:
        """For a report."""
        return f"writing {self.file}"


class SavingWorker(Worker):
    """Writes one file after the other."""

    def answer(self, request: Any) -> None:
        """Write the file."""
        if isinstance(request, SaveRequest):
            request.write(request.file)
            return

        def watch(n_done: int, n_bytes: int) -> None:
            if request.stop.is_set() or self.should_end():
                raise StoppedError("Saving the trace was stopped; nothing was written.")
            self.progressed.emit(request, (n_done, n_bytes))

        request.write(request.file, watch=watch)
