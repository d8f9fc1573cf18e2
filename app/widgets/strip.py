"""Long vectors as strips of cells: one row a vector, its groups marked above.

Place: heads side by side, rows of a table, the hidden layer of a token. In: a `Matrix`
of few rows and many columns. Out: which cell was clicked. Where cells are more than
pixels, the strongest of each block stays.
"""

from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import SMALL, mono, sans
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, NOTHING, Canvas, grid_step
from app.widgets.cell_image import cell_image
from app.widgets.cell_layout import CellLayout, whole
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.map_painting import paint_cells, paint_outline, value_text
from core.trace.matrix import FloatArray, Matrix
from core.trace.reduce import block_size, reduce_by_maximum, strongest_in

GAP, ROW_GAP = 8.0, 6.0
LEAST_ROW, MOST_ROW = 16.0, 40.0
"""A strip is as thick as lets all of them be seen, within these."""
LABEL_LIMIT = 150.0
MARGIN = 4.0
LARGEST_CELL = 72.0
OVERSHOOT = 3.0
"""How far the border of a group reaches beyond the strip."""


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that belong together, such as those of one head."""

    name: str
    start: int
    stop: int
    """One beyond the last column."""
    role: str = "muted"
    """The theme colour its name wears."""


class VectorStrip(Canvas):
    """A few long vectors below each other; scrolls when they are many."""

    cell_clicked = Signal(int, int)
    """The cell at (row, column) was clicked or entered."""

    REVEAL_MARGIN = int(ROW_GAP)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the strip."""
        super().__init__(name, {**ACROSS, **DOWN}, parent)
        self._matrix: Matrix | None = None
        self._groups: tuple[Group, ...] = ()
        self._selected: tuple[int, int] | None = None
        self._left = self._top = 0.0
        self._cell = self._row = 1.0
        self._block = 1
        self._reduced: FloatArray | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_vectors(
        self, matrix: Matrix | None, groups: tuple[Group, ...] = ()
    ) -> None:
        """Show the rows of a matrix; the groups' names stand above their columns."""
        self._matrix, self._groups = matrix, groups
        self.refresh()

    def set_selected(self, row: int | None, column: int | None) -> None:
        """Outline the cell at (row, column); None outlines none."""
        is_none = row is None or column is None
        self._selected = None if is_none else (row, column)  # type: ignore[assignment]
        self.keep_in_sight()
        self.viewport().update()

    # The canvas's questions.

    @property
    def _n_rows(self) -> int:
        return 0 if self._matrix is None else self._matrix.values.shape[0]

    @property
    def _n_columns(self) -> int:
        return 0 if self._matrix is None else self._matrix.values.shape[1]

    def item_count(self) -> int:
        """One item a cell, row by row."""
        return self._n_rows * self._n_columns

    def item_rect(self, index: int) -> QRectF:
        """The cell, at least one pixel wide."""
        row, column = divmod(index, self._n_columns)
        x, y, width, height = self._cells(row).rectangle(0, column)
        return QRectF(x, y, max(1.0, width), height)

    def item_at(self, point: QPointF) -> int:
        """The cell at a point; of those that share a dot the one that colours it."""
        row = int((point.y() - self._top) // (self._row + ROW_GAP))
        if self._matrix is None or not 0 <= row < self._n_rows:
            return NOTHING
        found = self._cells(row).cell_at(point.x(), point.y())
        if found is None:
            return NOTHING
        first = found[1] - found[1] % self._block
        block = range(first, min(first + self._block, self._n_columns))
        _, column = strongest_in(self._matrix.values, range(row, row + 1), block)
        return row * self._n_columns + column

    def item_text(self, index: int) -> str:
        """The vector, the column with its group, and the value."""
        if self._matrix is None:
            return ""
        row, column = divmod(index, self._n_columns)
        labels = self._matrix.columns.labels
        place = f"{self._matrix.columns.name} {labels[column] if labels else column}"
        inside = [g.name for g in self._groups if g.start <= column < g.stop]
        names = (self._row_label(row), *inside, place.strip())
        value = value_text(float(self._matrix.values[row, column]))
        return f"{', '.join(name for name in names if name)}\n{value}"

    def neighbour(self, index: int, key: int) -> int:
        """Along the vector, or to the same place in another one."""
        return grid_step(index, key, self._n_rows, self._n_columns)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which cell."""
        self.cell_clicked.emit(*divmod(index, self._n_columns))

    def keep_in_sight(self) -> None:
        """Scroll to the selected cell."""
        if self._selected is not None:
            self.reveal(self._selected[0] * self._n_columns + self._selected[1])

    def _row_label(self, row: int) -> str:
        labels = self._matrix.rows.labels if self._matrix else ()
        return labels[row] if row < len(labels) else ""

    def _cells(self, row: int) -> CellLayout:
        top = self._top + row * (self._row + ROW_GAP)
        return CellLayout(
            self._left, top, self._cell, self._row, n_rows=1, n_columns=self._n_columns
        )

    def arrange(self) -> QSizeF:
        """Share the height among the vectors and the width among the columns."""
        seen = QSizeF(self.viewport().size())
        if self._matrix is None or not self.item_count():
            return seen
        labels = (advance(label, mono(SMALL)) for label in self._matrix.rows.labels)
        label_width = min(LABEL_LIMIT, max(labels, default=0.0))
        self._left = round(MARGIN + label_width + GAP) if label_width else MARGIN
        head = line_height(sans(SMALL)) + OVERSHOOT if self._groups else 0.0
        self._top = round(MARGIN + head)
        free = (seen.height() - self._top - MARGIN) / self._n_rows - ROW_GAP
        self._row = floor(max(LEAST_ROW, min(MOST_ROW, free)))
        width, ratio = seen.width() - self._left - MARGIN, self.devicePixelRatioF()
        share = max(1.0, width) / self._n_columns
        self._cell = whole(min(LARGEST_CELL, share), ratio)
        self._block = block_size(self._n_columns, width * ratio)
        self._reduced = reduce_by_maximum(self._matrix.values, 1, self._block)
        height = self._top + self._n_rows * (self._row + ROW_GAP) + MARGIN
        return QSizeF(seen.width(), height)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The vectors in sight, the groups over them, and the selected cell."""
        pitch = self._row + ROW_GAP
        first = max(0, int((visible.top() - self._top) // pitch))
        last = min(self._n_rows, int((visible.bottom() - self._top) // pitch) + 1)
        if self._matrix is None or self._reduced is None or first >= last:
            return
        seen = self._reduced[first:last]
        image = cell_image(seen, self._matrix.scale, self._matrix.colour)
        for row in range(first, last):
            source = QRectF(0, row - first, image.width(), 1)
            paint_cells(painter, self._cells(row), image, source)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_labels(painter, range(first, last))
        self._paint_groups(painter, range(first, last))
        if self._selected is not None and first <= self._selected[0] < last:
            paint_outline(painter, self._cells(self._selected[0]), 0, self._selected[1])

    def _paint_labels(self, painter: QPainter, rows: range) -> None:
        painter.setFont(mono(SMALL))
        for row in rows:
            is_chosen = self._selected is not None and self._selected[0] == row
            painter.setPen(theme().ink("text" if is_chosen else "muted"))
            box = QRectF(MARGIN, self._cells(row).top, self._left - GAP - MARGIN, 0)
            box.setHeight(self._row)
            draw_label(
                painter,
                box.adjusted(0, 0, 1, 0),
                self._row_label(row),
                Align.AlignRight,
            )

    def _paint_groups(self, painter: QPainter, rows: range) -> None:
        painter.setFont(sans(SMALL))
        for group in self._groups:
            left = self._left + group.start * self._cell
            right = self._left + group.stop * self._cell
            painter.setPen(theme().ink(group.role))
            box = QRectF(left + 2, MARGIN, right - left - 4, line_height(sans(SMALL)))
            draw_label(painter, box, group.name, Align.AlignHCenter)
            painter.setPen(QPen(theme().colour("text"), 1))
            for row in rows:
                cells = self._cells(row)
                ends = cells.top - OVERSHOOT, cells.top + cells.height + OVERSHOOT
                for x in (left, right):
                    edge = round(x) - 0.5
                    painter.drawLine(QLineF(edge, ends[0], edge, ends[1]))
