"""A histogram: how often values fall where, and the few values that matter marked.

Place: the output panel, over all logits of a row. In: edges, counts, marks. Nothing is
rounded away: a bin with one value is still a visible line, and its tip says the count.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.contrast import mix
from app.style.fonts import CAPTION, SMALL, mono
from app.style.theme import theme
from app.widgets.canvas import ACROSS, Canvas
from app.widgets.chart_scale import Span, tick_texts, ticks
from app.widgets.label import Align, advance, draw_label, line_height

GAP, MARGIN = 6.0, 8.0
TICK_ROOM = (70, 44)
"""About one tick every so many pixels, along x and along y."""
LEAST_HEIGHT = 2.0
"""Of a bin that holds anything, in pixels."""
QUIET = 0.45
"""How much of the surface is mixed into the bars, so that the marks stand out."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One value that stands out, with words above its line."""

    value: float
    label: str
    role: str = "accent"
    """The theme colour it wears."""


class Histogram(Canvas):
    """Counts as upright bars over an axis of values; the arrows walk along the bins."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the chart."""
        super().__init__(name, ACROSS, parent)
        self._edges: NDArray[np.float64] = np.zeros(1)
        self._counts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._marks: tuple[Mark, ...] = ()
        self._what = ""
        self._ground = QRectF()
        for set_policy in (
            self.setHorizontalScrollBarPolicy,
            self.setVerticalScrollBarPolicy,
        ):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_counts(
        self,
        edges: NDArray[np.float64],
        counts: NDArray[np.int64],
        marks: tuple[Mark, ...],
        what: str = "values",
    ) -> None:
        """Show other counts [n_bins] between edges [n_bins + 1]; `what` is counted."""
        self._edges, self._counts, self._marks = edges, counts, marks
        self._what = what
        self.refresh()

    def clear(self) -> None:
        """Show no bars, only the message."""
        self._counts = self._counts[:0]
        self.refresh()

    # Where things are.

    @property
    def _span(self) -> Span:
        return Span(float(self._edges[0]), float(self._edges[-1]))

    @property
    def _most(self) -> int:
        return int(self._counts.max())

    def _x(self, value: float) -> float:
        return self._ground.left() + self._span.share(value) * self._ground.width()

    def _height(self, count: float) -> float:
        return self._ground.height() * count / self._most

    def item_count(self) -> int:
        """One item a bin."""
        return len(self._counts)

    def item_rect(self, index: int) -> QRectF:
        """The whole column of the bin."""
        left, right = (self._x(float(edge)) for edge in self._edges[index : index + 2])
        return QRectF(left, self._ground.top(), right - left, self._ground.height())

    def item_text(self, index: int) -> str:
        """From where to where, and how many."""
        low, high = tick_texts(tuple(map(float, self._edges[index : index + 2])))
        return f"{low} to {high}\n{self._what}: {self._counts[index]:,}"

    def arrange(self) -> QSizeF:
        """Marks above, the axis below, the counts at the left."""
        size = QSizeF(self.viewport().size())
        if not self.item_count():
            return size
        left = advance(f"{self._most:,}", mono(CAPTION)) + GAP
        lines = len(self._marks) * line_height(mono(SMALL)) + GAP
        bottom = size.height() - line_height(mono(CAPTION)) - GAP
        width = size.width() - left - MARGIN
        height = max(1.0, bottom - lines)
        self._ground = QRectF(left, lines, max(1.0, width), height)
        return size

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """Axes, bars, then the marks with their words."""
        self._paint_axes(painter)
        self._paint_bars(painter)
        for place, mark in enumerate(self._marks):
            self._paint_mark(painter, place, mark)

    def _paint_axes(self, painter: QPainter) -> None:
        ground, line = self._ground, line_height(mono(CAPTION))
        painter.setFont(mono(CAPTION))
        n_ticks = max(1, int(ground.height() // TICK_ROOM[1]))
        for count in ticks(Span(0, self._most), n_ticks):
            if count != int(count):
                continue
            y = round(ground.bottom() - self._height(count)) + 0.5
            painter.setPen(QPen(theme().colour("line"), 1))
            painter.drawLine(QLineF(ground.left(), y, ground.right(), y))
            painter.setPen(theme().ink("muted"))
            box = QRectF(0, y - line / 2, ground.left() - GAP, line)
            draw_label(painter, box, f"{int(count):,}", Align.AlignRight)
        values = ticks(self._span, max(1, int(ground.width() // TICK_ROOM[0])))
        for value, text in zip(values, tick_texts(values), strict=True):
            half = TICK_ROOM[0] / 2
            box = QRectF(self._x(value) - half, ground.bottom() + GAP, 2 * half, line)
            draw_label(painter, box, text, Align.AlignHCenter)

    def _paint_bars(self, painter: QPainter) -> None:
        quiet = QColor(mix(theme().accent, theme().surface, QUIET))
        for index in np.flatnonzero(self._counts).tolist():
            column = self.item_rect(index)
            height = max(LEAST_HEIGHT, self._height(int(self._counts[index])))
            is_hovered = index == self.hover_index
            fill = theme().colour("accent") if is_hovered else quiet
            width = max(1.0, column.width() - 1)
            painter.fillRect(
                QRectF(column.left(), column.bottom() - height, width, height), fill
            )

    def _paint_mark(self, painter: QPainter, place: int, mark: Mark) -> None:
        line, x = line_height(mono(SMALL)), self._x(mark.value)
        top = place * line
        painter.setPen(QPen(theme().colour(mark.role), 1.5))
        painter.drawLine(QLineF(x, top + line, x, self._ground.bottom()))
        painter.setFont(mono(SMALL))
        painter.setPen(theme().ink(mark.role))
        width = min(advance(mark.label, mono(SMALL)) + 1, float(self.width()))
        left = min(max(0.0, x - width / 2), self.viewport().width() - width)
        draw_label(painter, QRectF(left, top, width, line), mark.label, Align.AlignLeft)
