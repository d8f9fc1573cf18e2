"""A table of numbers, each row with a bar: what counts most, and which way.

Place: strongest neurons, effects on a number, additions to the stream. In: labels,
ready numbers as text, bar lengths from -1 to 1. Out: which row was clicked. Numbers of
a column stand with their decimal points below each other.
"""

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.bars import column_widths, split_at_point
from app.widgets.canvas import DOWN, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height

MARGIN, GAP, ROW_ROOM, HEAD_ROOM = 6, 10, 6, 6
"""At both ends, between columns, and what a row and the heads have beside the text."""
LEAST_GAP = 4
"""Columns may come so near where the labels would else be cut."""
LABEL_LIMIT = 132
BAR_HEIGHT, RADIUS = 10, 4
BAR_LEAST, BAR_MOST = 24.0, 400.0
"""The bars' column takes what is left over, within these."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of the table."""

    label: str
    numbers: tuple[str, ...]
    """As text, one a column."""
    share: float = 0.0
    """Length of the bar, -1 to 1; left of zero where negative."""
    role: str = "accent"
    """The theme colour of the bar."""
    note: str = ""
    """What the tooltip adds."""
    ink: str = "text"
    """The theme colour of the label."""


class NumberTable(Canvas):
    """Rows of label, bar and numbers, under heads that stay."""

    row_clicked = Signal(int)
    """A row was clicked or entered."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the table."""
        super().__init__(name, DOWN, parent)
        self._rows: tuple[TableRow, ...] = ()
        self._heads: tuple[str, ...] = ()
        self._label_head = ""
        self._selected: int | None = None
        self._widths: list[tuple[float, float]] = []
        self._label_width = 0.0
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_rows(
        self,
        rows: tuple[TableRow, ...],
        heads: tuple[str, ...],
        label_head: str = "",
        beside: tuple[TableRow, ...] = (),
    ) -> None:
        """Show other rows; `heads` stand over the numbers.

        A table as wide that has the rows `beside` gives its columns the same widths,
        so that bars can be compared.
        """
        every = (*rows, *beside)
        self._rows, self._heads, self._label_head = rows, heads, label_head
        labels = max((advance(row.label, mono()) for row in every), default=0.0)
        head = advance(label_head, sans(SMALL))
        self._label_width = min(LABEL_LIMIT, max(labels, head)) + 1
        texts = ([row.numbers[place] for row in every] for place in range(len(heads)))
        self._widths = [column_widths(column, mono()) for column in texts]
        self.refresh()

    def set_selected(self, row: int | None) -> None:
        """Mark one row and bring it into sight; None marks none."""
        self._selected = row
        self.keep_in_sight()
        self.viewport().update()

    @property
    def rows(self) -> tuple[TableRow, ...]:
        """What is shown."""
        return self._rows

    @property
    def selected(self) -> int | None:
        """The marked row."""
        return self._selected

    # The canvas's questions.

    @property
    def _row_height(self) -> float:
        return round(line_height(mono()) + ROW_ROOM)

    @property
    def _head_height(self) -> float:
        return round(line_height(sans(SMALL)) + HEAD_ROOM)

    def item_count(self) -> int:
        """One item a row."""
        return len(self._rows)

    def row_rect(self, row: int) -> QRectF:
        """The whole row, below the heads."""
        top = self._head_height + row * self._row_height
        return QRectF(0, top, self.viewport().width(), self._row_height)

    def item_of(self, row: int) -> int:
        """The item that a row is."""
        return row

    def row_of(self, index: int) -> int:
        """The row that an item belongs to."""
        return index

    def item_rect(self, index: int) -> QRectF:
        """The whole row."""
        return self.row_rect(index)

    def item_at(self, point: QPointF) -> int:
        """The row at a height; the heads that lie over it are none."""
        index = int((point.y() - self._head_height) // self._row_height)
        is_under = point.y() - self.offset().y() < self._head_height
        is_inside = 0 <= index < len(self._rows) and not is_under
        return index if is_inside else NOTHING

    def item_text(self, index: int) -> str:
        """The label, each number under its head, and the note."""
        row = self._rows[index]
        numbers = zip(self._heads, row.numbers, strict=True)
        facts = [f"{head} {number}" for head, number in numbers]
        label = f"{self._label_head} {row.label}".strip()
        return "\n".join(fact for fact in (label, *facts, row.note) if fact)

    def arrange(self) -> QSizeF:
        """All rows below each other, under the heads.

        Where they are more than fit, the view ends with a whole row.
        """
        height = self._head_height + len(self._rows) * self._row_height
        spare = (self.height() - self._head_height) % self._row_height
        foot = round(spare) if height > self.height() else 0
        if foot != self.viewportMargins().bottom():
            self.setViewportMargins(0, 0, 0, foot)
        return QSizeF(self.viewport().width(), height)

    def keep_in_sight(self) -> None:
        """Scroll to the marked row; the heads lie over the first line of the view."""
        if self._selected is None:
            return
        self.reveal(self.item_of(self._selected))
        bar, top = self.verticalScrollBar(), self._selected * self._row_height
        bar.setValue(min(bar.value(), round(top)))

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which row."""
        self.row_clicked.emit(index)

    def _number_boxes(self) -> list[tuple[float, float]]:
        """Left edge and width of each column of numbers, from left to right."""
        widths = [
            max(sum(parts), self._head_width(place)) + 1
            for place, parts in enumerate(self._widths)
        ]
        spare = self.viewport().width() - 2 * MARGIN - self._label_width - sum(widths)
        gap = max(LEAST_GAP, min(GAP, spare / max(1, len(widths))))
        left = self.viewport().width() - MARGIN - sum(widths) - gap * (len(widths) - 1)
        boxes = []
        for width in widths:
            boxes.append((left, width))
            left += width + gap
        return boxes

    def _head_width(self, place: int) -> float:
        """What the head of a column of numbers takes."""
        return advance(self._heads[place], sans(SMALL))

    def _bar_span(self) -> tuple[float, float]:
        left = MARGIN + self._label_width + GAP
        boxes = self._number_boxes()
        right = (boxes[0][0] if boxes else self.viewport().width() - MARGIN) - GAP
        return left, max(left, min(left + BAR_MOST, right))

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The rows in sight."""
        first = max(0, int((visible.top() - self._head_height) // self._row_height))
        boxes, span = self._number_boxes(), self._bar_span()
        has_negative = any(row.share < 0 for row in self._rows)
        for index in range(first, len(self._rows)):
            box = self.row_rect(index)
            if box.top() > visible.bottom():
                break
            ground = self._paint_ground(painter, box, index)
            if span[1] - span[0] >= BAR_LEAST:
                zero = sum(span) / 2 if has_negative else span[0]
                self._paint_bar(painter, box, span, zero, self._rows[index])
            self._paint_texts(painter, box, boxes, index, ground)

    def _paint_ground(self, painter: QPainter, box: QRectF, index: int) -> str:
        """The row's background where it stands out; its name."""
        is_marked = index == self._selected
        if not is_marked and index != self.row_of(self.hover_index):
            return "surface"
        ground = "query_soft" if is_marked else "sunken"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(ground))
        painter.drawRoundedRect(box.adjusted(0, 1, 0, -1), RADIUS, RADIUS)
        return ground

    def _paint_bar(
        self,
        painter: QPainter,
        box: QRectF,
        span: tuple[float, float],
        zero: float,
        row: TableRow,
    ) -> None:
        reach = span[1] - zero
        length = reach * max(-1.0, min(1.0, row.share))
        bar = QRectF(zero, box.center().y() - BAR_HEIGHT / 2, length, BAR_HEIGHT)
        role = theme().opposite(row.role) if length < 0 else getattr(theme(), row.role)
        painter.fillRect(bar.normalized(), QColor(role))
        if zero > span[0]:
            painter.setPen(QPen(theme().colour("faint"), 1))
            x = round(zero) + 0.5
            painter.drawLine(QLineF(x, box.top(), x, box.bottom()))

    def _paint_texts(
        self,
        painter: QPainter,
        box: QRectF,
        boxes: list[tuple[float, float]],
        index: int,
        ground: str,
    ) -> None:
        row = self._rows[index]
        weight = MEDIUM if index == self._selected else REGULAR
        font = mono(weight=weight)
        painter.setFont(font)
        painter.setPen(QColor(theme().ink_on(row.ink, ground)))
        room = (boxes[0][0] if boxes else box.right()) - MARGIN - LEAST_GAP
        width = min(self._label_width, room)
        label = QRectF(MARGIN, box.top(), width, box.height())
        draw_label(painter, label, row.label, Align.AlignLeft)
        painter.setPen(QColor(theme().ink_on("text", ground)))
        for (left, width), (_, after), number in zip(
            boxes, self._widths, row.numbers, strict=True
        ):
            whole, rest = split_at_point(number)
            point = left + width - after
            before = QRectF(left - GAP, box.top(), point - left + GAP, box.height())
            draw_label(painter, before, whole, Align.AlignRight)
            behind = QRectF(point, box.top(), after + 1, box.height())
            draw_label(painter, behind, rest, Align.AlignLeft)

    def paint_over(self, painter: QPainter) -> None:
        """The heads; they stay while rows move."""
        height = self._head_height
        painter.fillRect(
            QRectF(0, 0, self.viewport().width(), height), theme().colour("surface")
        )
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("muted"))
        box = QRectF(MARGIN, 0, self._label_width, height - HEAD_ROOM)
        draw_label(painter, box, self._label_head, Align.AlignLeft)
        for (left, width), head in zip(self._number_boxes(), self._heads, strict=True):
            box = QRectF(left - GAP, 0, width + GAP, height - HEAD_ROOM)
            draw_label(painter, box, head, Align.AlignRight)
