"""The loss curve of a run is put into a file in a thread: events may be many."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from app.workers.runner import Worker
from core.files import write_whole
from core.training.curve import loss_csv, loss_curve, loss_png
from core.training.events import Event, read_events

WRITERS: dict[str, Callable[[Iterable[Event]], bytes]] = {
    ".png": loss_png,
    ".svg": lambda events: loss_curve(events).encode(),
    ".csv": lambda events: loss_csv(events).encode(),
}
"""What a file is, by its ending: a picture, a drawing, a table."""


@dataclass(frozen=True, slots=True)
class CurveFileRequest:
    """Write the curve of a run; the file's ending says how. Answer: None."""

    run: Path
    file: Path

    @property
    def doing(self) -> str:
        """For a report."""
        return f"exporting the curve to {self.file}"


class CurveFileWorker(Worker):
    """Reads a run's events, and writes one file."""

    def answer(self, request: CurveFileRequest) -> None:
        """Write the file whole, or not at all."""
        writer = WRITERS[request.file.suffix.lower()]
        write_whole(request.file, writer(list(read_events(request.run))))
