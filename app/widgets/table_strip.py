"""A tall table as a slim strip, and lines from the rows in use to where they are shown.

Place: the embedding table beside the sentence's rows. In: the table (reduced or whole),
which of its rows are in use, and where each of them is drawn. Out: which cell of the
strip was clicked.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.style.fonts import SMALL, mono
from app.style.maps import palette
from app.style.theme import theme
from app.widgets.cell_image import cell_image
from app.widgets.label import Align, advance, as_tip, draw_label, line_height
from app.widgets.qt_calls import tells_faults
from core.trace.matrix import Matrix
from core.trace.reduce import block_size, reduce_by_maximum, strongest_in

STRIP_WIDTH, LINES_WIDTH = 52, 46
"""The strip, and the room for the lines at its right."""
DOT_ROWS, DOT_COLUMNS = 2, 4
"""A dot of the strip is so many pixels high and wide."""
TICK = 4
MANY_LINES = 48
"""More rows in use than this are marked on the strip, but only the chosen one led."""


@tells_faults
class TableStrip(QWidget):
    """The whole table at a glance."""

    cell_clicked = Signal(int, int)
    """The strongest number of the dot at (row, column) of the table was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No table."""
        super().__init__(parent)
        self._matrix: Matrix | None = None
        self._n_rows = 0
        self._rows_per_band = 1
        self._used: tuple[int, ...] = ()
        self._chosen: int | None = None
        self._place_of: Callable[[int], float | None] = lambda _: None
        self._image: QImage | None = None
        self._look: tuple[str, str] | None = None
        self._blocks = (1, 1)
        self.setFixedWidth(STRIP_WIDTH + LINES_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("The whole table, reduced")

    def show_table(self, matrix: Matrix, n_rows: int, rows_per_band: int = 1) -> None:
        """Show a table of `n_rows`, of which `matrix` holds bands of some rows each."""
        if matrix is not self._matrix:
            self._matrix, self._n_rows = matrix, n_rows
            self._rows_per_band = rows_per_band
            self._image = None
            self.update()

    def show_used(self, rows: tuple[int, ...], chosen: int | None) -> None:
        """Mark these rows of the table; `chosen` is one of their places in the list."""
        self._used, self._chosen = rows, chosen
        self.update()

    def lead_to(self, place_of: Callable[[int], float | None]) -> None:
        """Let `place_of(place in the list)` say at which y of this widget a line ends.

        Asked while painting; None draws no line.
        """
        self._place_of = place_of

    # Where things lie.

    @property
    def _strip(self) -> QRectF:
        line = line_height(mono(SMALL))
        return QRectF(0.5, line, STRIP_WIDTH, max(1.0, self.height() - 2 * line))

    def row_middle(self, row: int) -> float:
        """The y of a row of the table on the strip."""
        strip = self._strip
        return strip.top() + (row + 0.5) / max(1, self._n_rows) * strip.height()

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """The strongest number of the dot under a point, as (band, column)."""
        strip, image = self._strip, self._image
        if self._matrix is None or image is None or not strip.contains(point):
            return None
        size = self._matrix.values.shape
        dots = image.height(), image.width()
        shares = (
            (point.y() - strip.top()) / strip.height(),
            (point.x() - strip.left()) / strip.width(),
        )
        parts = []
        for share, n_dots, block, n in zip(
            shares, dots, self._blocks, size, strict=True
        ):
            first = min(n_dots - 1, int(share * n_dots)) * block
            parts.append(range(first, min(n, first + block)))
        return strongest_in(self._matrix.values, *parts)

    # Ink.

    def _renew_image(self) -> None:
        look = (theme().name, palette())
        if self._matrix is None or (self._image is not None and look == self._look):
            return
        self._look = look
        values, strip = self._matrix.values, self._strip
        ratio = self.devicePixelRatioF()
        self._blocks = (
            block_size(values.shape[0], strip.height() * ratio / DOT_ROWS),
            block_size(values.shape[1], strip.width() * ratio / DOT_COLUMNS),
        )
        reduced = reduce_by_maximum(values, *self._blocks)
        self._image = cell_image(reduced, self._matrix.scale, self._matrix.colour)

    def _paint_strip(self, painter: QPainter) -> None:
        strip = self._strip
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        if self._image is not None:
            painter.drawImage(strip, self._image, QRectF(self._image.rect()))
        painter.setPen(QPen(theme().colour("line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(strip)
        painter.setFont(mono(SMALL))
        painter.setPen(theme().ink("muted"))
        line = line_height(mono(SMALL))
        for number, top in ((0, 0.0), (self._n_rows - 1, self.height() - line)):
            width = max(strip.width(), advance(str(number), mono(SMALL))) + 1
            draw_label(
                painter, QRectF(0, top, width, line), str(number), Align.AlignHCenter
            )

    def _paint_lines(self, painter: QPainter) -> None:
        """All rows in use, then the chosen one over them."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        others = [place for place in range(len(self._used)) if place != self._chosen]
        painter.setPen(QPen(theme().colour("faint"), 1))
        painter.drawLines([self._tick(place) for place in others])
        if len(self._used) <= MANY_LINES:
            for place in others:
                self._paint_lead(painter, place)
        if self._chosen is not None:
            painter.setPen(QPen(theme().colour("query"), 2))
            painter.drawLine(self._tick(self._chosen))
            painter.setPen(QPen(theme().colour("query"), 1.5))
            self._paint_lead(painter, self._chosen)

    def _tick(self, place: int) -> QLineF:
        """A mark across the strip's edge."""
        edge, y = self._strip.right(), self.row_middle(self._used[place])
        return QLineF(edge - TICK, y, edge + TICK, y)

    def _paint_lead(self, painter: QPainter, place: int) -> None:
        """A line from the mark to where the row is drawn."""
        start, end = self._tick(place).p2(), self._place_of(place)
        if end is None:
            return
        right = float(self.width())
        middle = (start.x() + right) / 2
        path = QPainterPath(start)
        path.cubicTo(
            QPointF(middle, start.y()), QPointF(middle, end), QPointF(right, end)
        )
        painter.drawPath(path)

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Tall."""
        return QSize(STRIP_WIDTH + LINES_WIDTH, 320)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the strip and its lines."""
        if self._matrix is None:
            return
        self._renew_image()
        with QPainter(self) as painter:
            self._paint_strip(painter)
            self._paint_lines(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Reduce the table to the new height."""
        self._image = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the strongest number under the mouse."""
        found = self.cell_at(event.position())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self.cell_clicked.emit(*found)

    def event(self, event: QEvent) -> bool:
        """Say which rows lie under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self.cell_at(QPointF(event.pos()))
            tip = "" if found is None else self._tip(*found)
            QToolTip.showText(event.globalPos(), as_tip(tip), self)
            return True
        return super().event(event)

    def _tip(self, band: int, column: int) -> str:
        assert self._matrix is not None
        block = self._blocks[0]
        first = band - band % block
        last = min(self._n_rows, (first + block) * self._rows_per_band) - 1
        value = float(self._matrix.values[band, column])
        return (
            f"rows {first * self._rows_per_band} to {last}\n"
            f"the largest here: feature {column + 1}, {value:.4g}"
        )
