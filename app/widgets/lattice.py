"""All tokens that fit somewhere in a word, as boxes under its letters; the best path.

Place: the tokens panel, for tokenizers that seek the likeliest cut. In: letters, boxes
over stretches of them, the sum at each border. Out: which box was clicked. A walk from
left to right: what ends behind the present border is not there yet, and faint.
"""

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QLineF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import BASE, CAPTION, LARGE, MEDIUM, REGULAR, mono
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

MARGIN, GAP, RADIUS = 8, 4, 4
PADDING = 5
"""At either side of a label in its box."""
WIDEST_LETTER = 96.0
"""A letter grows to this to make room for the sums under its borders."""


@dataclass(frozen=True, slots=True)
class LatticeBox:
    """A token over the letters `start` to `stop`, the latter not among them."""

    label: str
    start: int
    stop: int
    tip: str
    is_best: bool
    """The best way to where it ends."""
    is_on_path: bool


def lanes_of(boxes: tuple[LatticeBox, ...]) -> tuple[int, ...]:
    """A lane for each box, the shortest at the top, none over another."""
    ends: list[list[LatticeBox]] = []
    lanes = [0] * len(boxes)
    order = sorted(range(len(boxes)), key=lambda i: (_length(boxes[i]), boxes[i].start))
    for place in order:
        box = boxes[place]
        free = (n for n, lane in enumerate(ends) if not _is_taken(lane, box))
        lanes[place] = next(free, len(ends))
        if lanes[place] == len(ends):
            ends.append([])
        ends[lanes[place]].append(box)
    return tuple(lanes)


def _length(box: LatticeBox) -> int:
    return box.stop - box.start


def _is_taken(lane: list[LatticeBox], box: LatticeBox) -> bool:
    return any(
        _length(each) != _length(box)
        or (each.start < box.stop and box.start < each.stop)
        for each in lane
    )


