"""The runs window: a list of runs, their curves compared, two checkpoints compared.

It stays open beside the main window. In: the folders that hold runs, looked at every
two seconds while it is seen. Out: wishes to the session (open a checkpoint) and to the
training studio (let a run go on).
"""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.runs.compare_page import ComparePage
from app.dialogs.runs.difference_page import DifferencePage
from app.dialogs.runs.list_page import ListPage
from app.dialogs.training.place import runs_folder
from app.failures import ErrorReport
from app.frame.message_bar import MessageBar
from app.session import Session
from app.settings import MORE_FOLDERS, Settings
from app.widgets.qt_calls import tells_faults
from app.workers.runner import Request, Runner
from app.workers.runs import (
    Compared,
    CurvesRequest,
    DifferenceRequest,
    PickRequest,
    RenameRequest,
    RunsRequest,
    RunsWorker,
    TimelinesRequest,
    TrashRequest,
)
from core.training.runs import RunInfo

TITLE = "Runs"
FIRST_SIZE, LEAST_SIZE = (1000, 680), (760, 480)
TOP_MARGIN = 6
LOOK_EVERY_MS = 2000
RESTING = ("new", "stopped", "crashed")
"""Runs that nothing keeps from going on."""
RUNS, COMPARE, DIFFERENCE = range(3)
"""The tabs."""
N_COMPARED = 2
"""The newest runs, whose curves are compared before any are chosen."""


