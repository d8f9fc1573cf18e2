"""The word row by row: each row one merge, the pair about to join underlined.

Place: the merges panel. In: rows of symbols with the pair and its rank. Out: which row
was clicked. The last row, with no pair, is what the word ends as.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import LARGE, MEDIUM, REGULAR, SMALL, mono
from app.style.theme import theme
from app.widgets.canvas import DOWN, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

MARGIN, GAP = 8, 4
PADDING, RADIUS = 5, 4
"""Within a symbol's box."""
COLUMN_GAP = 12
LOSER_GAP = "   "
N_ROWS_REMEMBERED = 64
"""Rows whose measures are kept: more than a screenful."""
UNDERLINE = 2
RANK_LIMIT = 0.3
"""The ranks take at most this share of the width."""


@dataclass(frozen=True, slots=True)
class MergeRow:
    """The word before one merge."""

    symbols: tuple[str, ...]
    joined: tuple[int, int] | None = None
    """First and last index of what is about to join; None in the last row."""
    rank: str = ""
    """The pair's rank, in words: "rank 12"."""
    losers: tuple[str, ...] = ()
    """The other pairs with their ranks, ready to read."""
    again: tuple[int, ...] = ()
    """First indices of the same pair further on, which joins at the same moment."""
    tip: str = ""
    """What the tooltip says; "" stands for the merge, its rank, and who lost."""

    @property
    def stretches(self) -> tuple[range, ...]:
        """The places that join, a range for each symbol that is made."""
        if self.joined is None:
            return ()
        pairs = (range(first, first + 2) for first in self.again)
        return (range(self.joined[0], self.joined[1] + 1), *pairs)


@lru_cache(maxsize=N_ROWS_REMEMBERED)
def symbol_spans(symbols: tuple[str, ...]) -> tuple[list[float], list[float]]:
    """Left and right edges of the symbols' boxes, from 0 on."""
    widths = [advance(symbol, mono(LARGE)) + 2 * PADDING for symbol in symbols]
    lefts = list(accumulate((width + GAP for width in widths), initial=0.0))
    rights = [left + width for left, width in zip(lefts, widths, strict=False)]
    return lefts[: len(symbols)], rights


def fitting(texts: tuple[str, ...], width: float) -> str:
    """As many of `texts` as fit into `width` pixels, and how many more there are."""
    for n in range(len(texts), 0, -1):
        rest = (f"+{len(texts) - n} more",) if n < len(texts) else ()
        line = LOSER_GAP.join((*texts[:n], *rest))
        if n == 1 or advance(line, mono(SMALL)) <= width:
            return line
    return ""


