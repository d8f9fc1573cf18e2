"""Rows of short texts in columns, some of them bracketed: a table without a grid.

Place: the tokens with their ids and spans. In: columns and rows of text. Out: which row
was clicked. Only the rows in sight are painted.
"""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import BASE, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.canvas import DOWN, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

MARGIN, RADIUS = 8, 4
LEAST_GAP, MOST_GAP = 12.0, 40.0
"""Between columns: what is left over, within these."""
LEAST_WIDTH = 48.0
"""A column that gives way stays this wide."""
ROW_ROOM = 8
"""What a row has above and below its text together."""
HEAD_HEIGHT = 24
"""The heads, and a little air under them."""
BRACKET = 6
"""Width of the bracket at the left."""
N_MEASURED = 32
"""Only so many of the longest texts of a column are measured."""


@dataclass(frozen=True, slots=True)
class Column:
    """What stands below each other."""

    head: str
    is_number: bool = False
    """Numbers stand at the right of their column."""
    ink: str = "text"
    gives: bool = False
    """Where there is too little room, this column is the one that is cut with "…"."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    texts: tuple[str, ...]
    bracket: int | None = None
    """Neighbours with the same number stand in one bracket."""
    note: str = ""
    """What the tooltip adds."""


class Rows(Canvas):
    """A list of rows under column heads that stay; scrolls when long."""

    REVEAL_MARGIN = HEAD_HEIGHT
    """Rows scroll under the heads."""

    row_clicked = Signal(int)
    """A row was clicked or entered."""

    def __init__(
        self, name: str, columns: tuple[Column, ...], parent: QWidget | None = None
    ) -> None:
        """`name` is what a screen reader calls the list."""
        super().__init__(name, DOWN, parent)
        self._columns = columns
        self._rows: tuple[Row, ...] = ()
        self._widths = [0.0 for _ in columns]
        self._chosen: int | None = None

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show other rows."""
        self._rows = rows
        self._widths = [self._width(at) for at in range(len(self._columns))]
        self.refresh()
        self.keep_in_sight()

    def set_chosen(self, row: int | None) -> None:
        """Dress one row as the chosen one and bring it into sight."""
        self._chosen = row
        self.keep_in_sight()
        self.viewport().update()

    def _width(self, column: int) -> float:
        """Room for a column's texts and its head; 0 where no row has a text."""
        texts = sorted({row.texts[column] for row in self._rows}, key=len)
        longest = texts[-N_MEASURED:]
        widest = max((advance(text, mono()) for text in longest), default=0.0)
        head = advance(self._columns[column].head, sans(SMALL))
        return max(widest, head) + 1 if widest else 0.0

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a row."""
        return len(self._rows)

    def item_rect(self, index: int) -> QRectF:
        """The row, as wide as what is seen of it."""
        height = self._row_height
        top = HEAD_HEIGHT + index * height
        left = self.horizontalScrollBar().value()
        return QRectF(left, top, self.viewport().width(), height)

    def item_at(self, point: QPointF) -> int:
        """The row at a height."""
        index = int((point.y() - HEAD_HEIGHT) // self._row_height)
        return index if 0 <= index < len(self._rows) else NOTHING

    def item_text(self, index: int) -> str:
        """Each column's head and text, and the note."""
        row = self._rows[index]
        named = zip(self._columns, row.texts, strict=True)
        facts = [f"{column.head} {text}".strip() for column, text in named if text]
        return "\n".join([*facts, row.note] if row.note else facts)

    def arrange(self) -> QSizeF:
        """All rows below each other, as wide as their columns at the least."""
        height = HEAD_HEIGHT + self._row_height * len(self._rows)
        needed = self._boxes(0, 0)[-1].right() + MARGIN
        return QSizeF(max(self.viewport().width(), needed), height)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which row."""
        self.row_clicked.emit(index)

    def keep_in_sight(self) -> None:
        """Scroll to the chosen row."""
        if self._chosen is not None:
            self.reveal(self._chosen)

    @property
    def _row_height(self) -> float:
        return round(line_height(mono()) + ROW_ROOM)

    def _boxes(self, top: float, height: float) -> list[QRectF]:
        """The columns' boxes, side by side; what is left over goes between them."""
        n_gaps = max(1, len(self._columns) - 1)
        room = self.viewport().width() - 2 * MARGIN - BRACKET
        widths = list(self._widths)
        lack = max(0.0, sum(widths) + n_gaps * LEAST_GAP - room)
        for at, column in enumerate(self._columns):
            if column.gives:
                widths[at] = max(LEAST_WIDTH, widths[at] - lack)
        gap = min(MOST_GAP, (room - sum(widths)) / n_gaps)
        left, boxes = float(MARGIN + BRACKET), []
        for width in widths:
            boxes.append(QRectF(left, top, width, height))
            left += width + max(LEAST_GAP, gap)
        return boxes

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The rows in sight and their brackets."""
        height = self._row_height
        first = max(0, int((visible.top() - HEAD_HEIGHT) // height))
        last = min(len(self._rows), int((visible.bottom() - HEAD_HEIGHT) // height) + 1)
        for index in range(first, last):
            self._paint_row(painter, index)
            self._paint_bracket(painter, index)

    def _paint_row(self, painter: QPainter, index: int) -> None:
        box = self.item_rect(index)
        is_chosen = index == self._chosen
        is_lit = is_chosen or index == self.hover_index
        ground = "query_soft" if is_chosen else "sunken" if is_lit else "surface"
        if is_lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().colour(ground))
            painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), RADIUS, RADIUS)
        painter.setFont(mono(BASE))
        for column, text, place in zip(
            self._columns,
            self._rows[index].texts,
            self._boxes(box.top(), box.height()),
            strict=True,
        ):
            align = Align.AlignRight if column.is_number else Align.AlignLeft
            painter.setPen(QColor(theme().ink_on(column.ink, ground)))
            draw_label(painter, place, text, align)

    def _paint_bracket(self, painter: QPainter, index: int) -> None:
        """This row's part of the bracket around it and its neighbours."""
        number = self._rows[index].bracket
        if number is None:
            return
        box = self.item_rect(index)
        left, middle = MARGIN - 2.5, box.center().y()
        ends = [index - 1, index + 1]
        opens, closes = (
            not 0 <= at < len(self._rows) or self._rows[at].bracket != number
            for at in ends
        )
        top = middle if opens else box.top()
        foot = middle if closes else box.bottom()
        painter.setPen(QPen(theme().colour("muted"), 1))
        points = [QPointF(left, top), QPointF(left, foot)]
        if opens:
            points.insert(0, QPointF(left + BRACKET, top))
        if closes:
            points.append(QPointF(left + BRACKET, foot))
        painter.drawPolyline(points)

    def paint_over(self, painter: QPainter) -> None:
        """The column heads, which stay while the rows scroll."""
        head = QRectF(0, 0, self.viewport().width(), HEAD_HEIGHT)
        painter.fillRect(head, theme().colour("surface"))
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("muted"))
        boxes = self._boxes(0, line_height(sans(SMALL)))
        painter.translate(-self.horizontalScrollBar().value(), 0)
        for column, box in zip(self._columns, boxes, strict=True):
            align = Align.AlignRight if column.is_number else Align.AlignLeft
            if box.width():
                draw_label(painter, box, column.head, align)
