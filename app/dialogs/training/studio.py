"""The training studio: the window in which a model is made and watched.

Place: opened by the Train button; it stays open beside the main window. Its pages ask
what to train, then the monitors show the runs; while they go on, another can be set up.
"""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.longer import LongerBar
from app.dialogs.training.monitor_close import CLOSE_ANSWERS, AskBar, close_question
from app.dialogs.training.run_pages import RunPages
from app.dialogs.training.setup import DATA, Setup
from app.failures import ErrorReport
from app.frame.parts import flat_button
from app.settings import (
    ON_CLOSE,
    STUDIO_GEOMETRY,
    Settings,
    bytes_of_text,
    text_of_bytes,
)
from app.style.icons import show_icon
from app.widgets.qt_calls import tells_faults
from core.errors import CoreError

TITLE = "Training studio"
LEAST_SIZE, FIRST_SIZE = (900, 640), (1120, 740)
STEPS = ("1  Data", "2  Model", "3  Start", "4  Run")
RUN = len(STEPS) - 1
MARGINS = (14, 8, 14, 8)
CHOICE_GAP = 12
CHOICE_LETTERS, WIDEST_CHOICE = 12, 320


@tells_faults
class Studio(QDialog):
    """Setup pages and monitors, one of them in sight."""

    open_requested = Signal(object)
    """A model folder is to be opened in the main window: Path."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        """Show the first page of the setup."""
        super().__init__(parent)
        self._settings = settings
        self.setObjectName("training.window")
        self.setWindowTitle(TITLE)
        self.setMinimumSize(*LEAST_SIZE)
        self.resize(*FIRST_SIZE)
        self.restoreGeometry(bytes_of_text(settings.read(STUDIO_GEOMETRY)))
        self.setup, self.runs = Setup(settings), RunPages(settings)
        self.longer = LongerBar()
        self.ask_close = AskBar("", CLOSE_ANSWERS)
        self.steps = QButtonGroup(self)
        self.choice = QComboBox()
        self.new_run = flat_button("New run", "training.new_run")
        self._pages = QStackedWidget()
        self._arrange()
        self._connect()
        self._show_steps()

    def _arrange(self) -> None:
        for page in (self.setup, self.runs):
            self._pages.addWidget(page)
        self.ask_close.setProperty("card", None)
        self.ask_close.setProperty("bar", "top")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header())
        column.addWidget(self.ask_close)
        column.addWidget(self.longer)
        column.addWidget(self._pages, 1)

    def _header(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("bar", "top")
        row = QHBoxLayout(frame)
        row.setContentsMargins(*MARGINS)
        row.setSpacing(4)
        for index, title in enumerate(STEPS):
            button = QPushButton(title)
            button.setProperty("kind", "segment")
            button.setCheckable(True)
            button.setAutoDefault(False)
            button.setObjectName(f"training.step.{index}")
            self.steps.addButton(button, index)
            row.addWidget(button)
        self._prepare_choice()
        row.addSpacing(CHOICE_GAP)
        row.addWidget(self.choice)
        row.addStretch(1)
        self.new_run.setAutoDefault(False)
        show_icon(self.new_run, "train")
        row.addWidget(self.new_run)
        return frame

    def _prepare_choice(self) -> None:
        choice = self.choice
        choice.setObjectName("training.runs")
        choice.setAccessibleName("Run in sight")
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        choice.setMinimumContentsLength(CHOICE_LETTERS)
        choice.setMaximumWidth(WIDEST_CHOICE)

    def _connect(self) -> None:
        self.steps.idClicked.connect(self._on_steps_id_clicked)
        self.setup.page_changed.connect(self._show_steps)
        self.setup.run_written.connect(self._on_setup_run_written)
        self.setup.run_prepared.connect(self.show_run)
        self.setup.plan.draft_changed.connect(self._show_steps)
        self.runs.runs_changed.connect(self._on_runs_runs_changed)
        self.runs.open_requested.connect(self.open_requested)
        self.runs.continue_requested.connect(self.longer.ask)
        self.runs.new_run_requested.connect(self.set_up_from)
        self.choice.activated.connect(self._on_choice_activated)
        self.new_run.clicked.connect(self._on_new_run_clicked)
        self.ask_close.answered.connect(self._on_ask_close_answered)
        self.longer.continued.connect(self._on_longer_continued)
        self.longer.failed.connect(self._on_longer_failed)

    @property
    def shows_run(self) -> bool:
        """Whether a monitor is in sight."""
        return self._pages.currentWidget() is self.runs

    def show_setup(self) -> None:
        """Turn to the setup, where it was left."""
        self.longer.hide()  # it asks about a run that is in sight no more
        self._pages.setCurrentWidget(self.setup)
        self._show_steps()

    @Slot(object)
    def show_run(self, folder: Path) -> None:
        """Watch a run, wherever it was started; others go on."""
        self.runs.show_run(folder)
        self._show_monitor()

    @Slot(object)
    def start_run(self, folder: Path) -> None:
        """Let a run begin or go on, beside those that are at work, and watch it."""
        self.runs.start(folder)
        self._show_monitor()

    @Slot(object)
    def set_up_from(self, folder: Path) -> None:
        """Prepare a new run that begins with the weights of this one."""
        self.show_setup()
        self.setup.begin_from(folder)

    def _show_monitor(self) -> None:
        self._pages.setCurrentWidget(self.runs)
        self._show_steps()

    @Slot()
    def _show_steps(self, _: object = None) -> None:
        """Mark the page in sight, and offer those that there is something on."""
        shown = RUN if self.shows_run else self.setup.page
        self.steps.button(shown).setChecked(True)
        is_branch = self.setup.plan.draft.origin is not None
        self.steps.button(DATA).setEnabled(not is_branch)
        self.steps.button(RUN).setVisible(self.runs.shown is not None)
        self.new_run.setVisible(self.shows_run)
        self._show_choice()

    def _show_choice(self) -> None:
        """Offer the runs where there are several, each with what it is doing."""
        choice, pages = self.choice, self.runs.pages
        choice.setVisible(len(pages) > 1)
        if choice.count() != len(pages):
            choice.clear()
            choice.addItems([""] * len(pages))
        for place, (folder, page) in enumerate(
            zip(self.runs.folders, pages, strict=True)
        ):
            choice.setItemText(place, f"{folder.name} · {page.control.state}")
            choice.setItemData(place, folder)
            if page is self.runs.shown:
                choice.setCurrentIndex(place)

    @Slot(int)
    def _on_steps_id_clicked(self, index: int) -> None:
        if index == RUN:
            self._show_monitor()
        else:
            self.setup.show_page(index)
            self.show_setup()

    @Slot(int)
    def _on_choice_activated(self, place: int) -> None:
        self.show_run(self.choice.itemData(place))

    @Slot()
    def _on_new_run_clicked(self) -> None:
        self.setup.show_page(DATA)
        self.show_setup()

    @Slot(object)
    def _on_setup_run_written(self, folder: Path) -> None:
        self.start_run(folder)

    @Slot()
    def _on_runs_runs_changed(self) -> None:
        """Say who else is at work; without any run there is only the setup."""
        if self.runs.shown is None:
            self._pages.setCurrentWidget(self.setup)
        self.setup.begin.show_at_work([run.name for run in self.runs.at_work])
        self._show_steps()

    @Slot(object)
    def _on_longer_continued(self, folder: Path) -> None:
        self.start_run(folder)

    @Slot(object)
    def _on_longer_failed(self, error: CoreError) -> None:
        self.show_setup()
        self.setup.plan.failed.emit(ErrorReport.of(error, "continuing the run"))

    def may_close(self) -> bool:
        """Whether the window may close now; if not, it asks, and closes later.

        Runs that were started elsewhere go on without a question.
        """
        if not self.runs.held:
            return True
        answer = self._settings.read(ON_CLOSE)
        if answer == "ask":
            self.ask_close.ask(close_question([run.name for run in self.runs.held]))
            return False
        self.runs.leave(answer)
        return True

    @Slot(str)
    def _on_ask_close_answered(self, answer: str) -> None:
        if answer != "cancel":
            self._settings.write(ON_CLOSE, answer)
            self.runs.leave(answer)
            self.close()

    # Qt's calls.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter and Escape be for the fields: neither ends this dialog."""
        event.ignore()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask what becomes of runs that go on; remember how the window stood."""
        if not self.may_close():
            self.show()  # it may have made room for the main window
            event.ignore()
            return
        self._settings.write(STUDIO_GEOMETRY, text_of_bytes(self.saveGeometry()))
        self.setup.rest()
        super().closeEvent(event)
