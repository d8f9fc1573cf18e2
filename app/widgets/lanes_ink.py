"""The ink of lanes: cells, bars, the course of a sum, names, labels, marks.

In: a painter, a lane and where it lies. Pure painting, no state.
"""

from math import isfinite

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from app.style.fonts import MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.axes import widest
from app.widgets.cell_layout import CellLayout, label_step
from app.widgets.cell_text import cell_text
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.lane import Lane
from app.widgets.lanes_layout import GAP, LanesLayout
from app.widgets.map_painting import (
    number_font,
    paint_cells,
    paint_numbers,
    paint_outline,
)
from core.trace.matrix import Axis, FloatArray, Matrix

BAR_SHARE = 0.72
"""Of a column's width; the rest is air. Slim columns touch."""
SLIM = 4.0
THINNEST = 1.0
NUMBERS_FROM, LEAST_BARS = 18.0, 20.0
"""Bars carry numbers in columns so wide, where so much height is left for them."""
WIDEST_LABEL = 88.0
COURSE_WIDTH = 1.5


def paint_cell_lane(
    painter: QPainter, lane: Lane, cells: CellLayout, image: QImage
) -> None:
    """The numbers as coloured cells, written where all have room."""
    paint_cells(painter, cells, image)
    none = Axis("", ())
    matrix = Matrix(lane.values[None, :], none, none, lane.scale, lane.colour)
    paint_numbers(painter, cells, matrix.values, matrix)


def paint_bars(
    painter: QPainter, lane: Lane, cells: CellLayout, values: FloatArray
) -> None:
    """A bar a dot [n_dots] from the zero line, and its number where all have room."""
    font = _number_font(lane, cells)
    room = 0.0 if font is None else line_height(font)
    zero, unit = _zero_and_unit(lane, cells, room)
    width = cells.width / len(values)
    thickness = max(THINNEST, width * (BAR_SHARE if width >= SLIM else 1.0))
    chosen = theme()
    colours = QColor(getattr(chosen, lane.colour)), QColor(chosen.opposite(lane.colour))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    for place, value in enumerate(map(float, values)):
        if not isfinite(value):
            continue
        x = cells.left + (place + 0.5) * width - thickness / 2
        bar = QRectF(x, zero - value * unit, thickness, value * unit).normalized()
        painter.fillRect(bar, colours[value < 0])
        if font is not None:
            top = bar.bottom() if value < 0 else bar.top() - room
            box = QRectF(cells.left + place * width, top, width, room)
            painter.setFont(font)
            painter.setPen(chosen.ink("text"))
            text = cell_text(value, lane.scale)
            draw_label(painter, box, text, Align.AlignHCenter)
    _paint_zero(painter, cells, zero)


def paint_course(
    painter: QPainter, lane: Lane, cells: CellLayout, values: FloatArray
) -> None:
    """A line that climbs and falls from column to column, begun at zero."""
    zero, unit = _zero_and_unit(lane, cells, COURSE_WIDTH)
    width = cells.width / len(values)
    _paint_zero(painter, cells, zero)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme().colour(lane.colour), COURSE_WIDTH))
    points = [QPointF(cells.left, zero)]
    for place, value in enumerate(map(float, values)):
        if not isfinite(value):
            break  # from here on no sum is a number
        start = QPointF(cells.left + place * width, zero - value * unit)
        points += [start, start + QPointF(width, 0)]
    painter.drawPolyline(points)


def _number_font(lane: Lane, cells: CellLayout) -> QFont | None:
    """The font for numbers at the ends of bars; None where they have no room."""
    if cells.cell_width < NUMBERS_FROM:
        return None
    texts = (cell_text(float(value), lane.scale) for value in lane.values)
    font = number_font(max(texts, key=len, default=""), cells)
    if font is None:
        return None
    n_ends = len({bool(value < 0) for value in lane.values if not np.isnan(value)})
    is_roomy = cells.cell_height - n_ends * line_height(font) >= LEAST_BARS
    return font if is_roomy else None


