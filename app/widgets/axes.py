"""The frame of a matrix: where its cells lie, and the labels on its two sides.

In: two axes and the room of a widget. Out: a `MapFrame`, and labels painted around it.
Labels thin out instead of overlapping; long ones end in "…".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from heapq import nlargest
from math import sqrt

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter

from app.style.fonts import CAPTION, MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.cell_layout import CellLayout, cell_size, label_step, snapped
from app.widgets.label import advance, draw_label, elided, line_height
from core.trace.matrix import Axis

GAP = 6.0
"""Between a label and the cells."""
MARGIN = 2.0
"""Kept free around everything, for outlines."""
FOOT = 20.0
"""Height of the line under the cells."""
WIDEST_LABEL = 116.0
WIDEST_SHARE = 0.24
"""Row labels take at most this share of the width, column labels of the height."""
ROWS_SHARE = 0.6
"""The rows have at least this share of the height; the rest is for other labels."""
FARTHEST_REACH = 44.0
"""Slanted labels reach at most this far beyond the last column."""
CLOSEST = 0.85
"""Labels may stand this share of a line's height apart: no letter fills its line."""
N_MEASURED = 12
"""Only the labels of most characters are measured: the longest is among them."""
N_REMEMBERED = 256
"""Axes whose labels stay measured."""
LEVEL = Qt.AlignmentFlag.AlignVCenter.value | Qt.TextFlag.TextSingleLine.value
SLANT_DEGREES = -45.0
SLANTED = sqrt(0.5)
"""What is left of a length, across or up, when it is slanted."""

Lit = dict[int, str]
"""Places whose labels stand out -> the theme colour they wear."""


@dataclass(frozen=True, slots=True)
class MapFrame:
    """Where everything of one matrix lies inside a widget."""

    cells: CellLayout
    row_width: float
    """Room for the row labels, at the left of the cells."""
    column_height: float
    """Room for the column labels, above the cells."""
    is_slanted: bool
    """Column labels climb at 45 degrees, since they are wider than a column."""
    right: float
    """The right edge of the room: no label reaches beyond it."""


def frame_of(
    rows: Axis,
    columns: Axis,
    size: QSizeF,
    ratio: float,
    foot: float = 0,
    *,
    may_be_square: bool = True,
) -> MapFrame:
    """The frame in which the cells are as large as `size` allows, centred.

    `ratio` is device pixels a logical one; `foot` is kept free below the cells.
    """
    sized = partial(cell_size, ratio=ratio, may_be_square=may_be_square)
    width = size.width() - 2 * MARGIN
    below = max(foot, _overhang_below(rows, size.height()))
    height = size.height() - 2 * MARGIN - below
    row_width = _row_width(rows, columns, width)
    level, slanted = _header_height(columns, height, is_slanted=False), None
    counts = len(rows.labels), len(columns.labels)
    cell = sized(*counts, width - row_width, height - level)
    overhang = 0.0
    if not _fits_level(columns, cell[0]):
        slanted = _header_height(columns, height, is_slanted=True)
        for _ in range(2):  # the overhang narrows the cells, which adds to the overhang
            room = width - row_width - overhang
            cell = sized(*counts, room, height - slanted)
            overhang = _overhang(columns, cell[0], slanted)
    header = level if slanted is None else slanted
    spare_x = width - row_width - overhang - counts[1] * cell[0]
    spare_y = height - header - counts[0] * cell[1]
    left = MARGIN + row_width + max(0.0, spare_x) / 2
    top = MARGIN + header + max(0.0, spare_y) / 2
    corner = snapped(left, ratio), snapped(top, ratio)
    cells = CellLayout(*corner, *cell, *counts)
    return MapFrame(cells, row_width, header, slanted is not None, size.width())


def _overhang_below(rows: Axis, height: float) -> float:
    """How far the label of the last row reaches below it, where rows are slim."""
    pitch = ROWS_SHARE * height / max(1, len(rows.labels))
    return max(0.0, (line_height(mono(SMALL)) - pitch) / 2 - MARGIN)


def widest(axis: Axis) -> float:
    """The width of the widest label of an axis, in pixels."""
    return _widest_of(axis.labels)


@lru_cache(maxsize=N_REMEMBERED)
def _widest_of(labels: tuple[str, ...]) -> float:
    longest = nlargest(N_MEASURED, labels, key=len)
    return max((advance(label, mono(SMALL)) for label in longest), default=0.0)


@lru_cache(maxsize=N_REMEMBERED)
def _are_numbers(labels: tuple[str, ...]) -> bool:
    return all(label.isdecimal() or not label for label in labels)


def _row_width(rows: Axis, columns: Axis, width: float) -> float:
    names = (advance(caption, sans(CAPTION)) for caption in captions(rows, columns))
    labels = min(widest(rows), WIDEST_LABEL, WIDEST_SHARE * width)
    return max(labels, *names) + GAP


