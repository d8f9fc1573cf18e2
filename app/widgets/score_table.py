"""A table of scores that can be sorted: one row a thing, one column a score.

Place: head scores. In: labels, names, numbers with their limits. Out: which row was
chosen. A slim bar under each number compares it with the others of its column; numbers
that stand out are darker. Rows are told by their place in what was given, however they
are sorted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.style.fonts import MEDIUM, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.arrow_keys import ENTER
from app.widgets.label import advance, as_tip
from app.widgets.qt_calls import tells_faults

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
BAR_ROLE, INK_ROLE = Role.UserRole.value, Role.UserRole.value + 1
"""How long the bar of a cell is, 0 to 1, None without one; the colour of its text."""

LABEL, NAME, FIRST = 0, 1, 2
"""The columns: what a row is, how it is named, and the first score."""
NO_NUMBER = "–"
ROW_HEIGHT = 28
BAR_HEIGHT, BAR_FOOT, BAR_MARGIN = 3, 3, 6
HEAD_ROOM = 20
"""Beside the title of a column: padding, and the arrow of the sorted one."""
LEAST_NUMBER = 47
NAME_WIDTH = 135
LABEL_ROOM = 17
TIP_WIDTH = 60
"""Characters in a line of a tooltip."""
ROOM = """
QTableView::item { padding: 0 6px 3px 3px; }
QHeaderView::section { padding: 4px 13px 4px 6px; }
"""
"""Numbers leave their foot to the bar, and end where titles do: before the arrow."""


class Scores(Protocol):
    """One column."""

    @property
    def title(self) -> str:
        """What stands over it."""

    @property
    def tip(self) -> str:
        """What it is: a line for the name, then the definition."""

    @property
    def values(self) -> NDArray[np.float32]:
        """[rows]; NaN where there is none."""

    @property
    def limit(self) -> float:
        """The value of a full bar."""

    @property
    def stands_out_from(self) -> float:
        """Above this a number is darker."""

    @property
    def lack(self) -> str:
        """Why a number is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What is shown."""

    labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    columns: tuple[Scores, ...] = ()
    label_title: str = ""
    name_title: str = ""


class ScoreModel(QAbstractTableModel):
    """The rows in their present order."""

    def __init__(self) -> None:
        """No rows, in the order in which they will be given."""
        super().__init__()
        self.table = Table()
        self.order: NDArray[np.intp] = np.zeros(0, np.intp)
        self._sorted_by = (LABEL, Qt.SortOrder.AscendingOrder)

    def show_table(self, table: Table) -> None:
        """Show other rows, sorted as before."""
        self.beginResetModel()
        self.table = table
        self.order = order_of(table, *self._sorted_by)
        self.endResetModel()

    # Qt's calls.

    def rowCount(self, parent: Index | None = None) -> int:
        """One row a thing."""
        return 0 if parent is not None and parent.isValid() else len(self.order)

    def columnCount(self, parent: Index | None = None) -> int:
        """Label, name, and the scores."""
        is_inside = parent is not None and parent.isValid()
        return 0 if is_inside else FIRST + len(self.table.columns)

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Order the rows by a column."""
        self._sorted_by = (column, order)
        self.show_table(self.table)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """The title of a column, and its definition as a tip."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        is_score = section >= FIRST
        if role == Role.TextAlignmentRole:
            return RIGHT if is_score else LEFT
        if role == Role.FontRole:
            return sans(SMALL)
        if role == Role.InitialSortOrderRole and is_score:
            return Qt.SortOrder.DescendingOrder
        if role == Role.DisplayRole:
            titles = self.table.label_title, self.table.name_title
            return self._column(section).title if is_score else titles[section]
        if role == Role.ToolTipRole and is_score:
            return as_tip(wrapped(self._column(section).tip))
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """What a cell says and how it looks."""
        row, place = int(self.order[index.row()]), index.column()
        if place < FIRST:
            return self._word(row, place, role)
        column = self._column(place)
        value = float(column.values[row])
        is_out = value > column.stands_out_from
        answers = {
            Role.DisplayRole: NO_NUMBER if np.isnan(value) else f"{value:.2f}",
            Role.TextAlignmentRole: RIGHT,
            Role.FontRole: mono(weight=MEDIUM) if is_out else mono(),
            Role.ForegroundRole: theme().ink("text" if is_out else "muted"),
            INK_ROLE: "text" if is_out else "muted",
            BAR_ROLE: None if np.isnan(value) else min(1.0, value / column.limit),
        }
        if role == Role.ToolTipRole and np.isnan(value):
            return as_tip(f"{column.title}: {column.lack}")
        return answers.get(role)

    def _column(self, place: int) -> Scores:
        return self.table.columns[place - FIRST]

    def _word(self, row: int, place: int, role: int) -> Any:
        texts = (self.table.labels, self.table.names)[place]
        answers = {
            Role.DisplayRole: texts[row],
            Role.TextAlignmentRole: LEFT,
            Role.FontRole: sans(),
            Role.ForegroundRole: theme().ink("text"),
            INK_ROLE: "text",
        }
        return answers.get(role)


def order_of(table: Table, column: int, order: Qt.SortOrder) -> NDArray[np.intp]:
    """The rows by a column; what has no value or name stands last either way."""
    is_down = order == Qt.SortOrder.DescendingOrder
    rows = range(len(table.labels))
    if FIRST <= column < FIRST + len(table.columns):
        values = table.columns[column - FIRST].values
        return np.argsort(-values if is_down else values, kind="stable")
    if column == NAME:
        by_name = sorted(rows, key=lambda row: table.names[row], reverse=is_down)
        named_first = sorted(by_name, key=lambda row: not table.names[row])
        return np.array(named_first, np.intp)
    return np.array(rows[::-1] if is_down else rows, np.intp)


def wrapped(tip: str) -> str:
    """Long lines of a tooltip broken between words."""
    return "\n".join(fill(line, TIP_WIDTH) for line in tip.splitlines())


class BarInk(QStyledItemDelegate):
    """A cell with its bar; what stands out does so in a chosen row, too."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Qt's own, with the cell's colour on the ground of a chosen row."""
        super().initStyleOption(option, index)
        colour = QColor(theme().ink_on(index.data(INK_ROLE), "accent_soft"))
        option.palette.setColor(QPalette.ColorRole.HighlightedText, colour)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Qt's own cell, and the bar at its foot."""
        super().paint(painter, option, index)
        share = index.data(BAR_ROLE)
        if share:
            cell = QRectF(option.rect)
            room = cell.width() - 2 * BAR_MARGIN
            top = cell.bottom() - BAR_FOOT - BAR_HEIGHT
            bar = QRectF(cell.left() + BAR_MARGIN, top, room * share, BAR_HEIGHT)
            painter.fillRect(bar, theme().colour("pattern"))


