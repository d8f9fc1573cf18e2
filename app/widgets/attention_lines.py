"""Tokens left and right, joined by lines whose opacity is a share.

Place: the lines picture of the attention panel. In: labels, maps of shares (one colour
a map), and which token is pinned. Out: wishes to pin a token. Under the mouse, or
pinned, a token shows only its own lines, each map apart, and bars beside the others.
Rows and columns need not be equally many.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.contrast import channels
from app.style.fonts import BASE, SMALL, mono
from app.style.sequence import sequence_hex
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, ENDS, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.line_raster import Floats, rastered
from app.widgets.line_strands import (
    Rows,
    ShareSource,
    Strands,
    Strokes,
    lines_of,
    strands_in_sight,
    strands_of_column,
    strands_of_row,
    strokes_of,
)
from app.widgets.line_vectors import is_for_screen, paint_strokes
from app.widgets.qt_calls import tells_faults
from core.trace.matrix import Scale

LABEL_LIMIT = 132
"""Wider labels are cut."""
INSIDE, MOST_PITCH = 2, 34
"""Room a row has beside its text at least, and how far apart few rows may lie."""
GAP = 8
BARS_SHARE, BARS_LEAST, BARS_MOST = 0.11, 84, 160
"""Width of the bars beside each side's tokens: a part of the whole, between limits."""
BAR_HEIGHT = 8
LEAST_CELL = 4.0
"""Narrower bars say nothing: then one bar stands for the strongest map."""
NUMBER_WIDTH = 38
MOST_SPREAD = 4.0
"""Between the lines of two maps that join the same tokens, in pixels."""
FINE, COARSE = 300, 2
"""So many lines are painted pixel by pixel, more with pixels so much larger."""
FEW = 120
"""So many lines take Qt's painter no longer; it makes finer ones on a fine screen."""
Drawn = tuple[tuple[object, ...], Strokes, QImage | None]
"""What lines depend on, the lines, and their picture where they have one."""
LINEAR = Scale("share", 1.0)
"""Opacity is the share itself."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Where the parts of both sides lie, from left to right."""

    label: float
    """Width of a label."""
    place: float
    """Width of a place's number."""
    width: float
    """Of the whole picture."""

    @property
    def bars(self) -> float:
        """Width of the bars beside one side's tokens."""
        return max(BARS_LEAST, min(BARS_MOST, BARS_SHARE * self.width))

    @property
    def side(self) -> float:
        """Width of one side."""
        return self.bars + GAP + self.place + GAP + self.label + GAP

    @property
    def lines(self) -> tuple[float, float]:
        """Where the lines start and end."""
        return self.side, max(self.side + 1, self.width - self.side)