class Lattice(Canvas):
    """The boxes of a word up to a border, from left to right."""

    REVEAL_MARGIN = ceil(WIDEST_LETTER / 2)
    """The sum at the end of a box goes half as far."""

    box_clicked = Signal(int)
    """A box was clicked or entered: the position at which its end is looked at."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No word."""
        super().__init__("Tokens that fit in the word", {**ACROSS, **DOWN}, parent)
        self._letters: tuple[str, ...] = ()
        self._boxes: tuple[LatticeBox, ...] = ()
        self._sums: tuple[str, ...] = ()
        self._lanes: tuple[int, ...] = ()
        self._position = 0
        self._pitch = self._left = 0.0
        self._box_height = line_height(mono(BASE)) + 4

    def show_word(
        self,
        letters: tuple[str, ...],
        boxes: tuple[LatticeBox, ...],
        sums: tuple[str, ...],
    ) -> None:
        """Show another word; `sums` stand under the borders, one more than letters."""
        self._letters, self._boxes, self._sums = letters, boxes, sums
        self._lanes = lanes_of(boxes)
        self._position = 0
        self.refresh()
        self.reveal(0)

    def set_position(self, position: int) -> None:
        """Look at the border behind so many letters; behind the last, at the path."""
        self._position = position
        ends = (i for i, box in enumerate(self._boxes) if box.stop == position + 1)
        self.reveal(next(ends, len(self._boxes) - 1))
        self.viewport().update()

    @property
    def is_at_end(self) -> bool:
        """Whether the whole word has been walked through."""
        return self._position >= len(self._letters)

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a box."""
        return len(self._boxes)

    def item_rect(self, index: int) -> QRectF:
        """The box, under its letters."""
        box = self._boxes[index]
        left, right = self._border(box.start), self._border(box.stop)
        top = self._head_height + self._lanes[index] * (self._box_height + GAP)
        return QRectF(left, top, right - left, self._box_height).adjusted(2, 0, -2, 0)

    def item_text(self, index: int) -> str:
        """The token, its score and the sum over it."""
        return f"{self._boxes[index].label}\n{self._boxes[index].tip}"

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell where the box ends."""
        self.box_clicked.emit(self._boxes[index].stop - 1)

    def arrange(self) -> QSizeF:
        """Letters as wide as the widest box wants; the whole in the middle."""
        seen = self.viewport().width()
        n = max(1, len(self._letters))
        labels = (
            (advance(box.label, mono(BASE)) + 2 * PADDING + 4) / _length(box)
            for box in self._boxes
        )
        sums = (advance(text, mono(CAPTION)) + PADDING for text in self._sums)
        least = max((*labels, *sums, line_height(mono(LARGE))), default=1.0)
        room = (seen - 2 * MARGIN - least) / n
        self._pitch = ceil(max(least, min(WIDEST_LETTER, room)))
        width = self._pitch * n + 2 * MARGIN + least
        self._left = max(0.0, (seen - width) / 2) + MARGIN + least / 2
        n_lanes = max(self._lanes, default=-1) + 1
        lanes = n_lanes * (self._box_height + GAP)
        return QSizeF(width, self._head_height + lanes + MARGIN)

    def _border(self, place: int) -> float:
        return self._left + place * self._pitch

    @property
    def _head_height(self) -> float:
        letters, sums = line_height(mono(LARGE)), line_height(mono(CAPTION))
        return MARGIN + letters + GAP + sums + 2 * GAP

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The letters and sums, the present border, and the boxes in sight."""
        self._paint_border(painter, visible)
        self._paint_head(painter)
        for index in range(len(self._boxes)):
            if self.item_rect(index).intersects(visible):
                self._paint_box(painter, index)

    def _paint_border(self, painter: QPainter, visible: QRectF) -> None:
        """A line at the border that the walk has come to."""
        stop = min(self._position + 1, len(self._letters))
        painter.setPen(QPen(theme().colour("accent"), 1, Qt.PenStyle.DotLine))
        x = self._border(stop)
        if not self.is_at_end:
            top = self._head_height - GAP
            painter.drawLine(QLineF(x, top, x, max(visible.bottom(), top)))

    def _paint_head(self, painter: QPainter) -> None:
        height = line_height(mono(LARGE))
        below = MARGIN + height + GAP
        for place, letter in enumerate(self._letters):
            box = QRectF(self._border(place), MARGIN, self._pitch, height)
            is_reached = place <= self._position
            painter.setFont(mono(LARGE, MEDIUM if place == self._position else REGULAR))
            painter.setPen(self._ink("text" if is_reached else "faint"))
            draw_label(painter, box, letter, Align.AlignHCenter)
        painter.setFont(mono(CAPTION))
        for place, text in enumerate(self._sums):
            if place > self._position + 1:
                break
            x = self._border(place) - self._pitch / 2
            box = QRectF(x, below, self._pitch, line_height(mono(CAPTION)))
            is_present = place == self._position + 1
            painter.setPen(self._ink("accent" if is_present else "muted"))
            draw_label(painter, box, text, Align.AlignHCenter)

    def _ink(self, name: str) -> str:
        colour: str = theme().ink_on(name, "surface")
        return colour

    def _paint_box(self, painter: QPainter, index: int) -> None:
        box, rect = self._boxes[index], self.item_rect(index)
        is_present = box.stop == self._position + 1
        is_there = box.stop <= self._position + 1
        is_lit = box.is_on_path if self.is_at_end else is_present and box.is_best
        ground = "accent_soft" if is_lit else "surface"
        if index == self.hover_index and not is_lit:
            ground = "sunken"
        edge = "accent" if is_lit or (is_present and not self.is_at_end) else "line"
        painter.setPen(QPen(theme().colour(edge), 1))
        painter.setBrush(theme().colour(ground))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        ink = "accent" if is_lit else "text" if is_present else "muted"
        is_faint = not is_there or (self.is_at_end and not is_lit)
        painter.setFont(mono(BASE, MEDIUM if is_lit else REGULAR))
        painter.setPen(
            theme().colour("faint") if is_faint else theme().ink_on(ink, ground)
        )
        draw_label(painter, rect.adjusted(0, 0, 1, 0), box.label, Align.AlignHCenter)
