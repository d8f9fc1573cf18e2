"""A table of numbers of which each can be asked for, as its row can.

Place: the lengths along the residual stream. In: the rows of a `NumberTable`. Out:
which row or which number was clicked; Left and Right go from number to number.
"""

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, NOTHING, grid_step
from app.widgets.number_table import LEAST_GAP, NumberTable

UNDERLINE = 3
"""How far the line under a number stands above the foot of its row."""


class FigureTable(NumberTable):
    """Items count row by row: the row itself, then its numbers."""

    number_clicked = Signal(int, int)
    """A number was clicked or entered: its row and column."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the table."""
        super().__init__(name, parent)
        self._moves = {**ACROSS, **DOWN}

    @property
    def _n_across(self) -> int:
        return 1 + len(self._heads)

    def _number_rect(self, row: int, column: int) -> QRectF:
        left, width = self._number_boxes()[column]
        line = self.row_rect(row)
        room = QRectF(left, line.top(), width, line.height())
        return room.adjusted(-LEAST_GAP, 0, LEAST_GAP, 0)

    # The canvas's questions.

    def item_count(self) -> int:
        """The rows and their numbers."""
        return len(self._rows) * self._n_across

    def item_of(self, row: int) -> int:
        """The row itself comes before its numbers."""
        return row * self._n_across

    def row_of(self, index: int) -> int:
        """The row of a number, too."""
        return NOTHING if index == NOTHING else index // self._n_across

    def item_rect(self, index: int) -> QRectF:
        """The whole row, or a number of it."""
        row, place = divmod(index, self._n_across)
        return self._number_rect(row, place - 1) if place else self.row_rect(row)

    def item_at(self, point: QPointF) -> int:
        """The number at a point; where there is none, the row."""
        row = super().item_at(point)
        if row == NOTHING:
            return NOTHING
        columns = range(len(self._heads))
        hit = (c for c in columns if self._number_rect(row, c).contains(point))
        return self.item_of(row) + 1 + next(hit, -1)

    def item_text(self, index: int) -> str:
        """The row in words, or one number under its head."""
        row, place = divmod(index, self._n_across)
        if not place:
            return super().item_text(row)
        number = f"{self._heads[place - 1]} {self._rows[row].numbers[place - 1]}"
        return f"{self._label_head} {self._rows[row].label}\n{number}".strip()

    def neighbour(self, index: int, key: int) -> int:
        """As in any grid."""
        return grid_step(index, key, len(self._rows), self._n_across)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which row, or which number."""
        row, place = divmod(index, self._n_across)
        if place:
            self.number_clicked.emit(row, place - 1)
        else:
            self.row_clicked.emit(row)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The rows in sight, and a line under the number that the mouse is over."""
        super().paint(painter, visible)
        if self.hover_index != NOTHING and self.hover_index % self._n_across:
            box = self.item_rect(self.hover_index)
            foot = box.bottom() - UNDERLINE + 0.5
            painter.setPen(QPen(theme().colour("text"), 1))
            ends = box.left() + LEAST_GAP, box.right() - LEAST_GAP
            painter.drawLine(QLineF(ends[0], foot, ends[1], foot))

    def _hover_at(self, index: int) -> None:
        super()._hover_at(index)
        is_number = index != NOTHING and bool(index % self._n_across)
        cursor = Qt.CursorShape
        shape = cursor.PointingHandCursor if is_number else cursor.ArrowCursor
        self.viewport().setCursor(shape)
