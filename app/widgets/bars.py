"""Bars of the likeliest tokens, with what the sampling cuts and what it picks.

Place: the output panel. In: labels, ready numbers as text, lengths from 0 to 1. Out:
which bar was clicked.
"""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.style.fonts import BASE, MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.canvas import DOWN, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

BarState = Literal["kept", "cut", "picked"]

GAP, ROW_GAP = 12, 8
"""Between columns, and what a row has above and below its text together."""
LABEL_LIMIT = 180
MARK = 12
"""Room at the left for the arrow of the bar that was picked."""
BAR_HEIGHT, BAR_RADIUS = 12, 3
BAR_LEAST = 60
"""The bars' column is never narrower; below that the numbers run under the edge."""
CUT_HEIGHT = 22
"""Height of the labelled line between what is kept and what is cut."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One token with its numbers."""

    label: str
    value: tuple[str, ...]
    """One number a column, as text; aligned on the decimal point."""
    share: float
    """Length of the bar, 0 to 1."""
    note: str = ""
    """What the tooltip adds."""
    state: BarState = "kept"


@dataclass(frozen=True, slots=True)
class BarLook:
    """How bars of one state are drawn, in theme colour names."""

    bar: str
    ink: str
    weight: int
    is_struck: bool
    words: str


LOOKS: dict[BarState, BarLook] = {
    "kept": BarLook("accent", "text", REGULAR, False, ""),
    "cut": BarLook("faint", "muted", REGULAR, True, "cut: cannot be picked"),
    "picked": BarLook("checked", "checked", MEDIUM, False, "picked"),
}


def split_at_point(number: str) -> tuple[str, str]:
    """What stands before the decimal point, and the point with what follows.

    A number without a point, or an exponent's sign, stays whole at the left.
    """
    whole, point, rest = number.partition(".")
    return whole, point + rest


def column_widths(numbers: list[str], font: QFont) -> tuple[float, float]:
    """The widest part before and from the decimal point, in pixels."""
    parts = [split_at_point(number) for number in numbers]
    before = max((advance(whole, font) for whole, _ in parts), default=0.0)
    after = max((advance(rest, font) for _, rest in parts), default=0.0)
    return before, after


def first_cut(bars: tuple[Bar, ...]) -> int:
    """Index of the first bar below the line of the cut; the count where none is."""
    return next((i for i, bar in enumerate(bars) if bar.state == "cut"), len(bars))


