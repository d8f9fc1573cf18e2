"""The token strip: every token as a chip with its id, on one line that never moves.

Place: under the sentence, above every panel. In: chips, and which two of them are the
query and the key of the selection. Out: wishes to make another chip query or key.
"""

from bisect import bisect_left, bisect_right

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import CAPTION, LARGE, mono, sans
from app.style.theme import theme
from app.widgets.canvas import ACROSS, NOTHING, Canvas
from app.widgets.chip import (
    FLAT,
    LOOKS,
    MARGIN,
    TALL,
    Chip,
    bracket_runs,
    chip_edges,
)
from app.widgets.label import Align, draw_label
from app.widgets.qt_calls import tells_faults

RADIUS = 6
POINTED, POINTED_GAP = 3, 1
"""The line under a chip that is pointed at, and the room above it."""
FADE = 36
"""Width of the end that fades where more chips follow; it holds an arrow."""
WHEEL_STEP = 120
"""What one notch of a wheel counts in Qt, and how far it scrolls in pixels."""


@tells_faults
class TokenStrip(Canvas):
    """All tokens of the sentence in reading order; scrolls sideways when long."""

    REVEAL_MARGIN = FADE

    query_requested = Signal(int)
    """The reader wants this token as the query (click, Enter)."""
    key_requested = Signal(int)
    """The reader wants this token as the key (Ctrl or right click, Shift+Enter)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty strip, which says "type something"."""
        super().__init__("Tokens of the sentence", ACROSS, parent)
        self._chips: tuple[Chip, ...] = ()
        self._lefts: list[float] = []
        self._rights: list[float] = []
        self._runs: list[tuple[int, int]] = []
        self._query: int | None = None
        self._key: int | None = None
        self._other: int | None = None
        self._is_live, self._shape = True, TALL
        self._pointed: tuple[int | None, int | None] = (None, None)
        self._stale = QRegion()
        self._is_at_end = False
        self._measure()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)

    def show_chips(self, chips: tuple[Chip, ...]) -> None:
        """Show other tokens; the marks stay where they still fit."""
        self._chips = chips
        brackets = [chip.bracket for chip in chips]
        widths = [self._shape.width_of(chip) for chip in chips]
        self._lefts, self._rights = chip_edges(widths, brackets)
        self._runs = bracket_runs(brackets)
        self.refresh()
        self.keep_in_sight()

    def lay_flat(self, is_flat: bool) -> None:
        """Put the small line beside the label, where two strips share the room."""
        shape = FLAT if is_flat else TALL
        if shape is not self._shape:
            self._shape = shape
            self._measure()
            self.show_chips(self._chips)

    def set_live(self, is_live: bool) -> None:
        """Whether what is seen elsewhere is about these tokens; else they are quiet."""
        if is_live != self._is_live:
            self._is_live = is_live
            self.viewport().update()

    def set_marks(
        self, query: int | None, key: int | None, other: int | None = None
    ) -> None:
        """Dress two chips as the query and the key, and bring them into sight.

        `other` is chosen, too, and is neither of them at present.
        """
        self._query, self._key, self._other = query, key, other
        self._is_at_end = False
        self.keep_in_sight()
        self.viewport().update()

    def set_pointed(self, query: int | None, key: int | None) -> None:
        """Underline two chips that the mouse points at elsewhere; nothing scrolls."""
        before, self._pointed = self._pointed, (query, key)
        if before != self._pointed:
            for index in {*before, *self._pointed}:
                self.viewport().update(self._seen_rect(index))

    def show_end(self) -> None:
        """Bring the last chip into sight, until other chips are marked."""
        self._is_at_end = True
        self.keep_in_sight()

    def _measure(self) -> None:
        self.setFixedHeight(round(self._shape.height) + 2 * self._shape.above)

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a chip."""
        return len(self._chips)

    def item_rect(self, index: int) -> QRectF:
        """The chip's box."""
        left, right = self._lefts[index], self._rights[index]
        return QRectF(left, self._shape.above, right - left, self._shape.height)

    def item_at(self, point: QPointF) -> int:
        """The chip at a point, by halving."""
        index = bisect_right(self._lefts, point.x()) - 1
        is_inside = index >= 0 and self.item_rect(index).contains(point)
        return index if is_inside else NOTHING

    def item_text(self, index: int) -> str:
        """The token, its place and id, what it is marked as, and its note."""
        chip = self._chips[index]
        roles = (("query", self._query), ("key", self._key), ("chosen", self._other))
        marked = [name for name, place in roles if place == index]
        place = f"token {index + 1} of {len(self._chips)}"
        facts = [place, f"id {chip.sub}" if chip.sub else "", *marked]
        facts += [LOOKS[chip.state].words, chip.note]
        return f"{chip.label}\n" + "\n".join(fact for fact in facts if fact)

    def arrange(self) -> QSizeF:
        """The chips' row with a margin at its end."""
        end = self._rights[-1] + MARGIN if self._rights else 0.0
        return QSizeF(end, self.viewport().height())

    def activate(self, index: int, is_secondary: bool) -> None:
        """Ask for the chip as key or as query."""
        wish = self.key_requested if is_secondary else self.query_requested
        wish.emit(index)

    def keep_in_sight(self) -> None:
        """Scroll to the marked chips, or to the end where that was asked for."""
        if self._is_at_end:
            self.reveal(len(self._chips) - 1)
            return
        for index in (self._other, self._key, self._query):  # the query must be seen
            if index is not None:
                self.reveal(index)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The chips in sight and their brackets."""
        first = bisect_left(self._rights, visible.left())
        last = bisect_right(self._lefts, visible.right())
        for index in range(first, last):
            if self._stale.intersects(self._seen_rect(index)):
                self._paint_chip(painter, index)
        for start, end in self._runs:
            if end >= first and start < last:
                self._paint_bracket(painter, start, end)

    def _seen_rect(self, index: int | None) -> QRect:
        """Where a chip with its line is seen now."""
        if index is None or not 0 <= index < len(self._chips):
            return QRect()
        box = self.item_rect(index).translated(-QPointF(self.offset()))
        return box.adjusted(0, 0, 0, POINTED_GAP + POINTED).toAlignedRect()

    def _paint_chip(self, painter: QPainter, index: int) -> None:
        chip, box = self._chips[index], self.item_rect(index)
        self._paint_box(painter, index, box)
        look, fill = LOOKS[chip.state], self._fill_name(index)
        label_ink = look.label if self._is_live else "muted"
        label, sub = self._shape.rows(chip, box)
        for row, text, ink, font in (
            (label, chip.label, label_ink, mono(LARGE)),
            (sub, chip.sub, look.sub, mono(CAPTION)),
        ):
            painter.setFont(font)
            painter.setPen(QColor(theme().ink_on(ink, fill)))
            draw_label(painter, row, text, Align.AlignLeft)

    def _fill_name(self, index: int) -> str:
        if index == self._query:
            return "query_soft"
        if index == self.hover_index or not self._is_live:
            return "sunken"
        return LOOKS[self._chips[index].state].fill

    def _paint_box(self, painter: QPainter, index: int, box: QRectF) -> None:
        look = LOOKS[self._chips[index].state]
        self._paint_pointed(painter, index, box)
        painter.setBrush(theme().colour(self._fill_name(index)))
        borders = [QPen(theme().colour(look.border), 1, look.line)]
        marks = (("query", self._query), ("key", self._key), ("muted", self._other))
        worn = [
            QPen(theme().colour(name), 2) for name, place in marks if place == index
        ]
        for ring, pen in enumerate(worn or borders):
            inset = pen.widthF() / 2 + 3 * ring
            edge = box.adjusted(inset, inset, -inset, -inset)
            painter.setPen(pen)
            painter.drawRoundedRect(edge, RADIUS - 2 * ring, RADIUS - 2 * ring)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_pointed(self, painter: QPainter, index: int, box: QRectF) -> None:
        """A line under the chip, half of it for each of the two it is."""
        roles = ("query", "key")
        names = [n for n, at in zip(roles, self._pointed, strict=True) if at == index]
        width = box.width() / max(1, len(names))
        for place, name in enumerate(names):
            left = box.left() + place * width
            line = QRectF(left, box.bottom() + POINTED_GAP, width, POINTED)
            painter.fillRect(line, theme().colour(name))

    def _paint_bracket(self, painter: QPainter, start: int, end: int) -> None:
        painter.setPen(QPen(theme().colour("muted"), 1))
        left, right = self._lefts[start] + 0.5, self._rights[end] - 0.5
        above = self._shape.above
        top, foot = above / 2 - 0.5, above - 1.0
        corners = ((left, foot), (left, top), (right, top), (right, foot))
        painter.drawPolyline([QPointF(x, y) for x, y in corners])

    def paint_empty(self, painter: QPainter) -> None:
        """The words of an empty strip stand where the first chip would."""
        painter.setFont(sans())
        painter.setPen(theme().ink("muted"))
        box = QRectF(self.viewport().rect()).adjusted(MARGIN, 0, -MARGIN, 0)
        draw_label(painter, box, self.message, Align.AlignLeft)

    def paint_over(self, painter: QPainter) -> None:
        """The ends that fade where more chips follow."""
        bar, width = self.horizontalScrollBar(), float(self.viewport().width())
        if bar.value() > bar.minimum():
            self._paint_end(painter, 0.0, 1)
        if bar.value() < bar.maximum():
            self._paint_end(painter, width, -1)

    def _paint_end(self, painter: QPainter, edge: float, inward: int) -> None:
        fade = QLinearGradient(edge, 0, edge + inward * FADE, 0)
        solid, clear = theme().colour("surface"), theme().colour("surface")
        clear.setAlpha(0)
        for stop, colour in ((0.0, solid), (0.6, solid), (1.0, clear)):
            fade.setColorAt(stop, colour)
        box = QRectF(edge, 0, inward * FADE, self.viewport().height()).normalized()
        painter.fillRect(box, fade)
        painter.setPen(QPen(theme().colour("muted"), 1.5))
        middle, tip = box.center().y(), edge + inward * 8
        wing = tip + inward * 5
        corners = ((wing, middle - 5), (tip, middle), (wing, middle + 5))
        painter.drawPolyline([QPointF(x, y) for x, y in corners])

    # Qt's own.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint only the chips that are asked for: pointing elsewhere asks for few."""
        self._stale = event.region()
        super().paintEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Turn the page where an end fades; otherwise enter the chip."""
        bar, x = self.horizontalScrollBar(), event.position().x()
        page = bar.pageStep() - 2 * FADE
        if x < FADE and bar.value() > bar.minimum():
            bar.setValue(bar.value() - page)
        elif x > self.viewport().width() - FADE and bar.value() < bar.maximum():
            bar.setValue(bar.value() + page)
        else:
            super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways, whichever way the wheel turns."""
        turn = event.angleDelta()
        notches = (turn.y() or turn.x()) / WHEEL_STEP
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - round(notches * WHEEL_STEP))
        event.accept()
