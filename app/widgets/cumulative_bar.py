"""The cumulative bar: probabilities laid end to end, and the draw that points into it.

Place: the output panel, under the bars. In: the kept probabilities in the order in
which they are laid, and the draw u. Out: which segment was clicked.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.contrast import mix
from app.style.fonts import SMALL, mono
from app.style.ramp import text_on
from app.style.theme import theme
from app.widgets.canvas import ACROSS, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

BAR_HEIGHT = 24
PIN = 5
"""Half the width of the draw's arrowhead, and its height."""
LABEL_MARGIN = 5
SHADES = (0.25, 0.5)
"""How much of the surface is mixed into every other segment, to tell neighbours."""
TICKS = ((0.0, "0"), (0.5, "0.5"), (1.0, "1"))


@dataclass(frozen=True, slots=True)
class Segment:
    """One token's part of the bar."""

    label: str
    share: float
    """Its probability among those kept, 0 to 1."""
    note: str = ""
    """What the tooltip adds."""


def segment_at(shares: tuple[float, ...], draw: float) -> int:
    """The segment into which `draw` falls: the first whose running sum exceeds it.

    -1 where the shares end before the draw.
    """
    index = bisect_right(list(accumulate(shares)), draw)
    return index if index < len(shares) else NOTHING


class CumulativeBar(Canvas):
    """A bar from 0 to 1, stacked from probabilities, with the draw as a point."""

    segment_clicked = Signal(int)
    """A segment was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty bar."""
        super().__init__("Cumulative probability and the draw", ACROSS, parent)
        self._segments: tuple[Segment, ...] = ()
        self._edges: list[float] = [0.0]
        self._draw: float | None = None
        self._line = line_height(mono(SMALL))
        self.setFixedHeight(round(2 * self._line + PIN + BAR_HEIGHT + 8))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for set_policy in (
            self.setHorizontalScrollBarPolicy,
            self.setVerticalScrollBarPolicy,
        ):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_segments(self, segments: tuple[Segment, ...], draw: float | None) -> None:
        """Lay other probabilities end to end; `draw` is from 0 to 1, None before it.

        What the shares leave of 1 is shown as an empty rest.
        """
        self._segments, self._draw = segments, draw
        shares = (segment.share for segment in segments)
        self._edges = list(accumulate(shares, initial=0.0))
        self.refresh()

    @property
    def drawn_index(self) -> int:
        """The segment the draw falls into, or NOTHING."""
        if self._draw is None:
            return NOTHING
        return segment_at(tuple(each.share for each in self._segments), self._draw)

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a segment."""
        return len(self._segments)

    def item_rect(self, index: int) -> QRectF:
        """The segment's part of the bar."""
        left, right = self._x(self._edges[index]), self._x(self._edges[index + 1])
        return QRectF(left, self._bar_top, right - left, BAR_HEIGHT)

    def item_text(self, index: int) -> str:
        """The token, its share and from where to where it reaches."""
        segment, start, end = self._segments[index], *self._edges[index : index + 2]
        lines = [segment.label, f"{segment.share:.4f}, from {start:.4f} to {end:.4f}"]
        lines += ["the draw falls here"] if index == self.drawn_index else []
        return "\n".join([*lines, segment.note] if segment.note else lines)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which segment."""
        self.segment_clicked.emit(index)

    def arrange(self) -> QSizeF:
        """All of it is always seen."""
        return QSizeF(self.viewport().size())

    @property
    def _bar_top(self) -> float:
        return self._line + PIN + 4

    def _x(self, share: float) -> float:
        return 1 + share * (self.viewport().width() - 2)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The rest, the segments, the scale below and the draw above."""
        whole = QRectF(self._x(0), self._bar_top, self._x(1) - self._x(0), BAR_HEIGHT)
        painter.setPen(QPen(theme().colour("line"), 1))
        painter.setBrush(theme().colour("sunken"))
        painter.drawRect(whole)
        painter.setFont(mono(SMALL))
        for index in range(len(self._segments)):
            self._paint_segment(painter, index)
        self._paint_ticks(painter)
        if self._draw is not None:
            self._paint_draw(painter, self._draw)

    def _paint_segment(self, painter: QPainter, index: int) -> None:
        box, label = self.item_rect(index), self._segments[index].label
        if index == self.drawn_index:  # its label stands above, beside the draw
            painter.fillRect(box, theme().colour("checked"))
            return
        fill = mix(theme().accent, theme().surface, SHADES[index % 2])
        painter.fillRect(box, QColor(fill))
        inner = box.adjusted(LABEL_MARGIN, 0, -LABEL_MARGIN, 0)
        if advance(label, painter.font()) <= inner.width():
            painter.setPen(QColor(text_on(fill)))
            draw_label(painter, inner, label, Align.AlignHCenter)

    def _paint_ticks(self, painter: QPainter) -> None:
        painter.setPen(theme().ink("muted"))
        top, width = self._bar_top + BAR_HEIGHT + 3, self._line * 3
        for share, words in TICKS:
            # From left-aligned at 0 to right-aligned at 1, so that none is cut.
            box = QRectF(self._x(share) - share * width, top, width, self._line)
            align = {0.0: Align.AlignLeft, 1.0: Align.AlignRight}
            draw_label(painter, box, words, align.get(share, Align.AlignHCenter))

    def _paint_draw(self, painter: QPainter, draw: float) -> None:
        x, top = self._x(draw), self._bar_top
        painter.setPen(QPen(theme().colour("text"), 1.5))
        painter.drawLine(QLineF(x, top - 2, x, top + BAR_HEIGHT + 2))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("text"))
        corners = ((x - PIN, top - 2 - PIN), (x + PIN, top - 2 - PIN), (x, top - 1))
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        index = self.drawn_index
        place = "the rest" if index == NOTHING else self._segments[index].label
        words = f"u = {draw:.4f} → {place}"
        width = min(advance(words, painter.font()) + 1, self.viewport().width())
        left = min(max(0.0, x - width / 2), self.viewport().width() - width)
        painter.setPen(theme().ink("text"))
        draw_label(painter, QRectF(left, 0, width, self._line), words, Align.AlignLeft)
