"""The training studio: the window in which a model is made and watched.

Place: opened by the Train button; it stays open beside the main window. Its pages ask
what to train, then the monitor shows the run. Owns the control of the one run that it
watches.
"""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.longer import LongerBar
from app.dialogs.training.monitor import Monitor
from app.dialogs.training.setup import DATA, Setup
from app.failures import ErrorReport
from app.settings import STUDIO_GEOMETRY, Settings, bytes_of_text, text_of_bytes
from app.widgets.qt_calls import tells_faults
from app.workers.run_control import RunControl
from core.errors import CoreError

TITLE = "Training studio"
LEAST_SIZE, FIRST_SIZE = (900, 640), (1120, 740)
STEPS = ("1  Data", "2  Model", "3  Start", "4  Run")
RUN = len(STEPS) - 1
MARGINS = (14, 8, 14, 8)


@tells_faults
class Studio(QDialog):
    """Setup pages and monitor, one of them in sight."""

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
        self.control = RunControl(self)
        self.setup, self.monitor = Setup(settings), Monitor(self.control, settings)
        self.longer = LongerBar()
        self.steps = QButtonGroup(self)
        self._pages = QStackedWidget()
        self._arrange()
        self._connect()
        self._show_steps()

    def _arrange(self) -> None:
        for page in (self.setup, self.monitor):
            self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header())
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
        row.addStretch(1)
        return frame

    def _connect(self) -> None:
        self.steps.idClicked.connect(self._on_steps_id_clicked)
        self.setup.page_changed.connect(self._show_steps)
        self.setup.run_written.connect(self._on_setup_run_written)
        self.setup.plan.draft_changed.connect(self._show_steps)
        self.control.state_changed.connect(self._on_control_state_changed)
        self.monitor.open_requested.connect(self.open_requested)
        self.monitor.continue_requested.connect(self.longer.ask)
        self.monitor.new_run_requested.connect(self.set_up_from)
        self.monitor.close_answered.connect(self.close)
        self.longer.continued.connect(self._on_longer_continued)
        self.longer.failed.connect(self._on_longer_failed)

    @property
    def shows_run(self) -> bool:
        """Whether the monitor is in sight."""
        return self._pages.currentWidget() is self.monitor

    def show_setup(self) -> None:
        """Turn to the setup, where it was left."""
        self._pages.setCurrentWidget(self.setup)
        self._show_steps()

    @Slot(object)
    def show_run(self, folder: Path) -> None:
        """Watch a run, wherever it was started."""
        self.monitor.show_run(folder)
        self._show_monitor()

    @Slot(object)
    def set_up_from(self, folder: Path) -> None:
        """Prepare a new run that begins with the weights of this one."""
        self.show_setup()
        self.setup.begin_from(folder)

    def _show_monitor(self) -> None:
        self._pages.setCurrentWidget(self.monitor)
        self._show_steps()

    @Slot()
    def _show_steps(self, _: object = None) -> None:
        """Mark the page in sight, and offer those that there is something on."""
        shown = RUN if self.shows_run else self.setup.page
        self.steps.button(shown).setChecked(True)
        is_branch = self.setup.plan.draft.origin is not None
        self.steps.button(DATA).setEnabled(not is_branch)
        self.steps.button(RUN).setVisible(self.control.folder is not None)

    @Slot(int)
    def _on_steps_id_clicked(self, index: int) -> None:
        if index == RUN:
            self._show_monitor()
        else:
            self.setup.show_page(index)
            self.show_setup()

    @Slot(object)
    def _on_setup_run_written(self, folder: Path) -> None:
        self.control.start(folder)
        self.show_run(folder)

    @Slot(str)
    def _on_control_state_changed(self, _: str) -> None:
        """Let no second run begin here while one is at work."""
        folder = self.control.folder
        is_busy = self.control.is_live and folder is not None
        self.setup.set_busy(busy_sentence(folder.name) if is_busy and folder else "")
        self._show_steps()

    @Slot(object)
    def _on_longer_continued(self, folder: Path) -> None:
        self.control.start(folder)
        self.show_run(folder)

    @Slot(object)
    def _on_longer_failed(self, error: CoreError) -> None:
        self.show_setup()
        self.setup.plan.failed.emit(ErrorReport.of(error, "continuing the run"))

    # Qt's calls.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter and Escape be for the fields: neither ends this dialog."""
        event.ignore()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask what becomes of a run that goes on; remember how the window stood."""
        if not self.monitor.may_close():
            self._show_monitor()
            self.show()  # it may have made room for the main window
            event.ignore()
            return
        self._settings.write(STUDIO_GEOMETRY, text_of_bytes(self.saveGeometry()))
        self.setup.rest()
        super().closeEvent(event)


def busy_sentence(name: str) -> str:
    """Why no run can be started while another one is watched here."""
    return f"“{name}” is still training; stop it before you start another run here."