@tells_faults
class AttentionLines(Canvas):
    """Items are the tokens at the left, then those at the right."""

    pin_requested = Signal(int)
    """This item shall stay shown; NOTHING: none shall."""

    sides_changed = Signal(int, int)
    """The labels lie within so many pixels from the left edge, and from the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Nothing to join yet."""
        super().__init__("lines of attention", {**DOWN, **ACROSS}, parent)
        self._source: ShareSource | None = None
        self._left: tuple[str, ...] = ()
        self._right: tuple[str, ...] = ()
        self._colours: tuple[int, ...] = ()
        self._least, self._opacity = 0.0, LINEAR
        self._dimmed: int | None = None
        self._pinned = NOTHING
        self._pair_text: Callable[[int, int], str] | None = None
        self._sides = Sides(0, 0, 0)
        self._reach = 0, 0
        self._pitch = 1.0
        self._kept: dict[bool, Drawn] = {}
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.set_message("no token is shown")

    def show_maps(
        self,
        labels: tuple[tuple[str, ...], tuple[str, ...]],
        source: ShareSource,
        colours: tuple[int, ...],
        least: float,
        opacity: Scale = LINEAR,
        dimmed: int | None = None,
    ) -> None:
        """Show other maps.

        `labels` of rows and columns; `colours` has a map's place in the sequence of
        colours; shares below `least` get no line; `opacity` says how a share becomes
        one; lines to column `dimmed` are pale.
        """
        self._left, self._right = labels
        self._source, self._colours = source, colours
        self._least, self._opacity, self._dimmed = least, opacity, dimmed
        self._pinned = NOTHING
        self._kept.clear()
        self.refresh()

    def set_pinned(self, index: int) -> None:
        """Keep an item's lines shown; NOTHING lets the mouse choose."""
        if index != self._pinned:
            self._pinned = index
            if index != NOTHING:
                self.put_cursor(index)
            self.viewport().update()

    def set_pair_text(self, text: Callable[[int, int], str]) -> None:
        """What a tip says of a row and a column."""
        self._pair_text = text

    @property
    def focus_index(self) -> int:
        """The item whose lines are shown alone: pinned, or else under the mouse."""
        return self.hover_index if self._pinned == NOTHING else self._pinned

    def side_of(self, index: int) -> tuple[bool, int]:
        """Whether an item is at the right, and its place there."""
        is_right = index >= len(self._left)
        return is_right, index - len(self._left) if is_right else index

    def index_of(self, is_right: bool, place: int) -> int:
        """The item at a place of a side."""
        return place + is_right * len(self._left)

    def pair_with(self, index: int) -> tuple[int, int] | None:
        """Row and column that an item makes with the focus; None on the same side."""
        focus = self.focus_index
        if NOTHING in (focus, index):
            return None
        (is_right, place), (other_is_right, other) = map(self.side_of, (focus, index))
        if is_right == other_is_right:
            return None
        return (other, place) if is_right else (place, other)

    # The canvas's questions.

    def item_count(self) -> int:
        """Tokens of both sides."""
        return len(self._left) + len(self._right) if self._source else 0

    def item_rect(self, index: int) -> QRectF:
        """A token's row within its side."""
        is_right, place = self.side_of(index)
        left = self._sides.lines[1] if is_right else 0.0
        return QRectF(left, place * self._pitch, self._sides.side, self._pitch)

    def item_at(self, point: QPointF) -> int:
        """The token at a point, by its row."""
        start, end = self._sides.lines
        place, is_right = int(point.y() // self._pitch), point.x() >= end
        n = len(self._right if is_right else self._left)
        if start < point.x() < end or not 0 <= place < n:
            return NOTHING
        return self.index_of(is_right, place)

    def item_text(self, index: int) -> str:
        """The token and its place."""
        is_right, place = self.side_of(index)
        labels, name = (self._right, "key") if is_right else (self._left, "query")
        pinned = ", pinned" if index == self._pinned else ""
        return f"{labels[place]}\n{name} {place + 1} of {len(labels)}{pinned}"

    def tip_text(self, index: int) -> str:
        """What joins the token with the pinned one; else its words."""
        pair = self.pair_with(index)
        if pair is None or self._pair_text is None:
            return self.item_text(index)
        return self._pair_text(*pair)

    def arrange(self) -> QSizeF:
        """Rows of equal height, farther apart where they are few."""
        seen = self.viewport().size()
        n = max(len(self._left), len(self._right), 1)
        lowest = round(line_height(mono(BASE))) + INSIDE
        self._pitch = float(max(lowest, min(MOST_PITCH, seen.height() // n)))
        widest = max(
            (advance(label, mono(BASE)) for label in {*self._left, *self._right}),
            default=0.0,
        )
        label = min(float(LABEL_LIMIT), widest + 2)
        place = advance(str(n), mono(SMALL)) + 1
        self._sides = Sides(label, place, seen.width())
        left = round(self._sides.side - GAP)
        reach = left, left + self.width() - seen.width()  # the scroll bar's
        if reach != self._reach:
            self._reach = reach
            self.sides_changed.emit(*reach)
        return QSizeF(seen.width(), n * self._pitch)

    def neighbour(self, index: int, key: int) -> int:
        """Up and down within a side, left and right across."""
        is_right, place = self.side_of(index)
        if key in ACROSS:
            is_right = key == Qt.Key.Key_Right
        last = len(self._right if is_right else self._left) - 1
        if key in ENDS:
            place = 0 if key == Qt.Key.Key_Home else last
        place = max(0, min(last, place + DOWN.get(key, 0)))
        return self.index_of(is_right, place)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Ask to pin the token, or to let it go."""
        self.pin_requested.emit(NOTHING if index == self._pinned else index)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """Lines, then the tokens of both sides in sight."""
        focus = self.focus_index
        self._paint_lines(painter, focus)
        bars = self._shares_with(focus)
        start, end = (
            int(edge // self._pitch) for edge in (visible.top(), visible.bottom())
        )
        for is_right, labels in enumerate((self._left, self._right)):
            others = bars if bars is not None and self._is_across(is_right) else None
            for place in range(max(0, start), min(end + 1, len(labels))):
                index = self.index_of(bool(is_right), place)
                has_ink = others is None or others[:, place].max() >= self._least
                self._paint_token(painter, index, labels[place], has_ink)
                if others is not None:
                    self._paint_bars(painter, index, others[:, place])

    def _is_across(self, is_right: int) -> bool:
        return self.side_of(self.focus_index)[0] != bool(is_right)

    def _shares_with(self, focus: int) -> Floats | None:
        """The shares between the focus and each token across: [n_maps, n_others]."""
        if focus == NOTHING or self._source is None:
            return None
        is_right, place = self.side_of(focus)
        if is_right:
            return np.nan_to_num(self._source.columns(place, place + 1)[:, :, 0])
        return np.nan_to_num(self._source.rows(place, place + 1)[:, 0])

    def _paint_lines(self, painter: QPainter, focus: int) -> None:
        start, end = self._sides.lines
        height, top = self.viewport().height(), self.offset().y()
        width = round(end - start)
        if width < 2 or height < 1:
            return
        box, ratio = QRectF(round(start), top, width, height), self.devicePixelRatioF()
        if not is_for_screen(painter, ratio):
            self._paint_strokes(painter, self._strokes(focus, height), box)
            return
        state = (focus, top, width, height, self._pitch, ratio, theme().name)
        kept = self._kept.get(focus == NOTHING)
        if kept is None or kept[0] != state:
            strokes = self._strokes(focus, height)
            is_painted = ratio > 1 and len(strokes) <= FEW
            image = None if is_painted else self._picture(strokes, width, height)
            kept = self._kept[focus == NOTHING] = state, strokes, image
        if kept[2] is None:
            self._paint_strokes(painter, kept[1], box)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(box, kept[2])

    def _paint_strokes(self, painter: QPainter, strokes: Strokes, box: QRectF) -> None:
        inks = [sequence_hex(at) for at in self._colours]
        paint_strokes(painter, strokes, box, inks)

    def _picture(self, strokes: Strokes, width: int, height: int) -> QImage:
        grain = 1 if len(strokes) <= FINE else 1 / COARSE
        lines = lines_of(strokes, width, grain)
        palette = np.array([channels(sequence_hex(at)) for at in self._colours])
        pixels = rastered(lines, palette, ceil(width * grain), ceil(height * grain))
        high, wide = pixels.shape[:2]
        form = QImage.Format.Format_RGBA8888_Premultiplied
        # A copy: the picture must own its bytes.
        return QImage(pixels.data, wide, high, 4 * wide, form).copy()

    def _strokes(self, focus: int, height: int) -> Strokes:
        n, spread = len(self._colours), 0.0
        if focus != NOTHING and n > 1:
            spread = min(MOST_SPREAD, 0.7 * self._pitch / n)
        at = Rows(self._pitch, self.offset().y(), spread)
        strands = self._strands(focus, height)
        return strokes_of(strands, at, n, self._opacity, self._dimmed)

    def _strands(self, focus: int, height: int) -> Strands:
        assert self._source is not None
        is_right, place = self.side_of(focus)
        if focus != NOTHING:
            one = strands_of_column if is_right else strands_of_row
            return one(self._source, place, self._least)
        top = self.offset().y()
        first, last = int(top // self._pitch), int((top + height) // self._pitch) + 1
        rows = range(first, max(first, min(last, len(self._left))))
        columns = range(first, max(first, min(last, len(self._right))))
        return strands_in_sight(self._source, rows, columns, self._least)

    def _paint_token(
        self, painter: QPainter, index: int, label: str, has_ink: bool
    ) -> None:
        is_right, place = self.side_of(index)
        box, role = self.item_rect(index), "key" if is_right else "query"
        ground = self._ground(index, role)
        start, end = self._sides.lines
        x = end + GAP if is_right else start - GAP - self._sides.label
        word = QRectF(x, box.top(), self._sides.label, box.height())
        if ground != "surface":
            painter.setBrush(theme().colour(ground))
            is_lit = ground != "sunken"
            painter.setPen(
                QPen(theme().colour(role), 1) if is_lit else Qt.PenStyle.NoPen
            )
            painter.drawRoundedRect(word.adjusted(-3.5, 0.5, 3.5, -0.5), 4, 4)
        align = Align.AlignLeft if is_right else Align.AlignRight
        painter.setFont(mono(BASE))
        ink = "text" if has_ink or ground != "surface" else "muted"
        painter.setPen(QColor(theme().ink_on(ink, ground)))
        draw_label(painter, word, label, align)
        x = word.right() + GAP if is_right else word.left() - GAP - self._sides.place
        painter.setFont(mono(SMALL))
        painter.setPen(theme().ink("muted"))
        number = QRectF(x, box.top(), self._sides.place, box.height())
        draw_label(painter, number, str(place + 1), Align.AlignRight)

    def _ground(self, index: int, role: str) -> str:
        if index == self.focus_index:
            return f"{role}_soft"
        return "sunken" if index == self.hover_index else "surface"

    def _paint_bars(self, painter: QPainter, index: int, shares: Floats) -> None:
        box, is_right = self.item_rect(index), self.side_of(index)[0]
        left = box.right() - self._sides.bars if is_right else box.left()
        colours = self._colours
        if self._sides.bars / len(colours) < LEAST_CELL:
            best = int(shares.argmax())
            shares, colours = shares[best : best + 1], colours[best : best + 1]
        room = self._sides.bars - (NUMBER_WIDTH if len(colours) == 1 else 0)
        cell, top = room / len(colours), box.center().y() - BAR_HEIGHT / 2
        painter.setPen(Qt.PenStyle.NoPen)
        for place, share in enumerate(shares.tolist()):
            x = left + place * cell
            painter.fillRect(QRectF(x, top, 1, BAR_HEIGHT), theme().colour("line"))
            if share >= self._least:
                long = max(2.0, share * (cell - 1))
                colour = QColor(sequence_hex(colours[place]))
                painter.fillRect(QRectF(x, top, long, BAR_HEIGHT), colour)
        if len(colours) == 1 and shares[0] >= self._least:
            painter.setFont(mono(SMALL))
            painter.setPen(theme().ink("text"))
            number = QRectF(left + room, box.top(), NUMBER_WIDTH, box.height())
            draw_label(painter, number, f"{shares[0]:.3f}"[1:], Align.AlignRight)

    # Qt's own.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor; what is pinned moves with it."""
        before = self.cursor_index
        super().keyPressEvent(event)
        if self._pinned != NOTHING and self.cursor_index != before:
            self.pin_requested.emit(self.cursor_index)
