"""A row of numbered switches, each in its own colour of the sequence.

Place: above pictures that show several heads at once. In: how many there are and which
are on. Out: which one was clicked. They go on in further lines where they are many.
"""

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import MEDIUM, REGULAR, SMALL, mono
from app.style.sequence import sequence_colour
from app.style.theme import theme
from app.widgets.canvas import ACROSS, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.qt_calls import tells_faults

GAP, PADDING, RADIUS = 4, 5, 5
SWATCH = 8
MARGIN = 1
MOST_LINES = 3
"""More lines of chips scroll."""


@tells_faults
class HeadChips(Canvas):
    """Items are heads, numbered from 1."""

    head_clicked = Signal(int)
    """The reader wants this head on or off."""

    def __init__(self, *, is_coloured: bool, parent: QWidget | None = None) -> None:
        """No heads; without colour those that are on wear the accent."""
        super().__init__("heads", ACROSS, parent)
        self._n = 0
        self._on: frozenset[int] = frozenset()
        self._is_coloured = is_coloured
        self._layer = 0
        self._notes: tuple[str, ...] = ()
        self._width = 1.0
        self._n_across = 1
        self._height = line_height(mono(SMALL)) + 8
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_heads(
        self, n: int, on: frozenset[int], layer: int, notes: tuple[str, ...] = ()
    ) -> None:
        """Show `n` heads of a layer, those `on` lit; a note may say more of each."""
        self._notes = notes
        if (n, on, layer) != (self._n, self._on, self._layer):
            self._n, self._on, self._layer = n, on, layer
            self.refresh()

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a head."""
        return self._n

    def item_rect(self, index: int) -> QRectF:
        """A chip's box; all are equally wide."""
        row, column = divmod(index, self._n_across)
        step = QSizeF(self._width + GAP, self._height + GAP)
        left, top = MARGIN + column * step.width(), MARGIN + row * step.height()
        return QRectF(left, top, self._width, self._height)

    def item_at(self, point: QPointF) -> int:
        """The chip at a point, by its place in the grid."""
        column = int((point.x() - MARGIN) // (self._width + GAP))
        row = int((point.y() - MARGIN) // (self._height + GAP))
        index = row * self._n_across + column
        is_chip = 0 <= column < self._n_across and 0 <= index < self._n
        return index if is_chip and self.item_rect(index).contains(point) else NOTHING

    def item_text(self, index: int) -> str:
        """The head, and whether it is shown."""
        state = "shown" if index in self._on else "not shown"
        facts = f"layer {self._layer + 1} · head {index + 1}", state
        return "\n".join((*facts, *self._notes[index : index + 1]))

    def arrange(self) -> QSizeF:
        """As many chips a line as have room."""
        width = self.viewport().width()
        swatch = SWATCH + GAP if self._is_coloured else 0
        number = advance("0" * max(2, len(str(self._n))), mono(SMALL, MEDIUM))
        self._width = round(2 * PADDING + swatch + number + 1)
        room = width - 2 * MARGIN + GAP
        self._n_across = max(1, int(room // (self._width + GAP)))
        n_lines = -(-self._n // self._n_across)
        return QSizeF(width, n_lines * (self._height + GAP) - GAP + 2 * MARGIN)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which head, whichever button or key was used."""
        self.head_clicked.emit(index)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The chips in sight."""
        for index in range(self._n):
            if self.item_rect(index).intersects(visible):
                self._paint_chip(painter, index)

    def _paint_chip(self, painter: QPainter, index: int) -> None:
        is_on, box = index in self._on, self.item_rect(index)
        colour = self._colour(index)
        ground = "sunken" if index == self.hover_index else "surface"
        if is_on and not self._is_coloured:
            ground = "accent_soft"
        painter.setBrush(theme().colour(ground))
        painter.setPen(QPen(colour if is_on else theme().colour("line"), 1))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        left = box.left() + PADDING
        if self._is_coloured:
            top = box.center().y() - SWATCH / 2
            painter.setBrush(colour if is_on else Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour, 1.5))
            painter.drawEllipse(QRectF(left, top, SWATCH, SWATCH))
            left += SWATCH + GAP
        painter.setFont(mono(SMALL, MEDIUM if is_on else REGULAR))
        ink = "text" if is_on else "muted"
        painter.setPen(QColor(theme().ink_on(ink, ground)))
        number = QRectF(left, box.top(), box.right() - PADDING + 1 - left, box.height())
        draw_label(painter, number, str(index + 1), Align.AlignHCenter)

    def _colour(self, index: int) -> QColor:
        return sequence_colour(index) if self._is_coloured else theme().colour("accent")

    # Qt's own.

    def sizeHint(self) -> QSize:
        """All lines of chips, up to a few."""
        line = self._height + GAP
        n_lines = -(-max(1, self._n) // self._n_across)
        height = min(MOST_LINES, n_lines) * line - GAP + 2 * MARGIN
        return QSize(0, round(height))

    def minimumSizeHint(self) -> QSize:
        """As high as its lines."""
        return QSize(120, self.sizeHint().height())
