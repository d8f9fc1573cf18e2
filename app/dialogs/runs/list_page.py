"""The list of runs, and what can be done with those that are chosen.

In: `RunInfo` of every run. Out: wishes; the window carries them out.
"""

from pathlib import Path

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.runs.run_table import COLUMNS, DATE, NAME, RunTable
from app.frame.parts import flat_button, plain_label
from app.style.fonts import LARGE, sans
from app.style.icons import show_icon
from app.widgets.label import as_tip
from core.training.runs import RunInfo

ROW_HEIGHT = 32
GAP = 8
ROOM = """
QTableView::item { padding: 0 18px 0 8px; }
QHeaderView::section { padding: 4px 18px 4px 8px; }
"""
"""The sorting arrow stands at the right of a head."""
MARGINS = (14, 14, 14, 14)
LOOKING = "Looking for runs…"
EMPTY = "No run yet. What you train appears here, while it learns and after."
ENDED = ("stopped", "crashed", "new", "paused", "finished")
"""Runs that can go on."""
Select = QItemSelectionModel.SelectionFlag


class ListPage(QWidget):
    """Table and buttons."""

    open_requested = Signal(object, str)
    """Open a checkpoint of a run (`RunInfo`): "newest" or "best"."""
    rename_requested = Signal(object, str)
    """Give a run another name."""
    compare_requested = Signal(object)
    """Lay the curves of these runs over one another: a tuple of `RunInfo`."""
    continue_requested = Signal(object)
    """Let a run go on."""
    folder_requested = Signal(object)
    """Show a run's folder in the desktop's own program."""
    trash_requested = Signal(object)
    """Move these runs to the trash: a tuple of `RunInfo`."""
    add_requested = Signal()
    """Look into another folder, too."""

    def __init__(self) -> None:
        """Before the first look."""
        super().__init__()
        self.table = RunTable()
        self.view = QTableView()
        self._hint = plain_label(LOOKING, sans(LARGE), "muted")
        self._pages = QStackedWidget()
        self._buttons = {
            "open": QPushButton("Open newest"),
            "best": QPushButton("Open best"),
            "compare": QPushButton("Compare"),
            "continue": QPushButton("Continue"),
            "rename": flat_button("Rename", ""),
            "folder": flat_button("Show folder", ""),
            "trash": flat_button("Move to trash", ""),
        }
        self._add = flat_button("Add a folder…", "runs.add")
        self._prepare_view()
        self._arrange()
        self._connect()
        self._refresh()

    def _prepare_view(self) -> None:
        view = self.view
        view.setModel(self.table)
        view.setObjectName("runs.table")
        view.setAccessibleName("Runs")
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.setStyleSheet(ROOM)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = view.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        head.setSortIndicator(DATE, Qt.SortOrder.DescendingOrder)
        view.setSortingEnabled(True)

    def _arrange(self) -> None:
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setWordWrap(True)
        for page in (self._hint, self.view):
            self._pages.addWidget(page)
        self._buttons["open"].setProperty("kind", "primary")
        row = QHBoxLayout()
        row.setSpacing(GAP)
        for name, button in self._buttons.items():
            button.setObjectName(f"runs.{name}")
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self._add)
        show_icon(self._add, "add", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(*MARGINS)
        column.setSpacing(GAP)
        column.addWidget(self._pages, 1)
        column.addLayout(row)

    def _connect(self) -> None:
        for name, slot in (
            ("open", self._on_open_clicked),
            ("best", self._on_best_clicked),
            ("compare", self._on_compare_clicked),
            ("continue", self._on_continue_clicked),
            ("rename", self._on_rename_clicked),
            ("folder", self._on_folder_clicked),
            ("trash", self._on_trash_clicked),
        ):
            self._buttons[name].clicked.connect(slot)
        self._add.clicked.connect(self.add_requested)
        self.table.name_requested.connect(self.rename_requested)
        self.view.activated.connect(self._on_view_activated)
        self.view.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def show_runs(self, runs: tuple[RunInfo, ...]) -> None:
        """Show what there is now; the chosen rows stay chosen."""
        chosen = {run.folder for run in self.chosen}
        before = self.table.runs
        self.table.show_runs(runs)
        if len(before) != len(runs) or self.chosen_folders != chosen:
            self._choose(chosen)
        self._hint.setText(EMPTY)
        self._pages.setCurrentWidget(self.view if runs else self._hint)
        self._refresh()

    @property
    def chosen(self) -> tuple[RunInfo, ...]:
        """The runs of the chosen rows, from the top."""
        rows = sorted(
            index.row() for index in self.view.selectionModel().selectedRows()
        )
        return tuple(self.table.runs[row] for row in rows)

    @property
    def chosen_folders(self) -> set[Path]:
        """Theirs."""
        return {run.folder for run in self.chosen}

    def _choose(self, folders: set[Path]) -> None:
        last = len(COLUMNS) - 1
        selection = QItemSelection()
        for row, run in enumerate(self.table.runs):
            if run.folder in folders:
                selection.select(self.table.index(row, 0), self.table.index(row, last))
        self.view.selectionModel().select(selection, Select.ClearAndSelect)

    def _refresh(self) -> None:
        """Let a button be pressed only where it would do something."""
        runs = self.chosen
        is_one = len(runs) == 1
        has_model = is_one and bool(runs[0].n_checkpoints)
        possible = {
            "open": has_model,
            "best": has_model and runs[0].best_step is not None,
            "compare": bool(runs),
            "continue": is_one and not runs[0].fault,
            "rename": is_one,
            "folder": is_one,
            "trash": bool(runs) and all(run.status in ENDED for run in runs),
        }
        for name, is_possible in possible.items():
            self._buttons[name].setEnabled(is_possible)
        goes_on = is_one and runs[0].status in ("running", "paused")
        self._buttons["continue"].setText("Watch" if goes_on else "Continue")
        self._buttons["compare"].setToolTip(
            as_tip("Their curves over one another; choose several rows with Ctrl.")
        )

    # What the reader does.

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self, _new: QItemSelection, _old: QItemSelection) -> None:
        self._refresh()

    @Slot(QModelIndex)
    def _on_view_activated(self, _: QModelIndex) -> None:
        self._buttons["open"].click()

    @Slot()
    def _on_open_clicked(self) -> None:
        self.open_requested.emit(self.chosen[0], "newest")

    @Slot()
    def _on_best_clicked(self) -> None:
        self.open_requested.emit(self.chosen[0], "best")

    @Slot()
    def _on_compare_clicked(self) -> None:
        self.compare_requested.emit(self.chosen)

    @Slot()
    def _on_continue_clicked(self) -> None:
        self.continue_requested.emit(self.chosen[0])

    @Slot()
    def _on_rename_clicked(self) -> None:
        row = self.table.runs.index(self.chosen[0])
        self.view.edit(self.table.index(row, NAME))

    @Slot()
    def _on_folder_clicked(self) -> None:
        self.folder_requested.emit(self.chosen[0])

    @Slot()
    def _on_trash_clicked(self) -> None:
        self.trash_requested.emit(self.chosen)
