"""The loss curve as a file: a picture, a drawing or a table; its ending says which."""

from collections.abc import Callable, Iterable
from pathlib import Path

from core.files import write_whole
from core.training.curve import loss_csv, loss_curve, loss_png
from core.training.events import Event, read_events

WRITERS: dict[str, Callable[[Iterable[Event]], bytes]] = {
    ".png": loss_png,
    ".svg": lambda events: loss_curve(events).encode(),
    ".csv": lambda events: loss_csv(events).encode(),
}
FILTERS = "Picture (*.png);;Drawing (*.svg);;Table (*.csv)"


def with_ending(path: Path, chosen: str) -> Path:
    """The path, with the ending of the chosen filter where it has none of ours."""
    if path.suffix.lower() in WRITERS:
        return path
    ending = next((e for e in WRITERS if f"*{e}" in chosen), ".png")
    return path.with_name(path.name + ending)


def export_curve(run: Path, path: Path) -> None:
    """Write the curve of a run.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    write_whole(path, WRITERS[path.suffix.lower()](list(read_events(run))))
