"""The words and marks of a product: names, sizes, row labels, groups, lit bands.

In: a painter and a layout. Pure painting, no state.
"""

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.style.fonts import MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.axes import WIDEST_LABEL, WIDEST_SHARE, widest
from app.widgets.cell_layout import CellLayout, label_step
from app.widgets.cell_text import range_text
from app.widgets.label import Align, advance, draw_label, first_fitting, line_height
from app.widgets.map_painting import paint_outline
from app.widgets.product_layout import ProductLayout
from app.widgets.strip import Group
from core.trace.matrix import Axis, Matrix

GAP = 6.0
"""Between words and cells."""
LEAST_BAND = 5.0
"""The outline of a row or a column stays visible around a line of one pixel."""
OVERSHOOT = 3.0
"""How far the border of a group reaches beyond the cells."""


def label_width(rows: Axis, width: float) -> float:
    """Room for the labels of the rows."""
    return min(widest(rows), WIDEST_LABEL, WIDEST_SHARE * width) + GAP


def group_width(groups: Sequence[Group]) -> float:
    """Room for the names of the groups beside the right factor."""
    names = (advance(group.name, sans(SMALL)) for group in groups)
    return max(names, default=0.0)


def captions_of(name: str, matrix: Matrix, blocks: tuple[int, int]) -> tuple[str, ...]:
    """Name, size and range, "W_Q · 192 × 48 · ±0.31", and ever shorter wordings."""
    rows, columns = matrix.values.shape
    sized = f"{name} · {rows} × {columns}"
    ranged = f"{sized} · ±{range_text(matrix.scale.limit)}"
    if blocks == (1, 1):
        return ranged, sized, name
    dots = f"a dot is the largest of {blocks[0]} × {blocks[1]}"
    return f"{ranged} · {dots}", ranged, sized, name


def paint_caption(
    painter: QPainter,
    wordings: Sequence[str],
    colour: str,
    layout: ProductLayout,
    factor: str,
) -> None:
    """Write above a matrix what it is, in its colour, in as many words as fit."""
    cells, margins = layout.cells(factor), layout.margins
    top = cells.top - margins.caption
    if factor == "left":
        top -= margins.group_line
    box = QRectF(cells.left, top, cells.width, line_height(sans(SMALL)))
    painter.setFont(sans(SMALL))
    text = first_fitting(wordings, painter.font(), box.width())
    width = min(box.width(), advance(text, painter.font()))
    behind = QRectF(box.left(), box.top(), width, box.height())
    painter.fillRect(behind, theme().colour("surface"))  # a lit column passes here
    painter.setPen(theme().ink(colour))
    draw_label(painter, box, text, Align.AlignLeft)


def paint_row_labels(
    painter: QPainter, axis: Axis, cells: CellLayout, lit: int
) -> None:
    """Write the labels at the left, none over another, the lit one in its colour."""
    line = line_height(mono(SMALL))
    for place in labelled(cells, lit):
        is_lit = place == lit
        painter.setFont(mono(SMALL, MEDIUM if is_lit else REGULAR))
        painter.setPen(theme().ink((axis.role or "text") if is_lit else "muted"))
        middle = cells.top + (place + 0.5) * cells.cell_height
        box = QRectF(0, middle - line / 2, cells.left - GAP, line)
        draw_label(painter, box, axis.labels[place], Align.AlignRight)


def paint_group_names(
    painter: QPainter, groups: Sequence[Group], layout: ProductLayout
) -> None:
    """Name the groups above the left factor and beside the right one."""
    painter.setFont(sans(SMALL))
    line, left, right = line_height(sans(SMALL)), layout.left, layout.right
    for group in groups:
        painter.setPen(theme().ink(group.role))
        width = (group.stop - group.start) * left.cell_width
        x = left.left + group.start * left.cell_width
        box = QRectF(x, left.top - line - GAP, width, line)
        draw_label(painter, box, group.name, Align.AlignHCenter)
        middle = right.top + (group.start + group.stop) / 2 * right.cell_height
        width = layout.margins.groups + 1
        box = QRectF(right.left - GAP - width, middle - line / 2, width, line)
        if (group.stop - group.start) * right.cell_height >= line:
            draw_label(painter, box, group.name, Align.AlignRight)


def paint_group_lines(
    painter: QPainter, groups: Sequence[Group], layout: ProductLayout
) -> None:
    """Draw the borders between groups through both factors."""
    left, right = layout.left, layout.right
    painter.setPen(QPen(theme().colour("text"), 1))
    for group in groups[1:]:
        x = round(left.left + group.start * left.cell_width) - 0.5
        y = round(right.top + group.start * right.cell_height) - 0.5
        ends = left.top - OVERSHOOT, left.top + left.height + OVERSHOOT
        painter.drawLine(QLineF(x, ends[0], x, ends[1]))
        ends = right.left - OVERSHOOT, right.left + right.width + OVERSHOOT
        painter.drawLine(QLineF(ends[0], y, ends[1], y))


def paint_bands(
    painter: QPainter, layout: ProductLayout, at: tuple[int, int], colour: str
) -> None:
    """Outline a row of the left factor, a column of the right, and where they meet."""
    row, column = at
    left, right, result = layout.left, layout.right, layout.result
    across = QRectF(
        left.left, left.top + row * left.cell_height, left.width, left.cell_height
    )
    down = QRectF(
        right.left + column * right.cell_width,
        right.top,
        right.cell_width,
        right.height,
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme().colour(colour), 1))
    cell = QRectF(*result.rectangle(row, column))
    painter.drawLine(
        QLineF(across.right(), cell.center().y(), cell.left() - 1, cell.center().y())
    )
    painter.drawLine(
        QLineF(cell.center().x(), down.bottom(), cell.center().x(), cell.top() - 1)
    )
    for band in (across, down):
        painter.drawRect(grown(band).adjusted(-1, -1, 0, 0))
    paint_outline(painter, result, *at, thickness=2 if colour == "text" else 1)


def grown(band: QRectF) -> QRectF:
    """A rectangle at least LEAST_BAND wide and high."""
    grow_x = max(0.0, LEAST_BAND - band.width()) / 2
    grow_y = max(0.0, LEAST_BAND - band.height()) / 2
    return band.adjusted(-grow_x, -grow_y, grow_x, grow_y)


def labelled(cells: CellLayout, lit: int) -> list[int]:
    """The rows that get a label: every k-th, and the lit one before all others."""
    line = line_height(mono(SMALL))
    step, crowded = label_step(cells.cell_height, line), line / cells.cell_height
    others = (i for i in range(0, cells.n_rows, step) if abs(i - lit) >= crowded)
    return [lit, *others]
