"""Words as boxes of cells that flow over lines, such as characters above their bytes.

Place: the tokens panel. In: words, each of one or more cells. Out: which word was
clicked. A word stays on one line where it can; a longer one goes on in the next.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import BASE, CAPTION, LARGE, NUMBER, SMALL, TITLE, mono
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

GAP = 4
"""Between words, and between lines."""
PADDING, INSIDE = 7, 3
"""Within a word's box: at its ends, and above and below."""
CELL_GAP = 6
"""Between the cells of a word."""
RADIUS = 5
MARGIN = 1
"""Keeps the outermost lines inside."""
SIZES = ((LARGE, CAPTION), (TITLE, SMALL), (NUMBER, BASE))
"""Type of the two lines of a cell: the rule, then what few words may grow to."""


@dataclass(frozen=True, slots=True)
class FlowCell:
    """One character or word, and the small line under it."""

    label: str
    sub: str = ""


@dataclass(frozen=True, slots=True)
class FlowWord:
    """Cells that belong together."""

    cells: tuple[FlowCell, ...]
    note: str = ""
    """What the tooltip adds."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a word that lies on one line."""

    word: int
    box: QRectF
    first: int
    """Index of its first cell in the word."""
    widths: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Type:
    """The two fonts of a cell, and how high that makes a box."""

    label: QFont
    sub: QFont
    height: float

    def width(self, cell: FlowCell) -> float:
        """Room for the wider of the two lines."""
        sub = advance(cell.sub, self.sub) if cell.sub else 0.0
        return max(advance(cell.label, self.label), sub)


def type_of(words: tuple[FlowWord, ...], sizes: tuple[int, int]) -> Type:
    """The type of words at these sizes; boxes are lower where no cell has a sub."""
    label, sub = mono(sizes[0]), mono(sizes[1])
    has_subs = any(cell.sub for word in words for cell in word.cells)
    height = line_height(label) + (line_height(sub) if has_subs else 0.0)
    return Type(label, sub, round(height + 2 * INSIDE))


def pieces_of(
    words: tuple[FlowWord, ...], type_: Type, width: float
) -> Iterator[Piece]:
    """Where the words lie, line by line, in a column `width` pixels wide."""
    x = y = float(MARGIN)
    most, height = width - 2 * MARGIN, type_.height
    for index, word in enumerate(words):
        widths = [min(type_.width(cell), most - 2 * PADDING) for cell in word.cells]
        whole = 2 * PADDING + sum(widths) + CELL_GAP * (len(widths) - 1)
        if x > MARGIN and x + whole > MARGIN + most:
            x, y = float(MARGIN), y + height + GAP
        for first, part in _lines(widths, most):
            if first:
                x, y = float(MARGIN), y + height + GAP
            long = 2 * PADDING + sum(part) + CELL_GAP * (len(part) - 1)
            yield Piece(index, QRectF(x, y, long, height), first, part)
            x += long + GAP


def pieces_above(height: float, pieces: Iterator[Piece]) -> tuple[Piece, ...] | None:
    """All pieces; None as soon as one of them reaches below `height`."""
    found = []
    for piece in pieces:
        if piece.box.bottom() > height:
            return None
        found.append(piece)
    return tuple(found)


def _lines(widths: list[float], most: float) -> Iterator[tuple[int, tuple[float, ...]]]:
    """The cells of a word cut into lines: (index of the first, widths)."""
    first, used = 0, 2.0 * PADDING
    for place, width in enumerate(widths):
        if place > first and used + width > most:
            yield first, tuple(widths[first:place])
            first, used = place, 2.0 * PADDING
        used += width + CELL_GAP
    yield first, tuple(widths[first:])


