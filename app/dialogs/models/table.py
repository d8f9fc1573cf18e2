"""Models as rows of a table, of which a search leaves some.

In: `FoundModel`, by name. Out: nothing; the window asks which row is meant.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.dialogs.training.wording import size_text
from app.style.fonts import BASE, MEDIUM, mono, sans
from app.style.theme import theme
from app.widgets.label import as_tip

if TYPE_CHECKING:
    from core.checkpoints.discovery import FoundModel

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NAME = 0
UNKNOWN = "–"
YES, NO = "opens", "cannot be opened"


@dataclass(frozen=True, slots=True)
class Column:
    """One fact about a model."""

    title: str
    text: "Callable[[FoundModel], str]"
    is_number: bool = False


def size_of(row: "FoundModel") -> str:
    """Of its files, if there are any."""
    return size_text(row.n_bytes) if row.n_bytes else UNKNOWN


COLUMNS = (
    Column("Name", lambda row: row.name),
    Column("Family", lambda row: row.family or UNKNOWN),
    Column("Size", size_of, is_number=True),
    Column("Opens here", lambda row: NO if row.reason else YES),
    Column("Where", lambda row: row.place),
)
"""From left to right."""


class ModelTable(QAbstractTableModel):
    """The rows that a table shows."""

    def __init__(self) -> None:
        """No models."""
        super().__init__()
        self._all: tuple[FoundModel, ...] = ()
        self._sought = ""
        self.rows: tuple[FoundModel, ...] = ()

    def show_models(self, models: "tuple[FoundModel, ...]") -> None:
        """Show what was found; the search stays."""
        self._all = models
        self.search(self._sought)

    def search(self, words: str) -> None:
        """Leave the rows that have all of these words in name, family or place."""
        self._sought = words
        wanted = words.casefold().split()
        self.beginResetModel()
        self.rows = tuple(
            row
            for row in self._all
            if all(
                word in f"{row.name} {row.family} {row.place}".casefold()
                for word in wanted
            )
        )
        self.endResetModel()

    # Qt's calls.

    def rowCount(self, parent: Index | None = None) -> int:
        """One row a model."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """One column a fact."""
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

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
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        if role == Role.DisplayRole:
            return column.text(row)
        if role == Role.TextAlignmentRole:
            return RIGHT if column.is_number else LEFT
        if role == Role.FontRole:
            if index.column() == NAME:
                return sans(BASE, MEDIUM)
            return mono() if column.is_number else sans()
        if role == Role.ForegroundRole:
            return theme().ink("muted" if row.reason else "text")
        if role == Role.ToolTipRole:
            return as_tip("\n".join(filter(None, (str(row.path), row.reason))))
        return None
