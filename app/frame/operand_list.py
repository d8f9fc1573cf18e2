"""The operands of a number, a line each; every factor is a link to where it comes from.

Place: in the inspector. In: the rows of an `InspectorView`. Out: which factor was
clicked. Factors and results stand in columns, to be compared down the list.
"""

from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QLineF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import CAPTION, MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.bars import column_widths, split_at_point
from app.widgets.canvas import DOWN, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label
from app.widgets.qt_calls import tells_faults
from core.trace.matrix import Cell
from core.trace.views.inspector import InspectorView
from core.trace.views.operand_rows import Link, Row
from core.trace.views.places import Words

ROW_HEIGHT = 22
HEAD_HEIGHT, HEAD_WIDTH = 16, 72
GAP = 10
"""Between label, factor and result where no sign stands between them."""
SIGNS = ("×", "=")
SIGN_GAP = 4
RADIUS = 4
UNDERLINE = 0.7
"""How far below a line's middle its underline runs, in sizes of its type."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns of numbers end, and how much room the labels have."""

    points: tuple[float, ...]
    """Where the decimal points stand, one below the other."""
    rights: tuple[float, ...]
    signs: tuple[float, ...]
    """Where the sign before each column but the first stands; its left edge."""
    label: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A factor where it is drawn."""

    link: Link
    row: int
    box: QRectF


def columns_of(rows: tuple[Row, ...], rest: str, width: float) -> Columns:
    """The columns for these rows, as narrow as their numbers, at the right."""
    texts = [_numbers(row) for row in rows] + ([[rest]] if rest else [])
    n_columns = max(map(len, texts), default=0)
    if not n_columns:
        return Columns((), (), (), width)
    # Short rows keep to the right: a bias stands among the products.
    parts = [
        column_widths([row[place] for row in texts if len(row) >= -place], mono(SMALL))
        for place in range(-n_columns, 0)
    ]
    widths = [before + after for before, after in parts]
    has_signs = n_columns > 2
    sign = advance(SIGNS[0], mono(SMALL))
    between = sign + 2 * SIGN_GAP if has_signs else GAP
    steps = accumulate(
        reversed(widths[1:]), lambda x, w: x - w - between, initial=width
    )
    rights = tuple(reversed(list(steps)))
    signs = tuple(right + SIGN_GAP for right in rights[:-1]) if has_signs else ()
    points = tuple(
        right - after for right, (_, after) in zip(rights, parts, strict=True)
    )
    return Columns(points, rights, signs, rights[0] - widths[0] - GAP)


def number_box(text: str, point: float, top: float) -> QRectF:
    """Where a number is drawn so that its decimal point stands at `point`."""
    whole, rest = (advance(part, mono(SMALL)) for part in split_at_point(text))
    # One pixel more than measured, so that rounding never elides.
    return QRectF(point - whole, top, whole + rest + 1, ROW_HEIGHT)


def _numbers(row: Row) -> list[str]:
    return [link.text for link in row.factors] + ([row.result] if row.result else [])


@tells_faults
class OperandList(Canvas):
    """Rows of label, factors and result."""

    link_followed = Signal(Cell)
    """The reader wants to see where this factor comes from."""

    more_requested = Signal()
    """The reader wants more of the terms that are added up in the last row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Empty."""
        super().__init__("Operands", DOWN, parent)
        self.setObjectName("inspector.operands")
        self._rows: tuple[Row, ...] = ()
        self._rest = ("", "")
        self._heads: tuple[Words, ...] = ()
        self._placed: tuple[Placed, ...] = ()
        self._columns = Columns((), (), (), 0.0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_view(self, view: InspectorView | None) -> None:
        """Show the operands of a number; None for none."""
        self._rows = view.rows if view else ()
        self._rest = (view.rest, view.rest_value) if view else ("", "")
        self._heads = view.heads if view else ()
        lines = len(self._rows) + bool(self._rest[0])
        self.setFixedHeight(round(self._top_of(lines)))
        self.refresh()

    def _top_of(self, row: int) -> float:
        """Where a row begins; the heads of the columns stand above the first."""
        return float(row * ROW_HEIGHT + (HEAD_HEIGHT if self._heads else 0))

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a factor, and one for the terms that are added up."""
        return len(self._placed) + bool(self._rest[0])

    def item_rect(self, index: int) -> QRectF:
        """The factor's box, or that of the words for the rest."""
        if self._is_rest(index):
            width = advance(self._rest[0], sans(SMALL)) + 1
            return QRectF(0, self._top_of(len(self._rows)), width, ROW_HEIGHT)
        return self._placed[index].box

    def item_text(self, index: int) -> str:
        """The number and where it stands."""
        if self._is_rest(index):
            return (
                f"{self._rest[0]}, together {self._rest[1]}\nClick to see more of them"
            )
        link = self._placed[index].link
        return f"{link.text}\n{link.tip}" if link.tip else link.text

    def activate(self, index: int, is_secondary: bool) -> None:
        """Go where the factor comes from, or ask for more rows."""
        if self._is_rest(index):
            self.more_requested.emit()
            return
        cell = self._placed[index].link.cell
        if cell is not None:
            self.link_followed.emit(cell)

    def _is_rest(self, index: int) -> bool:
        return index == len(self._placed)

    def _is_link(self, index: int) -> bool:
        """Whether a click on the item leads somewhere."""
        if index == NOTHING:
            return False
        return self._is_rest(index) or self._placed[index].link.cell is not None

    def arrange(self) -> QSizeF:
        """Put every factor at the right edge of its column."""
        width = float(self.viewport().width())
        self._columns = columns_of(self._rows, self._rest[1], width)
        placed = []
        for number, row in enumerate(self._rows):
            points = self._columns.points[-len(_numbers(row)) :]
            for link, point in zip(row.factors, points, strict=False):
                box = number_box(link.text, point, self._top_of(number))
                placed.append(Placed(link, number, box))
        self._placed = tuple(placed)
        return QSizeF(width, self._top_of(len(self._rows)))

    # Ink.

    def paint_empty(self, painter: QPainter) -> None:
        """A number without operands has none to show."""

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """Heads, labels, factors with the signs between them, results."""
        self._paint_heads(painter)
        for number, row in enumerate(self._rows):
            self._paint_row(painter, number, row)
        for index, placed in enumerate(self._placed):
            self._paint_factor(painter, index, placed)
        if self._rest[0]:
            words, value = self._rest
            top = self._top_of(len(self._rows))
            self._paint_label(painter, top, words, "muted", REGULAR)
            self._paint_number(painter, top, value, REGULAR)
            if self._is_rest(self.hover_index):
                self._underline(painter, self.item_rect(self.hover_index), "muted")

    def _paint_heads(self, painter: QPainter) -> None:
        painter.setFont(sans(CAPTION))
        for (text, role), right in zip(self._heads, self._columns.rights, strict=False):
            painter.setPen(theme().ink(role))
            box = QRectF(right - HEAD_WIDTH, 0, HEAD_WIDTH, HEAD_HEIGHT)
            draw_label(painter, box, text, Align.AlignRight)

    def _paint_row(self, painter: QPainter, number: int, row: Row) -> None:
        top = self._top_of(number)
        weight = MEDIUM if row.is_own else REGULAR
        if row.is_own:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme().colour("sunken"))
            box = QRectF(0, top + 1, self.viewport().width(), ROW_HEIGHT - 2)
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        self._paint_label(painter, top, row.label.text, row.label.role, weight)
        if row.result:
            self._paint_number(painter, top, row.result, weight)
        if len(_numbers(row)) == len(self._columns.rights):
            painter.setFont(mono(SMALL))
            painter.setPen(theme().ink("muted"))
            for sign, left in zip(SIGNS, self._columns.signs, strict=False):
                box = QRectF(left, top, 2 * SMALL, ROW_HEIGHT)
                draw_label(painter, box, sign, Align.AlignLeft)

    def _paint_label(
        self, painter: QPainter, top: float, text: str, role: str, weight: int
    ) -> None:
        painter.setFont(sans(SMALL) if role == "muted" else mono(SMALL, weight))
        painter.setPen(theme().ink(role))
        room = QRectF(0, top, self._columns.label, ROW_HEIGHT)
        draw_label(painter, room, text, Align.AlignLeft)

    def _paint_number(
        self, painter: QPainter, top: float, text: str, weight: int
    ) -> None:
        """A result, in the last column."""
        painter.setFont(mono(SMALL, weight))
        painter.setPen(theme().colour("text"))
        box = number_box(text, self._columns.points[-1], top)
        draw_label(painter, box, text, Align.AlignLeft)

    def _paint_factor(self, painter: QPainter, index: int, placed: Placed) -> None:
        link, box = placed.link, placed.box
        painter.setFont(mono(SMALL))
        painter.setPen(theme().ink(link.role))
        draw_label(painter, box, link.text, Align.AlignLeft)
        if index == self.hover_index and link.cell is not None:
            self._underline(painter, box, link.role)

    def _underline(self, painter: QPainter, box: QRectF, role: str) -> None:
        foot = box.center().y() + UNDERLINE * SMALL
        painter.setPen(QPen(theme().ink(role), 1))
        painter.drawLine(QLineF(box.left(), foot, box.right(), foot))

    def _hover_at(self, index: int) -> None:
        super()._hover_at(index)
        cursor = Qt.CursorShape
        is_link = self._is_link(index)
        shape = cursor.PointingHandCursor if is_link else cursor.ArrowCursor
        self.viewport().setCursor(shape)

    def minimumSizeHint(self) -> QSize:
        """As high as its rows."""
        return QSize(120, self.height())