def _header_height(columns: Axis, height: float, *, is_slanted: bool) -> float:
    line = line_height(mono(SMALL))
    lines = 2 * line_height(sans(CAPTION))  # the two captions in the corner
    if not is_slanted:
        return max(line, lines) + GAP
    climb = (_slanted_length(columns, height) + line) * SLANTED
    return max(climb, lines) + GAP


def _slanted_length(columns: Axis, height: float) -> float:
    return min(widest(columns), WIDEST_LABEL, WIDEST_SHARE * height / SLANTED)


def _overhang(columns: Axis, pitch: float, header: float) -> float:
    """How far the slanted labels of the last columns reach beyond the cells."""
    most = (header - GAP) / SLANTED
    last = enumerate(reversed(columns.labels[-N_MEASURED:]))
    reaches = (
        min(advance(label, mono(SMALL)), most) * SLANTED - (place + 0.5) * pitch
        for place, label in last
    )
    return min(max(0.0, *reaches), FARTHEST_REACH) + GAP


def _fits_level(columns: Axis, pitch: float) -> bool:
    """Whether the labels can stand level: wide enough columns, or numbers to thin."""
    return widest(columns) + GAP <= pitch or _are_numbers(columns.labels)


def captions(rows: Axis, columns: Axis) -> tuple[str, str]:
    """What the corner says: the name of the columns and of the rows, with arrows."""
    return (
        f"{columns.name} →" if columns.name else "",
        f"{rows.name} ↓" if rows.name else "",
    )


def paint_captions(
    painter: QPainter, rows: Axis, columns: Axis, frame: MapFrame
) -> None:
    """Write into the corner what the two axes count, each in its colour."""
    painter.setFont(sans(CAPTION))
    line = line_height(sans(CAPTION))
    left = frame.cells.left - frame.row_width
    top = frame.cells.top - GAP - 2 * line
    for text, axis in zip(captions(rows, columns), (columns, rows), strict=True):
        painter.setPen(theme().ink(axis.role or "muted"))
        box = QRectF(left, top, frame.row_width - GAP, line)
        draw_label(painter, box, text, Qt.AlignmentFlag.AlignRight)
        top += line


def paint_row_labels(painter: QPainter, axis: Axis, frame: MapFrame, lit: Lit) -> None:
    """Write the labels at the left of the cells, right-aligned, none over another."""
    cells, line = frame.cells, line_height(mono(SMALL))
    left, width = cells.left - frame.row_width, frame.row_width - GAP
    for place in _labelled(cells.n_rows, cells.cell_height, CLOSEST * line, lit):
        middle = cells.top + (place + 0.5) * cells.cell_height
        box = QRectF(left, middle - line / 2, width, line)
        _wear(painter, lit.get(place))
        draw_label(painter, box, axis.labels[place], Qt.AlignmentFlag.AlignRight)


def paint_column_labels(
    painter: QPainter, axis: Axis, frame: MapFrame, lit: Lit
) -> None:
    """Write the labels above the cells, level or slanted, none over another."""
    cells, line = frame.cells, line_height(mono(SMALL))
    needed = CLOSEST * line / SLANTED if frame.is_slanted else widest(axis) + GAP
    longest = (frame.column_height - GAP) / SLANTED - line / 2
    taken: list[float] = []
    for place in _labelled(cells.n_columns, cells.cell_width, needed, lit):
        middle = cells.left + (place + 0.5) * cells.cell_width
        left = min(middle - needed / 2, frame.right - needed)
        if any(abs(left - other) < needed for other in taken):
            continue  # the last label has been moved into the room
        taken.append(left)
        _wear(painter, lit.get(place))
        painter.save()
        painter.translate(middle, cells.top - GAP)
        if frame.is_slanted:
            painter.rotate(SLANT_DEGREES)
            room = min(longest, (frame.right - middle) / SLANTED - line / 2)
            text = elided(axis.labels[place], painter.font(), room)
            painter.drawText(QRectF(0, -line / 2, room + line, line), LEVEL, text)
        else:
            box = QRectF(left - middle, -line, needed, line)
            draw_label(painter, box, axis.labels[place], Qt.AlignmentFlag.AlignHCenter)
        painter.restore()


def _wear(painter: QPainter, colour: str | None) -> None:
    painter.setFont(mono(SMALL, MEDIUM if colour else REGULAR))
    painter.setPen(theme().ink(colour or "muted"))


def _labelled(n: int, pitch: float, needed: float, lit: Iterable[int]) -> list[int]:
    """The places that get a label: every k-th, and the lit ones before all others."""
    step = label_step(pitch, needed)
    first = [place for place in lit if 0 <= place < n]
    crowded = needed / pitch
    others = (
        place
        for place in range(0, n, step)
        if all(abs(place - other) >= crowded for other in first)
    )
    return [*first, *others]
