"""The words and marks of a weighted sum: bars, names, signs, labels, lit lines.

In: a painter and a layout. Pure painting, no state.
"""

from math import isnan

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.style.fonts import LARGE, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.cell_text import cell_text
from app.widgets.label import Align, draw_label, line_height
from app.widgets.map_painting import paint_outline
from app.widgets.mixture_layout import FOOT, SIGN, MixtureLayout
from app.widgets.product_labels import GAP, grown
from core.trace.matrix import FloatArray, Scale

SHARES = Scale("share", 1.0)
NUMBER_WIDTH = 34.0
"""Beside the longest bar, for its number."""
THINNEST_BAR = 1.0
BAR_SHARE, THICKEST_BAR = 0.6, 16.0
"""A bar takes this share of its line's height, at most so many pixels."""
FULL_BELOW = 4.0
"""In lines lower than this bars touch."""


def paint_bars(
    painter: QPainter, shares: FloatArray, colour: str, layout: MixtureLayout
) -> None:
    """A bar for each share; a row that takes no part has none."""
    cells = layout.shares
    longest = cells.cell_width - NUMBER_WIDTH
    height = min(BAR_SHARE * cells.cell_height, THICKEST_BAR)
    if cells.cell_height < FULL_BELOW:
        height = max(THINNEST_BAR, cells.cell_height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().colour(colour))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    for row, share in enumerate(shares):
        y = cells.top + (row + 0.5) * cells.cell_height - height / 2
        if not isnan(share):
            width = max(THINNEST_BAR, longest * float(share))
            painter.drawRect(QRectF(cells.left, y, width, height))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_names(
    painter: QPainter, names: tuple[str, str, str, str], layout: MixtureLayout
) -> None:
    """Name the parts, and set the signs of arithmetic between them."""
    painter.setFont(sans(SMALL))
    painter.setPen(theme().ink("muted"))
    line = line_height(sans(SMALL))
    parts = (layout.shares, layout.rows, layout.weighted)
    for name, cells in zip(names, parts, strict=False):
        box = QRectF(cells.left, cells.top - line - GAP, cells.width + SIGN, line)
        draw_label(painter, box, name, Align.AlignLeft)
    total, rows = layout.total, layout.rows
    box = QRectF(rows.left, total.top, rows.width + SIGN - GAP, total.height)
    draw_label(painter, box, names[3], Align.AlignRight)
    y = total.top - FOOT / 2
    painter.setPen(QPen(theme().colour("muted"), 1))
    painter.drawLine(QLineF(total.left, y, total.left + total.width, y))
    painter.setFont(mono(LARGE))
    for sign, cells in (("×", layout.rows), ("=", layout.weighted)):
        box = QRectF(cells.left - SIGN, cells.top, SIGN, cells.height)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)


def paint_shares(painter: QPainter, shares: FloatArray, layout: MixtureLayout) -> None:
    """Write each share behind its bar, where the lines are high enough."""
    cells, line = layout.shares, line_height(mono(SMALL))
    if cells.cell_height < 0.8 * line:
        return
    painter.setFont(mono(SMALL))
    painter.setPen(theme().ink("text"))
    for row, share in enumerate(shares):
        middle = cells.top + (row + 0.5) * cells.cell_height
        left = cells.left + cells.cell_width - NUMBER_WIDTH
        box = QRectF(left, middle - line / 2, NUMBER_WIDTH, line)
        text = cell_text(float(share), SHARES)
        draw_label(painter, box, text, Align.AlignRight)


def paint_marks(
    painter: QPainter, layout: MixtureLayout, at: tuple[int, int], colour: str
) -> None:
    """Outline a row of the sum, its weighted cell, and the total of the column."""
    row, column = at
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme().colour(colour), 1))
    for cells in (layout.rows, layout.weighted):
        y = cells.top + row * cells.cell_height
        band = QRectF(cells.left, y, cells.width, cells.cell_height)
        painter.drawRect(grown(band).adjusted(-1, -1, 0, 0))
    paint_outline(painter, layout.rows, row, column, 1)
    weighted = layout.weighted
    x = weighted.left + column * weighted.cell_width
    band = QRectF(x, weighted.top, weighted.cell_width, weighted.height)
    painter.setPen(QPen(theme().colour(colour), 1))
    painter.drawRect(grown(band).adjusted(-1, -1, 0, 0))
    paint_outline(painter, layout.total, 0, column, 2 if colour == "text" else 1)