@tells_faults
class RunsWindow(QDialog):
    """Three tabs over one thread that reads."""

    continue_requested = Signal(object, bool)
    """Watch a run: its folder; True: let it go on."""

    train_requested = Signal()
    """Begin a first run."""

    renamed = Signal(object, object)
    """A run has another name: its folder before and now."""

    failed = Signal(object)
    """Something went wrong: `ErrorReport`."""

    def __init__(
        self, session: Session, settings: Settings, parent: QWidget | None = None
    ) -> None:
        """Nothing is read before it is shown."""
        super().__init__(parent)
        self._session, self._settings = session, settings
        self.setObjectName("runs.window")
        self.setWindowTitle(TITLE)
        self.setMinimumSize(*LEAST_SIZE)
        self.resize(*FIRST_SIZE)
        self.list = ListPage()
        self.compare = ComparePage()
        self.difference = DifferencePage(session)
        self.message = MessageBar(self.failed)
        worker = RunsWorker()
        self._runner = Runner(worker, worker.kinds, "runs")
        self._clock = QTimer(self, interval=LOOK_EVERY_MS)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.list, "Runs")
        self.tabs.addTab(self.compare, "Compare curves")
        self.tabs.addTab(self.difference, "Compare checkpoints")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, TOP_MARGIN, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self.tabs, 1)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)  # Enter ends a new name, and opens a row

    def _connect(self) -> None:
        self._clock.timeout.connect(self._look)
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        page = self.list
        page.open_requested.connect(self._on_open_requested)
        page.rename_requested.connect(self._on_rename_requested)
        page.compare_requested.connect(self._on_compare_requested)
        page.continue_requested.connect(self._on_continue_requested)
        page.folder_requested.connect(self._on_folder_requested)
        page.trash_requested.connect(self._on_trash_requested)
        page.train_requested.connect(self.train_requested)
        page.folders.add_requested.connect(self._on_add_requested)
        page.folders.forget_requested.connect(self.forget_folder)
        self.difference.timelines_requested.connect(self._on_timelines_requested)
        self.difference.difference_requested.connect(self._on_difference_requested)
        self.tabs.currentChanged.connect(self._on_tabs_current_changed)

    def close_down(self) -> None:
        """End the thread; the window is not used again."""
        self._clock.stop()
        self._runner.stop()

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where runs are looked for."""
        return (runs_folder(self._settings), *self._more_folders)

    @property
    def _more_folders(self) -> tuple[Path, ...]:
        return tuple(map(Path, self._settings.read(MORE_FOLDERS)))

    @Slot()
    def _look(self) -> None:
        """See what has changed on the disk."""
        self._runner.request(RunsRequest(self.folders))
        self._look_at_curves()

    def _look_at_curves(self) -> None:
        if self.tabs.currentIndex() == COMPARE and self.compare.runs:
            self._runner.request(CurvesRequest(self.compare.runs))

    @Slot(int)
    def _on_tabs_current_changed(self, index: int) -> None:
        if index == COMPARE:
            self._choose_compared()
        self._look()

    def _choose_compared(self) -> None:
        """Compare the chosen runs; before any are chosen, the newest."""
        chosen = self.list.chosen
        if self.compare.runs and len(chosen) < N_COMPARED:
            return
        newest = sorted(self.list.table.runs, key=lambda run: -(run.changed or 0))
        wanted = tuple(run.folder for run in chosen or newest[:N_COMPARED])
        if wanted != self.compare.runs:
            self.compare.choose(wanted)

    # Wishes.

    @Slot(object, str)
    def _on_open_requested(self, run: RunInfo, which: str) -> None:
        self._runner.request(
            PickRequest(run.folder, "best" if which == "best" else "newest")
        )

    @Slot(object, str)
    def _on_rename_requested(self, run: RunInfo, name: str) -> None:
        self._runner.request(RenameRequest(run.folder, name))

    @Slot(object)
    def _on_compare_requested(self, runs: tuple[RunInfo, ...]) -> None:
        self.compare.choose(tuple(run.folder for run in runs))
        self.tabs.setCurrentIndex(COMPARE)
        self._look()

    @Slot(object)
    def _on_continue_requested(self, run: RunInfo) -> None:
        self.continue_requested.emit(run.folder, run.status in RESTING)

    @Slot(object)
    def _on_folder_requested(self, run: RunInfo) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(run.folder))):
            sentence = f"No program here shows folders; the run lies in {run.folder}."
            self.failed.emit(ErrorReport(sentence, sentence))

    @Slot(object)
    def _on_trash_requested(self, runs: tuple[RunInfo, ...]) -> None:
        self._runner.request(TrashRequest(tuple(run.folder for run in runs)))

    @Slot()
    def _on_add_requested(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self, "Add a run, or a folder of runs"
        )
        if folder:
            self.add_folder(Path(folder))

    def add_folder(self, folder: Path) -> None:
        """Look into another folder from now on."""
        more = self._settings.read(MORE_FOLDERS)
        if str(folder) not in more:
            self._settings.write(MORE_FOLDERS, [*more, str(folder)])
        self._offer_folders()

    @Slot(object)
    def forget_folder(self, folder: Path) -> None:
        """Look into an added folder no more."""
        more = self._settings.read(MORE_FOLDERS)
        self._settings.write(
            MORE_FOLDERS, [each for each in more if Path(each) != folder]
        )
        self._offer_folders()

    def _offer_folders(self) -> None:
        self.list.folders.show_folders(self._more_folders)
        self._look()

    @Slot(object)
    def _on_timelines_requested(self, runs: tuple[Path, ...]) -> None:
        self._runner.request(TimelinesRequest(runs))

    @Slot(object)
    def _on_difference_requested(self, request: DifferenceRequest) -> None:
        self._runner.request(request)

    # Answers.

    @Slot(object, object)
    def _on_runner_answered(self, request: Request, answer: Any) -> None:
        if isinstance(request, RunsRequest):
            self.list.show_runs(answer)
            self.difference.show_runs(answer)
            if self.tabs.currentIndex() == COMPARE and not self.compare.runs:
                self._choose_compared()
                self._look_at_curves()
        elif isinstance(request, CurvesRequest):
            self.compare.show_curves(answer)
        elif isinstance(request, TimelinesRequest):
            self.difference.show_timelines(answer)
        elif isinstance(answer, Compared):
            self.difference.show_compared(answer)
        elif isinstance(request, PickRequest):
            self._session.open_model(answer)
        elif isinstance(request, RenameRequest):
            self._on_renamed(request.run, answer)
        elif isinstance(request, TrashRequest):
            self._look()

    def _on_renamed(self, run: Path, renamed: Path) -> None:
        """The open model, and what is compared, go with their run."""
        card = self._session.model
        folder = card.folder if card is not None else None
        old, before = run.resolve(), folder and folder.resolve()
        if before is not None and old in before.parents:
            self._session.request_moment(renamed / before.relative_to(old))
        self.compare.rename(run, renamed)
        self.renamed.emit(run, renamed)
        self._look()

    @Slot(object, object)
    def _on_runner_failed(self, _: Request, report: ErrorReport) -> None:
        self.failed.emit(report)

    # Qt's calls.

    def showEvent(self, event: QShowEvent) -> None:
        """Begin to look."""
        super().showEvent(event)
        self._runner.start()
        self._offer_folders()
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Look no more."""
        super().hideEvent(event)
        self._clock.stop()
