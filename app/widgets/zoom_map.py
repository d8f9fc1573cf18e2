"""A heat map to go into: the wheel zooms, dragging pans, a double click shows all.

Place: the enlarged map of the attention panel. It reads whole cells only, so what is
shown is always true cells or, where they are too many, the largest of each block.
"""

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.widgets.heatmap import Heatmap
from app.widgets.qt_calls import tells_faults
from app.widgets.stretch import moved, revealing, zoomed
from core.trace.matrix import Matrix

NOTCH = 120
"""What one notch of a mouse wheel turns."""
LEAST_TURN = 30
"""Touchpads turn in small parts; they are gathered up to this."""
CLOSER = 0.8
"""What is left of the stretch after one notch."""
KEYS = {
    Qt.Key.Key_Plus: CLOSER,
    Qt.Key.Key_Equal: CLOSER,
    Qt.Key.Key_Minus: 1 / CLOSER,
}
MIDDLE = 0.5


@tells_faults
class ZoomMap(Heatmap):
    """A matrix of which a part may be shown."""

    part_changed = Signal()
    """Another part of the matrix is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty map."""
        super().__init__(parent)
        self._turned = 0
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self._grabbed = (0, 0)

    @property
    def is_whole(self) -> bool:
        """Whether all cells are shown."""
        n_rows, n_columns = self._shape()
        return len(self._rows) == n_rows and len(self._columns) == n_columns

    @property
    def part_text(self) -> str:
        """Which part is shown: "rows 12–40 of 200 · columns 1–29 of 200"; "": all."""
        if self.is_whole:
            return ""
        sides = (("rows", self._rows), ("columns", self._columns))
        parts = (
            f"{name} {shown.start + 1}–{shown.stop} of {n}"
            for (name, shown), n in zip(sides, self._shape(), strict=True)
        )
        return " · ".join(parts)

    def show_matrix(self, matrix: Matrix | None) -> None:
        """Show `matrix`: the same part as before where it has the same shape."""
        before = self.part_text
        super().show_matrix(matrix)
        if self.part_text != before:
            self.part_changed.emit()

    def show_all(self) -> None:
        """Show every cell again."""
        n_rows, n_columns = self._shape()
        self._show_part(range(n_rows), range(n_columns))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Show `factor` times as many rows and columns; the point `at` stays."""
        picture = self.picture()
        if picture is None:
            return
        x = y = MIDDLE
        if at is not None:
            cells = picture.frame.cells
            x = min(max((at.x() - cells.left) / cells.width, 0.0), 1.0)
            y = min(max((at.y() - cells.top) / cells.height, 0.0), 1.0)
        n_rows, n_columns = self._shape()
        rows = zoomed(self._rows, n_rows, y, factor)
        self._show_part(rows, zoomed(self._columns, n_columns, x, factor))

    def set_selected(self, row: int | None, column: int | None) -> None:
        """Outline a cell, and let it be among those that are shown."""
        has_moved = (row, column) != (self._selected or (None, None))
        super().set_selected(row, column)
        if row is not None and column is not None and has_moved and not self.is_whole:
            n_rows, n_columns = self._shape()
            rows = revealing(self._rows, n_rows, row)
            self._show_part(rows, revealing(self._columns, n_columns, column))

    def _shape(self) -> tuple[int, int]:
        if self._matrix is None:
            return 0, 0
        n_rows, n_columns = self._matrix.values.shape
        return n_rows, n_columns

    def _show_part(self, rows: range, columns: range) -> None:
        if (rows, columns) != (self._rows, self._columns):
            self.show_range(rows, columns)
            self.part_changed.emit()

    def _drag_to(self, point: QPointF) -> None:
        """Let the cell that was taken hold of lie under the mouse again."""
        picture = self.picture()
        if picture is None or self._pressed is None:
            return
        cells, way = picture.frame.cells, point - self._pressed
        n_rows, n_columns = self._shape()
        down = self._grabbed[0] - self._rows.start - round(way.y() / cells.cell_height)
        across = (
            self._grabbed[1] - self._columns.start - round(way.x() / cells.cell_width)
        )
        rows = moved(self._rows, n_rows, down)
        self._show_part(rows, moved(self._columns, n_columns, across))

    # Qt's calls.

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the mouse."""
        self._turned += event.angleDelta().y()
        if abs(self._turned) >= LEAST_TURN:
            self.zoom(CLOSER ** (self._turned / NOTCH), event.position())
            self._turned = 0
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell; of a part, only once it is clear that this is no drag."""
        if self.is_whole or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._pressed, self._is_dragging = event.position(), False
        self._grabbed = (self._rows.start, self._columns.start)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while a button holds the map; else tell which cell lies below."""
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        way = (event.position() - self._pressed).manhattanLength()
        if self._is_dragging or way >= QApplication.startDragDistance():
            self._is_dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._drag_to(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag, or choose the cell that was pressed."""
        if self._pressed is not None and event.button() == Qt.MouseButton.LeftButton:
            if not self._is_dragging:
                super().mousePressEvent(event)
            self._pressed, self._is_dragging = None, False
            self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show every cell again."""
        self.show_all()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom by + and −, show all by 0; the arrow keys walk."""
        key = Qt.Key(event.key())
        if key in KEYS:
            self.zoom(KEYS[key])
        elif key == Qt.Key.Key_0:
            self.show_all()
        else:
            super().keyPressEvent(event)