@tells_faults
class ScoreTable(QTableView):
    """The table; focus comes by Tab only, so that a click leaves the arrow keys."""

    row_clicked = Signal(int)
    """A row was clicked, or entered by a key: its place in what was given."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the table."""
        super().__init__(parent)
        self._model = ScoreModel()
        self._selected: int | None = None
        self.setModel(self._model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegate(BarInk(self))
        self.setCornerWidget(QWidget())  # else the style paints a box between the bars
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setStyleSheet(ROOM)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(LEAST_NUMBER)
        head.setSortIndicator(LABEL, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        head.sortIndicatorChanged.connect(self.scrollToTop)
        self._model.modelReset.connect(self._on_model_reset)
        self.clicked.connect(self._on_clicked)

    def show_table(
        self,
        labels: Sequence[str],
        names: Sequence[str],
        columns: Sequence[Scores],
        titles: tuple[str, str] = ("", ""),
    ) -> None:
        """Show other rows; `titles` stand over the labels and the names."""
        table = Table(tuple(labels), tuple(names), tuple(columns), *titles)
        has_new_columns = len(table.columns) != len(self._model.table.columns)
        self._model.show_table(table)
        if has_new_columns:
            self._set_widths(table)

    def set_selected(self, row: int | None) -> None:
        """Mark a row and bring it into sight; None marks none."""
        has_moved, self._selected = row != self._selected, row
        self._mark()
        if has_moved and self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    @property
    def selected(self) -> int | None:
        """The marked row, by its place in what was given."""
        return self._selected

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows from top to bottom, by their places in what was given."""
        return tuple(int(row) for row in self._model.order)

    def sort_by(self, column: int, *, is_down: bool = True) -> None:
        """Sort by a score and put it beside the labels; -1: all as given."""
        order, section = Qt.SortOrder, LABEL if column < 0 else FIRST + column
        is_up = column < 0 or not is_down
        self.sortByColumn(
            section, order.AscendingOrder if is_up else order.DescendingOrder
        )
        head = self.horizontalHeader()
        for place in range(self._model.columnCount()):
            head.moveSection(head.visualIndex(place), place)
        if column >= 0:
            head.moveSection(head.visualIndex(section), NAME)
        self.horizontalScrollBar().setValue(0)

    def _set_widths(self, table: Table) -> None:
        head = self.horizontalHeader()
        widest = max((advance(text, sans()) for text in table.labels), default=0.0)
        least = advance(table.label_title, sans(SMALL)) + HEAD_ROOM
        head.resizeSection(LABEL, round(max(widest + LABEL_ROOM, least)))
        for place, column in enumerate(table.columns, start=FIRST):
            width = advance(column.title, sans(SMALL)) + HEAD_ROOM
            head.resizeSection(place, round(max(LEAST_NUMBER, width)))
        self._give_names_the_rest()

    def _give_names_the_rest(self) -> None:
        """Let the names have what the numbers leave; below their least it scrolls."""
        head = self.horizontalHeader()
        others = head.length() - head.sectionSize(NAME)
        spare = self.viewport().width() - others
        head.resizeSection(NAME, max(NAME_WIDTH, spare))

    def _mark(self) -> None:
        found = np.flatnonzero(self._model.order == self._selected)
        if self._selected is None or not found.size:
            self.clearSelection()
            return
        self.setAutoScroll(False)  # to mark a row moves nothing
        self.selectRow(int(found[0]))
        self.setAutoScroll(True)

    @Slot()
    def _on_model_reset(self) -> None:
        """Keep the marked row marked, wherever it is now."""
        self._mark()

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        self.row_clicked.emit(int(self._model.order[index.row()]))

    # Qt's calls.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the names grow with the room."""
        super().resizeEvent(event)
        if self._model.columnCount() > NAME:
            self._give_names_the_rest()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses the row of the keyboard's cursor."""
        index = self.currentIndex()
        if event.key() in ENTER and index.isValid():
            self._on_clicked(index)
        else:
            super().keyPressEvent(event)