class Bars(Canvas):
    """Horizontal bars, best first, with numbers in columns at the right."""

    bar_clicked = Signal(int)
    """A bar was clicked or entered."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the bars."""
        super().__init__(name, DOWN, parent)
        self._bars: tuple[Bar, ...] = ()
        self._columns: tuple[str, ...] = ()
        self._cut_label = ""
        self._widths: list[tuple[float, float]] = []
        self._label_width = 0.0
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_bars(
        self, bars: tuple[Bar, ...], columns: tuple[str, ...], cut_label: str = ""
    ) -> None:
        """Show other bars under these column heads.

        `cut_label` says what cut (such as "top-k 5"); it stands on the line above the
        first bar that is cut.
        """
        self._bars, self._columns, self._cut_label = bars, columns, cut_label
        labels = (advance(bar.label, mono()) for bar in bars)
        self._label_width = min(LABEL_LIMIT, max(labels, default=0.0)) + 1
        texts = [[bar.value[c] for bar in bars] for c in range(len(columns))]
        self._widths = [column_widths(column, mono()) for column in texts]
        self.refresh()

    # Where things are.

    @property
    def _row_height(self) -> float:
        return round(line_height(mono()) + ROW_GAP)

    @property
    def _head_height(self) -> float:
        return round(line_height(sans(SMALL)) + GAP / 2)

    @property
    def _has_cut(self) -> bool:
        return bool(self._cut_label) and first_cut(self._bars) < len(self._bars)

    def _column_width(self, column: int) -> float:
        head = advance(self._columns[column], sans(SMALL))
        return max(sum(self._widths[column]), head)

    def _bar_span(self) -> tuple[float, float]:
        columns = (self._column_width(c) + GAP for c in range(len(self._columns)))
        left = MARK + self._label_width + GAP
        right = self.viewport().width() - sum(columns) - GAP / 2
        return left, max(right, left + BAR_LEAST)

    def item_count(self) -> int:
        """One item a bar."""
        return len(self._bars)

    def item_rect(self, index: int) -> QRectF:
        """The whole row, label to last number."""
        drop = CUT_HEIGHT if self._has_cut and index >= first_cut(self._bars) else 0
        top = self._head_height + index * self._row_height + drop
        return QRectF(0, top, self.viewport().width(), self._row_height)

    def item_text(self, index: int) -> str:
        """The token, its numbers by column, its state and note."""
        bar = self._bars[index]
        numbers = zip(self._columns, bar.value, strict=True)
        facts = [f"{head} {number}" for head, number in numbers]
        facts += [LOOKS[bar.state].words, bar.note]
        return f"{bar.label}\n" + "\n".join(fact for fact in facts if fact)

    def arrange(self) -> QSizeF:
        """Head, rows and the line of the cut."""
        last = len(self._bars) - 1
        foot = self.item_rect(last).bottom() if self._bars else self._head_height
        return QSizeF(self.viewport().width(), foot + 2)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which bar."""
        self.bar_clicked.emit(index)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """Heads, the rows in sight, and the line of the cut."""
        self._paint_heads(painter)
        for index, bar in enumerate(self._bars):
            row = self.item_rect(index)
            if row.intersects(visible):
                self._paint_row(painter, row, bar, index == self.hover_index)
        if self._has_cut:
            self._paint_cut(painter)

    def _paint_heads(self, painter: QPainter) -> None:
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("muted"))
        for column, left in enumerate(self._column_lefts()):
            width = self._column_width(column)
            box = QRectF(left, 0, width + 1, self._head_height - GAP / 2)
            draw_label(painter, box, self._columns[column], Align.AlignRight)

    def _column_lefts(self) -> list[float]:
        left, lefts = self._bar_span()[1] + GAP, []
        for column in range(len(self._columns)):
            lefts.append(left)
            left += self._column_width(column) + GAP
        return lefts

    def _paint_row(
        self, painter: QPainter, row: QRectF, bar: Bar, is_hovered: bool
    ) -> None:
        look = LOOKS[bar.state]
        ground = "sunken" if is_hovered else "surface"
        if is_hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().colour(ground))
            painter.drawRoundedRect(row, BAR_RADIUS, BAR_RADIUS)
        self._paint_bar(painter, row, bar)
        ink = theme().ink_on(look.ink, ground)
        painter.setPen(QPen(QColor(ink), 1.5))
        painter.setFont(mono(BASE, look.weight))
        box = QRectF(MARK, row.top(), self._label_width, row.height())
        draw_label(painter, box, bar.label, Align.AlignRight)
        for column, left in enumerate(self._column_lefts()):
            self._paint_number(painter, row, column, left, bar.value[column])
        if look.is_struck:
            self._strike(painter, row, bar)
        if bar.state == "picked":
            self._mark(painter, row)

    def _paint_bar(self, painter: QPainter, row: QRectF, bar: Bar) -> None:
        left, right = self._bar_span()
        length = max(1.0, (right - left) * max(0.0, min(1.0, bar.share)))
        box = QRectF(left, row.center().y() - BAR_HEIGHT / 2, length, BAR_HEIGHT)
        radius = min(BAR_RADIUS, length / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(LOOKS[bar.state].bar))
        painter.drawRoundedRect(box, radius, radius)

    def _paint_number(
        self, painter: QPainter, row: QRectF, column: int, left: float, number: str
    ) -> None:
        whole, rest = split_at_point(number)
        before, after = self._widths[column]
        point = left + self._column_width(column) - after
        box = QRectF(point - before - 1, row.top(), before + 1, row.height())
        draw_label(painter, box, whole, Align.AlignRight)
        box = QRectF(point, row.top(), after + 1, row.height())
        draw_label(painter, box, rest, Align.AlignLeft)

    def _strike(self, painter: QPainter, row: QRectF, bar: Bar) -> None:
        painter.setPen(QPen(theme().ink("muted"), 1))
        middle, right = row.center().y() + 0.5, MARK + self._label_width
        width = min(self._label_width, advance(bar.label, mono()))
        painter.drawLine(QLineF(right - width, middle, right, middle))
        for column, left in enumerate(self._column_lefts()):
            whole, rest = split_at_point(bar.value[column])
            point = left + self._column_width(column) - self._widths[column][1]
            start, end = point - advance(whole, mono()), point + advance(rest, mono())
            painter.drawLine(QLineF(start, middle, end, middle))

    def _mark(self, painter: QPainter, row: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("checked"))
        middle = row.center().y()
        corners = ((2.0, middle - 4.5), (8.0, middle), (2.0, middle + 4.5))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))

    def _paint_cut(self, painter: QPainter) -> None:
        first = self.item_rect(first_cut(self._bars))
        middle, width = first.top() - CUT_HEIGHT / 2, float(self.viewport().width())
        painter.setFont(sans(SMALL))
        ink = theme().ink("error")
        painter.setPen(ink)
        words = min(advance(self._cut_label, painter.font()) + 1, width)
        box = QRectF(0, first.top() - CUT_HEIGHT, words, CUT_HEIGHT)
        draw_label(painter, box, self._cut_label, Align.AlignLeft)
        painter.setPen(QPen(ink, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(words + GAP / 2, middle, width, middle))
