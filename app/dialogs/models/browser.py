"""On this computer: the models that were found, searched, and opened.

In: the Hugging Face cache, installed packages, and a folder of the person's choice.
Out: the wish to open one. Why a model cannot be opened stands below the list. Nothing
is fetched.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelection, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.models.table import NAME, ModelTable
from app.failures import ErrorReport
from app.frame.parts import flat_button
from app.settings import MODELS, Settings
from app.style.fonts import SMALL, sans
from app.widgets.card import plain_label, set_ink
from app.widgets.qt_calls import tells_faults
from app.workers.models import ANSWERS, FindRequest, ModelsWorker
from app.workers.runner import Request, Runner

if TYPE_CHECKING:
    from core.checkpoints.discovery import FoundModel

TITLE = "On this computer"
FIRST_SIZE, LEAST_SIZE = (860, 560), (560, 360)
MARGIN, GAP, ROW_HEIGHT = 18, 12, 32
NOTE_LINES = 44
"""Room for two lines of a reason, so that nothing moves."""
LOOKING = "Looking for models…"
CHOOSE = (
    "Choose a model. Only files of this computer are looked at; nothing is fetched."
)
NOTHING = (
    "No model was found in the Hugging Face cache or in installed packages. Choose a "
    "folder to look into."
)
NO_MATCH = "No model has these words in its name, family or place."


@tells_faults
class ModelBrowser(QDialog):
    """A search field, a list, a line of words, buttons."""

    open_requested = Signal(object)
    """Open the model at this place: `Path`."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        """Nothing is looked for before it is shown."""
        super().__init__(parent)
        self._settings = settings
        self.setObjectName("models.browser")
        self.setWindowTitle(TITLE)
        self.setMinimumSize(*LEAST_SIZE)
        self.resize(*FIRST_SIZE)
        self.table, self.view, self.search = ModelTable(), QTableView(), QLineEdit()
        self.note = plain_label(LOOKING, "muted")
        self.place = plain_label("", "muted")
        self.folder_button = flat_button("Look into a folder…", "models.folder")
        self.open_button = QPushButton("Open")
        self._runner = Runner(ModelsWorker(), tuple(ANSWERS), "models")
        self._prepare()
        self._arrange()
        self._connect()

    def _prepare(self) -> None:
        view = self.view
        view.setModel(self.table)
        view.setObjectName("models.table")
        view.setAccessibleName("Models on this computer")
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = view.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        self.search.setObjectName("models.search")
        self.search.setPlaceholderText("Search by name, family or place")
        self.search.setAccessibleName("Search")
        self.search.setClearButtonEnabled(True)
        self.note.setWordWrap(True)
        self.note.setMinimumHeight(NOTE_LINES)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.place.setFont(sans(SMALL))
        self.open_button.setObjectName("models.open")
        self.open_button.setProperty("kind", "primary")

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(GAP)
        row.addWidget(self.folder_button)
        row.addWidget(self.place, 1)
        row.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[MARGIN] * 4)
        column.setSpacing(GAP)
        column.addWidget(self.search)
        column.addWidget(self.view, 1)
        column.addWidget(self.note)
        column.addLayout(row)
        for button in (self.folder_button, self.open_button):
            button.setAutoDefault(False)  # Enter in the list opens its row

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search_changed)
        self.view.activated.connect(self._on_view_activated)
        self.view.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.table.modelReset.connect(self._refresh)
        self.folder_button.clicked.connect(self._on_folder_clicked)
        self.open_button.clicked.connect(self._on_open_clicked)
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        self._runner.start()

    @property
    def chosen(self) -> "FoundModel | None":
        """The model of the chosen row."""
        rows = self.view.selectionModel().selectedRows()
        return self.table.rows[rows[0].row()] if rows else None

    def look(self) -> None:
        """Look for models now."""
        named = self._settings.read(MODELS)
        self.place.setText(named)
        self._runner.request(FindRequest(Path(named) if named else None))
        self._refresh()

    def look_into(self, folder: Path) -> None:
        """Look into a folder, too, now and in future."""
        self._settings.write(MODELS, str(folder))
        self.look()

    def close_down(self) -> None:
        """End the thread."""
        self._runner.stop()

    def showEvent(self, event: QShowEvent) -> None:
        """Look anew whenever it is opened."""
        super().showEvent(event)
        self.look()
        self.search.setFocus()

    @Slot()
    def _refresh(self) -> None:
        chosen = self.chosen
        self.open_button.setEnabled(chosen is not None and not chosen.reason)
        text, ink = CHOOSE, "muted"
        if chosen is not None and chosen.reason:
            text, ink = chosen.reason, "warning"
        elif chosen is not None:
            text = str(chosen.path)
        elif self._runner.pending:
            text = LOOKING
        elif not self.table.rows:
            text = NO_MATCH if self.search.text() else NOTHING
        self.note.setText(text)
        set_ink(self.note, ink)

    @Slot(str)
    def _on_search_changed(self, words: str) -> None:
        self.table.search(words)

    @Slot(QItemSelection, QItemSelection)
    def _on_selection_changed(self, _new: QItemSelection, _old: QItemSelection) -> None:
        self._refresh()

    @Slot(QModelIndex)
    def _on_view_activated(self, _: QModelIndex) -> None:
        self._on_open_clicked()

    @Slot()
    def _on_open_clicked(self) -> None:
        chosen = self.chosen
        if chosen is not None and not chosen.reason:
            self.open_requested.emit(chosen.path)
            self.accept()

    @Slot()
    def _on_folder_clicked(self) -> None:
        start = self._settings.read(MODELS)
        folder = QFileDialog.getExistingDirectory(self, "Look into a folder", start)
        if folder:
            self.look_into(Path(folder))

    @Slot(object, object)
    def _on_runner_answered(self, _: Request, found: "tuple[FoundModel, ...]") -> None:
        self.table.show_models(found)

    @Slot(object, object)
    def _on_runner_failed(self, _: Request, report: ErrorReport) -> None:
        self.note.setText(report.sentence)
        set_ink(self.note, "error")
