"""A running text whose tokens are shaded by a number each.

Place: the text picture of the attention panel. In: tokens, and for one of them, the
focus, a number for every other. Out: which token is pointed at, and which was clicked.
The strongest numbers stand below their tokens.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import CAPTION, LARGE, TITLE, mono
from app.style.maps import map_colours
from app.style.ramp import EMPTY
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, NOTHING, Canvas
from app.widgets.cell_image import levels_of
from app.widgets.cell_text import cell_text
from app.widgets.chip import bracket_runs
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.qt_calls import tells_faults
from app.widgets.shaded_flow import FlowItem, boxes_of
from core.trace.matrix import FloatArray, Scale

MARGIN, PADDING, INSIDE, GAP = 3, 1, 2, 5
"""Around the text, beside and above a token's label, and between lines."""
RADIUS = 3
SIZES = (TITLE, LARGE)
"""Few tokens are written larger."""
N_NUMBERS = 8
"""So many of the strongest tokens say their number."""
LEAST_WRITTEN = 0.01
DIMMED = 0.2
"""What is left of the shade of a dimmed token."""


@dataclass(frozen=True, slots=True)
class TextToken:
    """One token as it is drawn."""

    label: str
    is_glued: bool = False
    """Whether no line should end before it."""
    ends_line: bool = False
    bracket: int | None = None
    """Neighbours with the same number share one character."""
    is_leftward: bool = False
    """Whether its script is read from right to left."""

    @property
    def starts_with_space(self) -> bool:
        """Whether a line that begins with it may leave out its first sign."""
        return self.label.startswith(" ") and not self.is_leftward


@dataclass(frozen=True, slots=True, eq=False)
class Shade:
    """What the tokens are shaded by."""

    focus: int | None
    """The token that all numbers have to do with; None: it is in another text."""
    values: FloatArray | None
    """[n_tokens]; NaN where there is none. None: another text is shaded."""
    scale: Scale
    role: str
    """The theme colour that the focus wears."""
    dimmed: int | None = None