def _zero_and_unit(lane: Lane, cells: CellLayout, room: float) -> tuple[float, float]:
    """Where zero lies, and how many pixels a unit is; `room` is kept at both ends.

    A share's lane ends with its limit; a signed one with what it holds.
    """
    finite = lane.values[np.isfinite(lane.values)]
    low = min(0.0, float(finite.min(initial=0.0)))
    high = max(0.0, float(finite.max(initial=0.0)))
    if lane.scale.kind == "share":
        high = max(high, lane.scale.limit)
    below = room if low < 0 else 0.0
    above = room if high > 0 else 0.0
    free = max(1.0, cells.height - below - above)
    unit = free / (high - low) if high > low else 0.0
    return cells.top + above + high * unit, unit


def _paint_zero(painter: QPainter, cells: CellLayout, zero: float) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(QPen(theme().colour("line"), 1))
    y = round(zero)
    painter.drawLine(QLineF(cells.left, y, cells.left + cells.width, y))


def paint_column(
    painter: QPainter, layout: LanesLayout, at: tuple[int, int], colour: str
) -> None:
    """Outline a column through all lanes, and its cell in the lane itself."""
    lane, column = at
    x = layout.left + column * layout.cell_width
    top = layout.tops[0]
    band = QRectF(x - 1, top - 1, layout.cell_width, layout.bottom - top + 1)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme().colour("faint"), 1))
    painter.drawRect(band)
    thickness = 2 if colour == "text" else 1
    paint_outline(painter, layout.cells(lane), 0, column, thickness)


def paint_names(painter: QPainter, lane: Lane, layout: LanesLayout, place: int) -> None:
    """The lane's name at its left, in its colour; its total at the right."""
    cells, sides = layout.cells(place), layout.sides
    painter.setFont(sans(SMALL))
    painter.setPen(theme().ink(lane.colour))
    left = layout.left - GAP - sides.left
    name = QRectF(left, cells.top, sides.left, cells.height)
    draw_label(painter, name, lane.name, Align.AlignRight)
    painter.setFont(mono(SMALL))
    painter.setPen(theme().ink("text"))
    right = layout.left + layout.width + GAP
    draw_label(
        painter,
        QRectF(right, cells.top, sides.right, cells.height),
        lane.total,
        Align.AlignLeft,
    )


def paint_labels(
    painter: QPainter, axis: Axis, layout: LanesLayout, lit: list[int]
) -> None:
    """The columns' labels below the last lane; lit ones before all others."""
    needed = min(widest(axis), WIDEST_LABEL) + GAP
    pitch = layout.cell_width
    fits = needed <= pitch
    step = 1 if fits else label_step(pitch, needed)
    top, line = layout.bottom + GAP / 2, line_height(mono(SMALL))
    right = layout.left + layout.width
    taken: list[float] = []
    for place in [*lit, *range(0, layout.n_columns, step)]:
        own = min(needed, advance(axis.labels[place], mono(SMALL, MEDIUM)) + GAP)
        width = pitch if fits else own
        middle = layout.left + (place + 0.5) * pitch
        left = max(layout.left - GAP, min(middle - width / 2, right + GAP - width))
        centre = left + width / 2
        if any(abs(centre - other) < needed for other in taken) and not fits:
            continue
        taken.append(centre)
        is_lit = place in lit
        painter.setFont(mono(SMALL, MEDIUM if is_lit else REGULAR))
        painter.setPen(theme().ink((axis.role or "text") if is_lit else "muted"))
        draw_label(
            painter,
            QRectF(left, top, width, line),
            axis.labels[place],
            Align.AlignHCenter,
        )


def paint_note(painter: QPainter, note: str, layout: LanesLayout) -> None:
    """What a dot stands for, behind the columns' labels."""
    painter.setFont(sans(SMALL))
    painter.setPen(theme().ink("muted"))
    line = line_height(mono(SMALL))
    left = layout.left + layout.width + GAP
    box = QRectF(left, layout.bottom + GAP / 2, layout.sides.right, line)
    draw_label(painter, box, note, Align.AlignLeft)
