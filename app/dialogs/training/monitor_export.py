"""The loss curve as a file: a picture, a drawing or a table; its ending says which."""

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from core.files import write_whole
from core.training.curve import loss_curve
from core.training.events import Evaluated, Event, Stepped, read_events

SCALE = 3
"""Pixels of a picture for each unit of the drawing."""
COLUMNS = ("step", "loss", "learning_rate", "gradient_norm", "tokens_per_second")
TESTED = ("train_loss", "valid_loss")


def picture(events: Iterable[Event]) -> bytes:
    """The curve as PNG on white."""
    renderer = QSvgRenderer(QByteArray(drawing(events)))
    size = renderer.defaultSize() * SCALE
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        renderer.render(painter)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, b"PNG")
    return bytes(buffer.data().data())


def drawing(events: Iterable[Event]) -> bytes:
    """The curve as SVG."""
    return loss_curve(events).encode()


def table(events: Iterable[Event]) -> bytes:
    """The figures as CSV: a line a logged step, and one a test."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow((*COLUMNS, *(f"tested_{name}" for name in TESTED)))
    for event in events:
        if isinstance(event, Stepped):
            figures = [getattr(event, name) for name in COLUMNS]
            lines.writerow((*figures, *[""] * len(TESTED)))
        elif isinstance(event, Evaluated):
            blank = [""] * (len(COLUMNS) - 1)
            tested = [getattr(event, name) for name in TESTED]
            lines.writerow((event.step, *blank, *tested))
    return text.getvalue().encode()


WRITERS: dict[str, Callable[[Iterable[Event]], bytes]] = {
    ".png": picture,
    ".svg": drawing,
    ".csv": table,
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
