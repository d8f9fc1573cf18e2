"""Numbers that become one another, from left to right, the operation between them.

Place: how a score of attention becomes a share. In: links with ready texts. Out: which
number was clicked.
"""

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import LARGE, MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.canvas import ACROSS, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

PADDING, RADIUS = 7.0, 4.0
LEAST_ARROW, MOST_ARROW = 22.0, 90.0
"""Between two numbers: the arrow and what stands over it."""
ARROW_TIP = 4.0
SIGN_ROOM = 4.0


@dataclass(frozen=True, slots=True)
class Link:
    """One number of the chain."""

    sign: str
    """What was done to the number before it; "" for the first."""
    head: str
    """Over the number."""
    number: str
    note: str = ""
    """Under the number."""
    role: str = "text"
    """The theme colour of the number."""


class Chain(Canvas):
    """A row of numbers with arrows; where room lacks, notes are cut with "…"."""

    link_clicked = Signal(int)
    """A number was clicked or entered."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the chain."""
        super().__init__(name, ACROSS, parent)
        self._links: tuple[Link, ...] = ()
        self._selected: int | None = None
        self._boxes: list[QRectF] = []
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(round(self._height))

    def show_links(self, links: tuple[Link, ...]) -> None:
        """Show other numbers."""
        self._links = links
        self.refresh()

    def set_selected(self, link: int | None) -> None:
        """Light one number; None lights none."""
        self._selected = link
        self.viewport().update()

    @property
    def links(self) -> tuple[Link, ...]:
        """What is shown."""
        return self._links

    # The canvas's questions.

    @property
    def _height(self) -> float:
        return 2 * line_height(sans(SMALL)) + line_height(mono(LARGE)) + 2 * PADDING

    def item_count(self) -> int:
        """One item a number."""
        return len(self._links)

    def item_rect(self, index: int) -> QRectF:
        """The number with what stands over and under it."""
        return self._boxes[index]

    def item_text(self, index: int) -> str:
        """What was done, and what came of it."""
        link = self._links[index]
        return "\n".join(t for t in (link.sign, link.head, link.number, link.note) if t)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which number."""
        self.link_clicked.emit(index)

    def arrange(self) -> QSizeF:
        """Give every number its width, and the arrows what is left over."""
        room = float(self.viewport().width())
        arrows = [_arrow(link.sign) for link in self._links[1:]]
        wanted = [_width(link, with_note=True) for link in self._links]
        least = [_width(link, with_note=False) for link in self._links]
        spare = room - sum(least) - sum(arrows)
        lack = sum(wanted) - sum(least)
        share = min(1.0, max(0.0, spare / lack)) if lack > 0 else 0.0
        widths = [a + share * (b - a) for a, b in zip(least, wanted, strict=True)]
        spare = max(0.0, room - sum(widths) - sum(arrows)) / max(1, len(arrows))
        grown = [max(arrow, min(MOST_ARROW, arrow + spare)) for arrow in arrows]
        left, self._boxes = 0.0, []
        for width, arrow in zip(widths, [*grown, 0.0], strict=False):
            self._boxes.append(QRectF(left, 0, width, self._height))
            left += width + arrow
        return QSizeF(max(room, left), self._height)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The numbers, and the arrows that lead to them."""
        for index, link in enumerate(self._links):
            self._paint_link(painter, index, link)
            if index:
                self._paint_arrow(painter, index, link.sign)

    def _paint_link(self, painter: QPainter, index: int, link: Link) -> None:
        box, is_chosen = self._boxes[index], index == self._selected
        is_lit = is_chosen or index == self.hover_index
        ground = "query_soft" if is_chosen else "sunken" if is_lit else "surface"
        if is_lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().colour(ground))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        inside = box.adjusted(PADDING, PADDING, -PADDING + 1, -PADDING)
        small, large = line_height(sans(SMALL)), line_height(mono(LARGE))
        lines = (
            (link.head, sans(SMALL), "muted", 0.0, small),
            (
                link.number,
                mono(LARGE, MEDIUM if is_chosen else REGULAR),
                link.role,
                small,
                large,
            ),
            (link.note, sans(SMALL), "muted", small + large, small),
        )
        for text, font, ink, top, height in lines:
            painter.setFont(font)
            painter.setPen(QColor(theme().ink_on(ink, ground)))
            line = QRectF(inside.left(), inside.top() + top, inside.width(), height)
            draw_label(painter, line, text, Align.AlignLeft)

    def _paint_arrow(self, painter: QPainter, index: int, sign: str) -> None:
        start, end = self._boxes[index - 1].right(), self._boxes[index].left()
        small = line_height(sans(SMALL))
        y = round(PADDING + small + line_height(mono(LARGE)) / 2) + 0.5
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("text"))
        label = QRectF(start, y - small - 2, end - start, small)
        draw_label(painter, label, sign, Align.AlignHCenter)
        painter.setPen(QPen(theme().colour("faint"), 1))
        painter.drawLine(QLineF(start + 2, y, end - 2, y))
        tip = QPointF(end - 2, y)
        for side in (-ARROW_TIP, ARROW_TIP):
            painter.drawLine(tip, tip + QPointF(-ARROW_TIP, side))


def _arrow(sign: str) -> float:
    """The least length of an arrow: its sign stands over it."""
    return max(LEAST_ARROW, advance(sign, sans(SMALL)) + SIGN_ROOM)


def _width(link: Link, *, with_note: bool) -> float:
    texts = [advance(link.head, sans(SMALL)), advance(link.number, mono(LARGE, MEDIUM))]
    if with_note:
        texts.append(advance(link.note, sans(SMALL)))
    return max(texts) + 2 * PADDING