class WordFlow(Canvas):
    """Boxes of words over several lines; scrolls when they are many."""

    word_clicked = Signal(int)
    """A word was clicked or entered."""

    def __init__(
        self, name: str, *, grows: bool = False, parent: QWidget | None = None
    ) -> None:
        """`name` is what a screen reader calls the words.

        With `grows` few words are written larger, and all the room is taken.
        """
        super().__init__(name, {**ACROSS, **DOWN}, parent)
        self._sizes = SIZES if grows else SIZES[:1]
        self._type = type_of((), SIZES[0])
        self._words: tuple[FlowWord, ...] = ()
        self._pieces: tuple[Piece, ...] = ()
        self._boxes: dict[int, QRectF] = {}
        self._chosen: int | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if not grows:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def show_words(self, words: tuple[FlowWord, ...]) -> None:
        """Show other words; the chosen one stays chosen where it still exists."""
        self._words = words
        self.refresh()
        self.keep_in_sight()

    def set_chosen(self, word: int | None) -> None:
        """Dress one word as the chosen one and bring it into sight."""
        self._chosen = word
        if word is not None:
            self.put_cursor(word)
        self.viewport().update()

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a word."""
        return len(self._words)

    def item_rect(self, index: int) -> QRectF:
        """Around all lines of the word."""
        return self._boxes.get(index, QRectF())

    def item_at(self, point: QPointF) -> int:
        """The word with a box under the point."""
        hits = (piece.word for piece in self._pieces if piece.box.contains(point))
        return next(hits, NOTHING)

    def item_text(self, index: int) -> str:
        """The word and its note."""
        word = self._words[index]
        label = "".join(cell.label for cell in word.cells)
        return f"{label}\n{word.note}".strip()

    def arrange(self) -> QSizeF:
        """Let the words flow again, in the largest type in which all are seen."""
        seen = self.viewport().size()
        for sizes in reversed(self._sizes):
            self._type = type_of(self._words, sizes)
            most = inf if sizes == self._sizes[0] else seen.height() - MARGIN
            pieces = pieces_of(self._words, self._type, seen.width())
            fitting = pieces_above(most, pieces)
            if fitting is not None:
                self._pieces = fitting
                break
        self._boxes = {}
        for piece in self._pieces:
            self._boxes[piece.word] = self._boxes.get(piece.word, QRectF()) | piece.box
        bottom = self._pieces[-1].box.bottom() if self._pieces else 0.0
        return QSizeF(seen.width(), bottom + MARGIN)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which word."""
        self.word_clicked.emit(index)

    def keep_in_sight(self) -> None:
        """Scroll to the chosen word."""
        if self._chosen is not None:
            self.reveal(self._chosen)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The lines in sight."""
        for piece in self._pieces:
            if piece.box.intersects(visible):
                self._paint_box(painter, piece)
                self._paint_cells(painter, piece)

    def _ground(self, word: int) -> str:
        if word == self._chosen:
            return "query_soft"
        return "sunken" if word == self.hover_index else "surface"

    def _paint_box(self, painter: QPainter, piece: Piece) -> None:
        is_chosen = piece.word == self._chosen
        pen = QPen(theme().colour("query" if is_chosen else "line"), 1 + is_chosen)
        inset = pen.widthF() / 2
        box = piece.box.adjusted(inset, inset, -inset, -inset)
        painter.setPen(pen)
        painter.setBrush(theme().colour(self._ground(piece.word)))
        painter.drawRoundedRect(box, RADIUS, RADIUS)

    def _paint_cells(self, painter: QPainter, piece: Piece) -> None:
        ground, cells = self._ground(piece.word), self._words[piece.word].cells
        rows = ((self._type.label, "text"), (self._type.sub, "muted"))
        left = piece.box.left() + PADDING
        for cell, width in zip(cells[piece.first :], piece.widths, strict=False):
            top = piece.box.top() + INSIDE
            texts = (cell.label, cell.sub)
            for text, (font, ink) in zip(texts, rows, strict=True):
                painter.setFont(font)
                painter.setPen(QColor(theme().ink_on(ink, ground)))
                # One pixel more than measured, so that rounding never elides.
                box = QRectF(left, top, width + 1, line_height(font))
                draw_label(painter, box, text, Align.AlignHCenter)
                top = box.bottom()
            left += width + CELL_GAP
