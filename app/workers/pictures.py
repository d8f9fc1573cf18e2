"""Pictures are put into a file in a thread: a GIF of 30 takes some seconds."""

from dataclasses import dataclass
from pathlib import Path

from app.workers.runner import Worker
from core.training.animation import Picture, write_pictures


@dataclass(frozen=True, slots=True, eq=False)
class PicturesRequest:
    """Write pictures of one size into a file. Answer: None."""

    file: Path
    pictures: tuple[Picture, ...]
    milliseconds: int
    """Of one picture, where they move."""

    @property
    def doing(self) -> str:
        """For a report."""
        return f"writing {self.file}"


class PicturesWorker(Worker):
    """Writes one file after another."""

    def answer(self, request: PicturesRequest) -> None:
        """Write the file whole, or not at all."""
        write_pictures(request.file, request.pictures, request.milliseconds)
