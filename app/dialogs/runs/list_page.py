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

from app.dialogs.runs.folders_menu import FoldersMenu
from app.dialogs.runs.run_table import COLUMNS, DATE, NAME, RowInk, RunTable
from app.dialogs.runs.run_words import CHOOSE, EMPTY, note_on, trash_question
from app.dialogs.training.monitor_close import DISCARD_ANSWERS, AskBar
from app.frame.parts import flat_button, menu_button, plain_label, set_ink
from app.style.fonts import LARGE, sans
from app.style.icons import show_icon
from app.widgets.label import as_tip
from core.training.runs import RunInfo

ROW_HEIGHT = 32
GAP = 8
ROOM = """
QTableView::item { padding: 0 15px 0 5px; }
QHeaderView::section { padding: 4px 18px 4px 8px; }
"""
"""The sorting arrow stands at the right of a head; a cell has 3 pixels of its own."""
MARGINS = (14, 14, 14, 14)
LOOKING = "Looking for runs…"
GOING = ("running", "running elsewhere", "paused")
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
    train_requested = Signal()
    """Begin a first run."""

    def __init__(self) -> None:
        """Before the first look."""
        super().__init__()
        self.table = RunTable()
        self.view = QTableView()
        self._hint = plain_label(LOOKING, sans(LARGE), "muted")
        self._train = QPushButton("Train a model…")
        self._empty = QWidget()
        self._note = plain_label(CHOOSE, ink="muted")
        self.ask_trash = AskBar("", DISCARD_ANSWERS)
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
        self._folders = menu_button("Folders", "runs.folders")
        self.folders = FoldersMenu(self._folders)
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
        view.setItemDelegate(RowInk(view))
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
        self._arrange_empty()
        for page in (self._empty, self.view):
            self._pages.addWidget(page)
        self._note.setWordWrap(True)
        self._note.setIndent(GAP)  # below the names
        self._buttons["open"].setProperty("kind", "primary")
        row = QHBoxLayout()
        row.setSpacing(GAP)
        for name, button in self._buttons.items():
            button.setObjectName(f"runs.{name}")
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self._folders)
        self._folders.setMenu(self.folders)
        column = QVBoxLayout(self)
        column.setContentsMargins(*MARGINS)
        column.setSpacing(GAP)
        column.addWidget(self._pages, 1)
        column.addWidget(self._note)
        column.addWidget(self.ask_trash)
        column.addLayout(row)

    def _arrange_empty(self) -> None:
        """A sentence and a button, in the middle of where the table will be."""
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setWordWrap(True)
        self._train.setObjectName("runs.train")
        self._train.setProperty("kind", "primary")
        self._train.hide()
        show_icon(self._train, "train", "on_accent")
        column = QVBoxLayout(self._empty)
        column.setSpacing(2 * GAP)
        column.addStretch(1)
        column.addWidget(self._hint)
        column.addWidget(self._train, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(1)

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
        self._train.clicked.connect(self.train_requested)
        self.ask_trash.answered.connect(self._on_ask_trash_answered)
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
        self._train.show()
        self._pages.setCurrentWidget(self.view if runs else self._empty)
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
        if not possible["trash"]:
            self.ask_trash.hide()
        for button in self._buttons.values():
            button.setVisible(bool(self.table.runs))
        self._show_note(runs)
        goes_on = is_one and runs[0].status in GOING
        self._buttons["continue"].setText("Watch" if goes_on else "Continue")
        self._buttons["compare"].setToolTip(
            as_tip("Their curves over one another; choose several rows with Ctrl.")
        )

    def _show_note(self, runs: tuple[RunInfo, ...]) -> None:
        text, ink = note_on(runs)
        self._note.setText(text)
        self._note.setVisible(bool(self.table.runs))
        set_ink(self._note, ink)

    # What the reader does.

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self, _new: QItemSelection, _old: QItemSelection) -> None:
        self.ask_trash.hide()
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
        self.ask_trash.ask(trash_question(self.chosen))

    @Slot(str)
    def _on_ask_trash_answered(self, answer: str) -> None:
        if answer == "discard":
            self.trash_requested.emit(self.chosen)
