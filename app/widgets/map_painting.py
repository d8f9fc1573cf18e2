"""Ink for one matrix: the cells, the gaps between them, numbers and outlines.

In: a painter, a layout and a picture of one pixel a cell. Pure painting, no state.
"""

from collections.abc import Sequence
from math import isnan

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from app.style.fonts import CAPTION, SMALL, TINY, mono
from app.style.maps import map_colours
from app.style.theme import theme
from app.widgets.cell_image import levels_of
from app.widgets.cell_layout import CellLayout
from app.widgets.cell_text import cell_text
from app.widgets.label import advance, line_height
from core.trace.matrix import FloatArray, Matrix

GAPS_FROM = 10.0
"""Cells smaller than this touch."""
WIDE_GAPS_FROM = 28.0
NUMBERS_FROM = 24.0
"""Cells at least this wide carry their number."""
NUMBER_SIZES = {SMALL: 6.0, CAPTION: 5.0, TINY: 3.0}
"""Sizes of type -> pixels beside a number. The largest with room for all is taken."""
VEIL = 0.75
"""How much of a dimmed column is covered."""
LEAST_OUTLINE = 7.0
"""An outline stays visible around a cell of one pixel."""


def map_rectangle(cells: CellLayout) -> QRectF:
    """All cells together."""
    return QRectF(cells.left, cells.top, cells.width, cells.height)


def paint_cells(
    painter: QPainter, cells: CellLayout, image: QImage, source: QRectF | None = None
) -> None:
    """The cells in their colours, crisp, with a thin line around them all.

    `source` is the part of the image that holds them; all of it by default.
    """
    area = map_rectangle(cells)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    # Cut out beforehand, since an SVG is given the whole image whatever part is meant.
    part = image if source is None else image.copy(source.toAlignedRect())
    painter.drawImage(area, part)
    paint_gaps(painter, cells)
    painter.setPen(QPen(theme().colour("line"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area.adjusted(-1, -1, 0, 0))


def paint_veil(
    painter: QPainter, cells: CellLayout, columns: Sequence[int], strength: float = VEIL
) -> None:
    """The surface over some columns, so that the others are seen beside them."""
    veil = QColor(theme().colour("surface"))
    veil.setAlphaF(strength)
    for column in columns:
        left, top, width, _ = cells.rectangle(0, column)
        painter.fillRect(QRectF(left, top, width, cells.height), veil)


def paint_gaps(painter: QPainter, cells: CellLayout) -> None:
    """Lines of the surface between cells that are large enough to stand apart."""
    if min(cells.cell_width, cells.cell_height) < GAPS_FROM:
        return
    is_wide = min(cells.cell_width, cells.cell_height) >= WIDE_GAPS_FROM
    area = map_rectangle(cells)
    xs = (area.left() + i * cells.cell_width for i in range(1, cells.n_columns))
    ys = (area.top() + i * cells.cell_height for i in range(1, cells.n_rows))
    painter.setPen(QPen(theme().colour("surface"), 2 if is_wide else 1))
    painter.drawLines(
        [QLineF(x, area.top(), x, area.bottom()) for x in xs]
        + [QLineF(area.left(), y, area.right(), y) for y in ys]
    )


def paint_numbers(
    painter: QPainter,
    cells: CellLayout,
    values: FloatArray,
    matrix: Matrix,
    dimmed: Sequence[int] = (),
) -> None:
    """The numbers [rows, columns] in the cells, where all of them have room."""
    if cells.cell_width < NUMBERS_FROM or cells.cell_height < line_height(mono(TINY)):
        return
    texts = [[cell_text(float(v), matrix.scale) for v in row] for row in values]
    longest = max((text for row in texts for text in row), key=len)
    font = number_font(longest, cells)
    if font is None:
        return
    scale = matrix.scale
    ink_of = map_colours(scale.kind, matrix.colour).inks
    cell_levels = levels_of(values, scale)
    painter.setFont(font)
    for row, row_texts in enumerate(texts):
        for column, text in enumerate(row_texts):
            ink = ink_of[cell_levels[row, column]]
            painter.setPen(theme().ink("muted") if column in dimmed else QColor(ink))
            box = QRectF(*cells.rectangle(row, column))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def number_font(longest: str, cells: CellLayout) -> QFont | None:
    """The largest font in which the longest number has room; None where none has."""
    fonts = ((mono(size), room) for size, room in NUMBER_SIZES.items())
    fitting = (
        font
        for font, room in fonts
        if advance(longest, font) + room <= cells.cell_width
        and line_height(font) <= cells.cell_height
    )
    return next(fitting, None)


def paint_cross(painter: QPainter, cells: CellLayout, row: int, column: int) -> None:
    """A thin outline around the whole row and the whole column of a cell."""
    left, top, width, height = cells.rectangle(row, column)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme().colour("faint"), 1))
    painter.drawRect(QRectF(cells.left - 1, top - 1, cells.width, height))
    painter.drawRect(QRectF(left - 1, cells.top - 1, width, cells.height))


def paint_outline(
    painter: QPainter, cells: CellLayout, row: int, column: int, thickness: int = 2
) -> None:
    """An outline around one cell, also where the cell is a single dot."""
    box = QRectF(*cells.rectangle(row, column)).adjusted(-1, -1, 0, 0)
    grow_x = max(0.0, LEAST_OUTLINE - box.width()) / 2
    grow_y = max(0.0, LEAST_OUTLINE - box.height()) / 2
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pen = QPen(theme().colour("text"), thickness)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.drawRect(box.adjusted(-grow_x, -grow_y, grow_x, grow_y))


def paint_focus(painter: QPainter, area: QRectF) -> None:
    """The ring around a widget that has the keyboard."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme().colour("accent"), 1))
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)


def value_text(value: float) -> str:
    """A number for a tooltip, or that there is none."""
    return "masked, or not a number" if isnan(value) else f"{value:.6g}"