@tells_faults
class ShadedText(Canvas):
    """Items are the tokens, in the order of the text."""

    token_clicked = Signal(int)
    """A token was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No text."""
        super().__init__("attention in the text", {**ACROSS, **DOWN}, parent)
        self._tokens: tuple[TextToken, ...] = ()
        self._boxes: tuple[QRectF, ...] = ()
        self._runs: list[tuple[int, int]] = []
        self._shade: Shade | None = None
        self._levels: list[int] = []
        self._words = ""
        self._size = float(LARGE)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.set_message("no token is shown")

    def show_tokens(self, tokens: tuple[TextToken, ...]) -> None:
        """Show another text, without shades."""
        self._shade, self._levels = None, []
        if tokens == self._tokens:
            self.viewport().update()
            return
        self._tokens = tokens
        self._runs = bracket_runs([token.bracket for token in tokens])
        self.refresh()

    def show_shade(self, shade: Shade | None) -> None:
        """Shade the tokens; None takes all shades away."""
        self._shade = shade
        if shade is not None and shade.values is not None:
            self._levels = levels_of(shade.values[None], shade.scale)[0].tolist()
            at = shade.dimmed
            if at is not None and self._levels[at] != EMPTY:
                self._levels[at] = round(self._levels[at] * DIMMED)
        self.viewport().update()

    @property
    def shade(self) -> Shade | None:
        """What the tokens are shaded by."""
        return self._shade

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a token."""
        return len(self._tokens)

    def item_rect(self, index: int) -> QRectF:
        """The token's box."""
        return self._boxes[index]

    def item_at(self, point: QPointF) -> int:
        """The token with a box at the point, or below its line's gap."""
        reach = line_height(mono(CAPTION)) + GAP
        for index, box in enumerate(self._boxes):
            if box.adjusted(0, 0, 0, reach).contains(point):
                return index
        return NOTHING

    def item_text(self, index: int) -> str:
        """The token, its place, and its number beside the focus."""
        words = f"{self._tokens[index].label}\ntoken {index + 1} of {len(self._tokens)}"
        shade = self._shade
        if shade is None or shade.values is None or np.isnan(shade.values[index]):
            return words
        return f"{words}\nshare {shade.values[index]:.4g}"

    def arrange(self) -> QSizeF:
        """Let the text flow, in the largest type in which all of it is seen."""
        seen = self.viewport().size()
        bottom = self._flow(seen.width(), seen.height())
        return QSizeF(seen.width(), bottom)

    def height_in(self, width: int, most: int) -> int:
        """The height that all of the text takes in a width, or `most` if it is more."""
        return min(most, ceil(self._flow(width, most)))

    def _flow(self, width: int, height: int) -> float:
        """Lay the text out in the largest type that fits, else in the smallest."""
        room, bottom = max(1, width - 2 * MARGIN), 0.0
        for size in SIZES:
            self._size = size
            items = self._flow_items(mono(size))
            n_lines = sum(item.width for item in items) / room
            if size != SIZES[-1] and n_lines * self._pitch() > height:
                continue  # too long at this size, wherever its lines end
            tall = line_height(mono(size)) + 2 * INSIDE
            boxes = boxes_of(items, room, self._pitch(), tall)
            self._boxes = tuple(box.translated(MARGIN, MARGIN) for box in boxes)
            bottom = self._boxes[-1].bottom() if self._boxes else 0.0
            bottom += line_height(mono(CAPTION)) + MARGIN
            if bottom <= height:
                break
        return bottom

    def _pitch(self) -> float:
        """From one line to the next, with room for numbers between them."""
        height = line_height(mono(self._size)) + 2 * INSIDE
        return height + line_height(mono(CAPTION)) + GAP

    def _flow_items(self, font: QFont) -> list[FlowItem]:
        brackets = [None, *(token.bracket for token in self._tokens)]
        return [
            FlowItem(
                width=advance(token.label, font) + 2 * PADDING,
                lead=advance(" ", font) if token.starts_with_space else 0.0,
                is_glued=token.is_glued,
                is_tied=token.bracket is not None and token.bracket == before,
                ends_line=token.ends_line,
                is_leftward=token.is_leftward,
            )
            for token, before in zip(self._tokens, brackets, strict=False)
        ]

    def neighbour(self, index: int, key: int) -> int:
        """Left and right in the text; up and down to the nearest token of a line."""
        if key not in DOWN:
            return super().neighbour(index, key)
        here = self._boxes[index].center()
        there = here + QPointF(0, DOWN[key] * self._pitch())
        distances = [
            (abs(box.center().y() - there.y()), abs(box.center().x() - there.x()))
            for box in self._boxes
        ]
        return min(range(len(distances)), key=distances.__getitem__)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which token."""
        self.token_clicked.emit(index)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The lines in sight, then numbers and brackets between the lines."""
        reach = visible.adjusted(0, -4 * MARGIN - 20, 0, 4)
        seen = [i for i, box in enumerate(self._boxes) if box.intersects(reach)]
        for index in seen:
            self._paint_token(painter, index)
        self._paint_numbers(painter, seen)
        for start, end in self._runs:
            self._paint_bracket(painter, start, end)
        if self._shade is not None and self._shade.focus is not None:
            box = self._boxes[self._shade.focus].adjusted(-1, -1, 1, 1)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme().colour(self._shade.role), 2))
            painter.drawRoundedRect(box, RADIUS + 1, RADIUS + 1)

    def _paint_token(self, painter: QPainter, index: int) -> None:
        box, ink = self._boxes[index], theme().text
        if self._shade is not None and self._shade.values is not None:
            colours = map_colours("share", "pattern")
            level = self._levels[index]
            if level == EMPTY:
                ink = theme().ink("muted").name()
            elif level:
                red, green, blue = map(int, colours.table[level])
                painter.setBrush(QColor(red, green, blue))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawRoundedRect(box.adjusted(0.5, 0, -0.5, 0), RADIUS, RADIUS)
                ink = colours.inks[level]
        if index == self.hover_index:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme().colour("faint"), 1))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.setFont(mono(self._size))
        painter.setPen(QColor(ink))
        token = self._tokens[index]
        begins_line = token.starts_with_space and box.left() == MARGIN
        label = token.label[1:] if begins_line else token.label
        # One pixel more than measured, so that rounding never elides.
        word = box.adjusted(PADDING, 0, -PADDING + 1, 0)
        draw_label(painter, word, label, Align.AlignLeft)

    def _paint_numbers(self, painter: QPainter, seen: list[int]) -> None:
        """The number of the token under the mouse, then of the strongest ones."""
        shade = self._shade
        if shade is None or shade.values is None:
            return
        values = np.nan_to_num(shade.values)
        strongest = np.argsort(-values, kind="stable")[:N_NUMBERS].tolist()
        wished = [
            self.hover_index,
            *(i for i in strongest if values[i] >= LEAST_WRITTEN),
        ]
        font, height = mono(CAPTION), line_height(mono(CAPTION))
        painter.setFont(font)
        painter.setPen(theme().ink("text"))
        taken: list[QRectF] = []
        shown = set(seen)
        for index in wished:
            if index not in shown or np.isnan(shade.values[index]):
                continue
            text = cell_text(float(values[index]), Scale("share", 1.0))
            box = self._boxes[index]
            number = QRectF(0, box.bottom(), advance(text, font) + 2, height)
            number.moveCenter(QPointF(box.center().x(), number.center().y()))
            number.moveLeft(max(0.0, number.left()))
            if not any(number.intersects(other) for other in taken):
                draw_label(painter, number, text, Align.AlignHCenter)
                taken.append(number)

    def _paint_bracket(self, painter: QPainter, start: int, end: int) -> None:
        """A line above the tokens of one character, where they stand in one line."""
        first, last = self._boxes[start], self._boxes[end]
        if first.top() != last.top():
            return
        painter.setPen(QPen(theme().colour("muted"), 1))
        around = first | last
        left, right = around.left() + 1.5, around.right() - 1.5
        top, foot = around.top() - 1.5, around.top() + 1.5
        corners = ((left, foot), (left, top), (right, top), (right, foot))
        painter.drawPolyline([QPointF(x, y) for x, y in corners])
