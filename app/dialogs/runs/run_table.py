"""Runs as rows of a table: what stands in each column, and how rows are ordered.

In: `RunInfo`, again and again. Out: the wish for another name, typed into a cell. The
choice of rows outlives a refresh.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.dialogs.training.wording import size_text
from app.style.fonts import BASE, MEDIUM, mono, sans
from app.style.theme import theme
from app.widgets.label import as_tip
from core.training.runs import RunInfo

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NAME = 0
"""The column in which a run is renamed."""
UNKNOWN = "–"
STATUS_INKS = {
    "running": "accent",
    "running elsewhere": "accent",
    "paused": "warning",
    "finished": "checked",
    "crashed": "error",
}
"""Theme colours of what a run does; others are muted."""
FAULTY = "cannot be opened"


@dataclass(frozen=True, slots=True)
class Column:
    """One fact about a run."""

    title: str
    text: Callable[[RunInfo], str]
    rank: Callable[[RunInfo], Any]
    """What rows are ordered by."""
    is_number: bool = False


def status_text(run: RunInfo) -> str:
    """What a run does, or that it is damaged."""
    return FAULTY if run.fault else run.status


def steps_text(run: RunInfo) -> str:
    """Steps done, and of how many."""
    if not run.n_steps:
        return f"{run.step:,}" if run.step else UNKNOWN
    return f"{run.step:,} of {run.n_steps:,}"


def loss_text(run: RunInfo) -> str:
    """The lowest tested loss."""
    return UNKNOWN if run.best_loss is None else f"{run.best_loss:.3f}"


def date_text(run: RunInfo) -> str:
    """When something was last heard of it."""
    if run.changed is None:
        return UNKNOWN
    return f"{datetime.fromtimestamp(run.changed).astimezone():%Y-%m-%d %H:%M}"


COLUMNS = (
    Column("Name", lambda run: run.name, lambda run: run.name.casefold()),
    Column("Status", status_text, status_text),
    Column("Steps", steps_text, lambda run: run.step, is_number=True),
    Column(
        "Best loss",
        loss_text,
        lambda run: float("inf") if run.best_loss is None else run.best_loss,
        is_number=True,
    ),
    Column("Size", lambda run: size_text(run.size), lambda r: r.size, is_number=True),
    Column("Last change", date_text, lambda run: run.changed or 0.0, is_number=True),
)
"""From left to right."""
DATE = len(COLUMNS) - 1


def ink_of(run: RunInfo, column: Column) -> str:
    """The theme colour of a cell."""
    if column.title != "Status":
        return "text"
    return "error" if run.fault else STATUS_INKS.get(run.status, "muted")


class RowInk(QStyledItemDelegate):
    """Keeps what colours mean in a chosen row, too."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Qt's own, with the cell's colour on the ground of a chosen row."""
        super().initStyleOption(option, index)
        table = index.model()
        if isinstance(table, RunTable):
            ink = ink_of(table.runs[index.row()], COLUMNS[index.column()])
            colour = QColor(theme().ink_on(ink, "accent_soft"))
            option.palette.setColor(QPalette.ColorRole.HighlightedText, colour)


class RunTable(QAbstractTableModel):
    """The rows that a table shows."""

    name_requested = Signal(object, str)
    """The reader gave a run (`RunInfo`) another name."""

    def __init__(self) -> None:
        """No runs; the last changed will stand at the top."""
        super().__init__()
        self.runs: tuple[RunInfo, ...] = ()
        self._column = DATE
        self._order = Qt.SortOrder.DescendingOrder

    def show_runs(self, runs: tuple[RunInfo, ...]) -> None:
        """Show other runs, or the same ones further on."""
        runs = self._sorted(runs)
        if [run.folder for run in runs] == [run.folder for run in self.runs]:
            self.runs = runs
            last = self.index(len(runs) - 1, DATE)
            self.dataChanged.emit(self.index(0, 0), last)
        else:
            self.beginResetModel()
            self.runs = runs
            self.endResetModel()

    def _sorted(self, runs: tuple[RunInfo, ...]) -> tuple[RunInfo, ...]:
        is_reverse = self._order == Qt.SortOrder.DescendingOrder
        rank = COLUMNS[self._column].rank
        return tuple(sorted(runs, key=rank, reverse=is_reverse))

    # Qt's calls.

    def rowCount(self, parent: Index | None = None) -> int:
        """One row a run."""
        return 0 if parent is not None and parent.isValid() else len(self.runs)

    def columnCount(self, parent: Index | None = None) -> int:
        """One column a fact."""
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Order the rows by a column."""
        self._column, self._order = column, order
        self.show_runs(self.runs)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """The title of a column."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.TextAlignmentRole:
            return RIGHT if COLUMNS[section].is_number else LEFT
        return COLUMNS[section].title if role == Role.DisplayRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """What a cell says and how it looks."""
        run, column = self.runs[index.row()], COLUMNS[index.column()]
        if role in (Role.DisplayRole, Role.EditRole):
            return column.text(run)
        if role == Role.TextAlignmentRole:
            return RIGHT if column.is_number else LEFT
        if role == Role.FontRole:
            if index.column() == NAME:
                return sans(BASE, MEDIUM)
            return mono() if column.is_number else sans()
        if role == Role.ForegroundRole:
            return theme().ink(ink_of(run, column))
        if role == Role.ToolTipRole:
            return as_tip(run.fault or run.message or str(run.folder))
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """A name can be edited."""
        flags = super().flags(index)
        is_name = index.isValid() and index.column() == NAME
        return flags | Qt.ItemFlag.ItemIsEditable if is_name else flags

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Ask for the name that was typed."""
        run = self.runs[index.row()]
        name = str(value).strip()
        if role == Role.EditRole and name and name != run.name:
            self.name_requested.emit(run, name)
        return False  # the next look at the folder brings it
