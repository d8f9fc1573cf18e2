"""The trail as crumbs on one line: "pattern 0.144 ← masked −3.18 ← q 0.52".

Place: in the inspector, above the number. In: crumbs. Out: which one was clicked. The
present number stands last. Where room is short, the crumbs between lose their numbers,
then the middle leaves.
"""

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import CAPTION, MEDIUM, REGULAR, mono
from app.style.theme import theme
from app.widgets.canvas import ACROSS, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label
from app.widgets.qt_calls import tells_faults
from core.trace.views.crumbs import Crumb

HEIGHT = 20
ARROW, DOTS = " ← ", "…"
UNDERLINE = 5
"""How far above the line's foot the underline of a crumb runs."""


def shown_crumbs(widths: Sequence[float], room: float, arrow: float) -> list[int]:
    """Which crumbs have room: the first, and of the last as many as fit.

    Where some are left out, dots stand for them, no wider than an arrow.
    """
    last = len(widths) - 1
    if sum(widths) + arrow * last <= room or last < 1:
        return list(range(last + 1))
    shown = [last]
    left = room - widths[last] - widths[0] - 3 * arrow
    for place in range(last - 1, 0, -1):
        left -= widths[place] + arrow
        if left < 0:
            break
        shown.insert(0, place)
    return [0, *shown]


@tells_faults
class TrailLine(Canvas):
    """Crumbs side by side; all but the present one are links."""

    crumb_clicked = Signal(int)
    """The reader wants to return to this crumb; counted along the whole trail."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No trail yet."""
        super().__init__("Where you came from", ACROSS, parent)
        self.setObjectName("inspector.trail")
        self._crumbs: tuple[Crumb, ...] = ()
        self._texts: list[str] = []
        self._shown: list[int] = []
        self._boxes: list[QRectF] = []
        self._dots: QRectF | None = None
        for bar in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(HEIGHT)

    def show_crumbs(self, crumbs: Sequence[Crumb]) -> None:
        """Show another trail; hidden where there is but one place on it."""
        self._crumbs = tuple(crumbs)
        self.setVisible(len(self._crumbs) > 1)
        self.refresh()

    @property
    def text(self) -> str:
        """The whole trail in words."""
        return ARROW.join(map(_words, self._crumbs))

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a crumb that has room."""
        return len(self._shown)

    def item_rect(self, index: int) -> QRectF:
        """The crumb's box."""
        return self._boxes[index]

    def item_text(self, index: int) -> str:
        """Where its number stands."""
        return self._crumbs[self._shown[index]].tip

    def activate(self, index: int, is_secondary: bool) -> None:
        """Return to the crumb."""
        if self._shown[index] < len(self._crumbs) - 1:
            self.crumb_clicked.emit(self._shown[index])

    def arrange(self) -> QSizeF:
        """Put the crumbs that have room side by side."""
        room = float(self.viewport().width())
        arrow = advance(ARROW, mono(CAPTION))
        self._texts = texts_of(self._crumbs, room)
        widths = [_width(text) for text in self._texts]
        self._shown = shown_crumbs(widths, room, arrow)
        self._boxes, self._dots = [], None
        left, before = 0.0, -1
        for place in self._shown:
            if place != before + 1:
                self._dots = QRectF(left, 0, advance(DOTS, mono(CAPTION)) + 1, HEIGHT)
                left = self._dots.right() + arrow
            width = min(widths[place], max(0.0, room - left))
            self._boxes.append(QRectF(left, 0, width, HEIGHT))
            left += width + arrow
            before = place
        return QSizeF(room, HEIGHT)

    # Ink.

    def paint_empty(self, painter: QPainter) -> None:
        """Nothing was followed, nothing is said."""

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The crumbs, and an arrow before each but the first."""
        for index, box in enumerate(self._boxes):
            if index:
                self._paint_arrow(painter, box)
            self._paint_crumb(painter, index, box)
        if self._dots is not None:
            self._paint_arrow(painter, self._dots)
            draw_label(painter, self._dots, DOTS, Align.AlignLeft)

    def _paint_arrow(self, painter: QPainter, box: QRectF) -> None:
        painter.setFont(mono(CAPTION))
        painter.setPen(theme().ink("muted"))
        width = advance(ARROW, mono(CAPTION))
        before = QRectF(box.left() - width, 0, width, HEIGHT)
        painter.drawText(before, Align.AlignCenter, ARROW.strip())

    def _paint_crumb(self, painter: QPainter, index: int, box: QRectF) -> None:
        place = self._shown[index]
        crumb, is_last = self._crumbs[place], place == len(self._crumbs) - 1
        painter.setFont(mono(CAPTION, MEDIUM if is_last else REGULAR))
        painter.setPen(theme().ink(crumb.role))
        draw_label(painter, box, self._texts[place], Align.AlignLeft)
        if index == self.hover_index and not is_last:
            foot = HEIGHT - UNDERLINE + 0.5
            painter.setPen(QPen(theme().ink(crumb.role), 1))
            painter.drawLine(QLineF(box.left(), foot, box.right(), foot))

    def _hover_at(self, index: int) -> None:
        super()._hover_at(index)
        is_link = index != NOTHING and self._shown[index] < len(self._crumbs) - 1
        cursor = Qt.CursorShape
        shape = cursor.PointingHandCursor if is_link else cursor.ArrowCursor
        self.viewport().setCursor(shape)

    def minimumSizeHint(self) -> QSize:
        """One line, as narrow as comes."""
        return QSize(0, HEIGHT)


def texts_of(crumbs: Sequence[Crumb], room: float) -> list[str]:
    """What the crumbs say: all their numbers, or only those at the two ends."""
    whole = list(map(_words, crumbs))
    arrows = advance(ARROW, mono(CAPTION)) * (len(crumbs) - 1)
    if sum(map(_width, whole)) + arrows <= room:
        return whole
    between = [crumb.name for crumb in crumbs[1:-1]]
    return [*whole[:1], *between, *whole[-1:]] if len(whole) > 1 else whole


def _words(crumb: Crumb) -> str:
    return f"{crumb.name} {crumb.number}".rstrip()


def _width(text: str) -> float:
    """Measured in the stronger weight, so that the last one fits, too."""
    return advance(text, mono(CAPTION, MEDIUM)) + 1