class MergeRows(Canvas):
    """A word on its way from bytes to tokens, one merge a row; scrolls when long."""

    row_clicked = Signal(int)
    """A row was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No rows."""
        super().__init__("Merges of the word, row by row", DOWN, parent)
        self._rows: tuple[MergeRow, ...] = ()
        self._position = 0
        self._has_losers = False
        self._widest_rank = 0.0
        self._box_height = line_height(mono(LARGE)) + 2
        self._loser_height = line_height(mono(SMALL)) + 2

    def show_rows(self, rows: tuple[MergeRow, ...]) -> None:
        """Show another word; the position goes back to the first row."""
        self._rows = rows
        self._position = 0
        self._has_losers = any(row.losers for row in rows)
        ranks = (advance(row.rank, mono(SMALL, MEDIUM)) for row in rows)
        self._widest_rank = max(ranks, default=0.0) + 1
        self.refresh()
        self.reveal(0)

    def set_position(self, position: int) -> None:
        """Make a row the present one; rows after it are not there yet, and faint."""
        self._position = max(0, min(position, len(self._rows) - 1))
        if self._rows:
            self.put_cursor(self._position)
            self.keep_in_sight()

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a row."""
        return len(self._rows)

    def item_rect(self, index: int) -> QRectF:
        """The row, as wide as what is seen of it."""
        height = self._row_height
        left = self.horizontalScrollBar().value()
        return QRectF(left, index * height, self.viewport().width(), height)

    def item_at(self, point: QPointF) -> int:
        """The row at a height."""
        index = int(point.y() // self._row_height)
        return index if 0 <= index < len(self._rows) else NOTHING

    def item_text(self, index: int) -> str:
        """Which merge it is, the pair, its rank, and the pairs that lost."""
        row, last = self._rows[index], len(self._rows) - 1
        if row.tip:
            return row.tip
        if row.joined is None:
            return f"the end, after {index} merges\n{' '.join(row.symbols)}"
        start, end = row.joined
        pair = " + ".join(row.symbols[start : end + 1])
        lines = [f"merge {index + 1} of {last}: {pair}", row.rank]
        losers = [f"not yet: {loser}" for loser in row.losers]
        return "\n".join(line for line in [*lines, *losers] if line)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which row."""
        self.row_clicked.emit(index)

    def arrange(self) -> QSizeF:
        """The first row has the most symbols, so it is the widest."""
        first = self._rows[0].symbols if self._rows else ()
        width = max(symbol_spans(first)[1], default=0.0)
        whole = self._symbols_left + width + COLUMN_GAP + self._rank_width
        return QSizeF(whole + MARGIN, self._row_height * len(self._rows))

    def keep_in_sight(self) -> None:
        """Scroll to the row of the cursor, and sideways to its pair."""
        super().keep_in_sight()
        if not self._rows or (joined := self._rows[self.cursor_index].joined) is None:
            return
        lefts, rights = symbol_spans(self._rows[self.cursor_index].symbols)
        start, end = lefts[joined[0]], rights[joined[1]]
        window = self._word_right - self._symbols_left
        bar = self.horizontalScrollBar()
        bar.setValue(round(min(max(bar.value(), end - window + 1), start)))

    @property
    def _row_height(self) -> float:
        losers = self._loser_height if self._has_losers else 0.0
        return self._box_height + 3 * GAP + losers

    @property
    def _symbols_left(self) -> float:
        number = advance(str(len(self._rows)), mono(SMALL))
        return MARGIN + number + COLUMN_GAP

    @property
    def _word_right(self) -> float:
        """Where the word ends and the ranks begin, in what is seen."""
        return self.viewport().width() - MARGIN - self._rank_width - COLUMN_GAP

    @property
    def _rank_width(self) -> float:
        return min(self._widest_rank, RANK_LIMIT * self.viewport().width())

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The rows in sight."""
        height = self._row_height
        first = max(0, int(visible.top() // height))
        last = min(len(self._rows), int(visible.bottom() // height) + 1)
        for index in range(first, last):
            self._paint_row(painter, index)

    def _paint_row(self, painter: QPainter, index: int) -> None:
        box, ground = self.item_rect(index), self._ground_name(index)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(ground))
        painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), RADIUS, RADIUS)
        left = box.left() + self._symbols_left
        right = box.left() + self._word_right
        word = QRectF(left, box.top() + GAP, right - left, self._box_height + 2 * GAP)
        painter.save()
        painter.setClipRect(word)  # number and rank stay while the word moves
        self._paint_symbols(painter, index, word)
        painter.restore()
        losers = QRectF(left, word.bottom() - GAP, word.width(), self._loser_height)
        self._paint_words(painter, index, losers)

    def _ground_name(self, index: int) -> str:
        if index == self._position:
            return "accent_soft"
        return "sunken" if index == self.hover_index else "surface"

    def _ink(self, name: str, index: int) -> QColor:
        """The ink of a row: faint while the row is not there yet."""
        if index > self._position:
            return theme().colour("faint")
        return QColor(theme().ink_on(name, self._ground_name(index)))

    def _paint_symbols(self, painter: QPainter, index: int, word: QRectF) -> None:
        row = self._rows[index]
        joined = {place for stretch in row.stretches for place in stretch}
        ends = {stretch[-1] for stretch in row.stretches}
        lefts, rights = symbol_spans(row.symbols)
        origin = self._symbols_left
        first = bisect_left(rights, word.left() - origin)
        last = bisect_right(lefts, word.right() - origin)
        painter.setFont(mono(LARGE))
        for place in range(first, last):
            left, width = origin + lefts[place], rights[place] - lefts[place]
            box = QRectF(left, word.top(), width, self._box_height)
            is_joined = place in joined
            self._paint_symbol(painter, box, row.symbols[place], index, is_joined)
            if is_joined:
                self._underline(painter, box, place not in ends, index)

    def _paint_symbol(
        self, painter: QPainter, box: QRectF, symbol: str, index: int, is_joined: bool
    ) -> None:
        painter.setPen(QPen(theme().colour("line"), 1))
        painter.setBrush(theme().colour("surface"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        is_lit = is_joined and index == self._position
        painter.setPen(self._ink("accent" if is_lit else "text", index))
        # One pixel more than measured, so that rounding never elides.
        draw_label(painter, box.adjusted(0, 0, 1, 0), symbol, Align.AlignHCenter)

    def _underline(
        self, painter: QPainter, box: QRectF, goes_on: bool, index: int
    ) -> None:
        painter.setPen(QPen(self._ink("accent", index), UNDERLINE))
        foot = box.bottom() + UNDERLINE
        end = box.right() + (GAP if goes_on else 0)
        painter.drawLine(QLineF(box.left(), foot, end, foot))

    def _paint_words(self, painter: QPainter, index: int, losers: QRectF) -> None:
        row, box = self._rows[index], self.item_rect(index)
        line = QRectF(box.left(), box.top() + GAP, box.width(), self._box_height)
        number = QRectF(line.left() + MARGIN, line.top(), 0, line.height())
        number.setRight(losers.left() - COLUMN_GAP + 1)
        rank = QRectF(line)
        rank.setLeft(line.right() - MARGIN - self._rank_width)
        rank.setRight(line.right() - MARGIN)
        is_present = index == self._position
        words = (
            (number, str(index + 1), "muted", REGULAR, Align.AlignRight),
            (
                rank,
                row.rank,
                "accent" if is_present else "muted",
                MEDIUM,
                Align.AlignRight,
            ),
            (
                losers,
                fitting(row.losers, losers.width()),
                "muted",
                REGULAR,
                Align.AlignLeft,
            ),
        )
        for place, text, ink, weight, align in words:
            painter.setFont(mono(SMALL, weight))
            painter.setPen(self._ink(ink, index))
            draw_label(painter, place, text, align)
