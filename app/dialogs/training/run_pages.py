"""The monitors of the runs that were started or looked at here, one of them in sight.

Place: the last page of the studio. Each run has a control and a leash of its own, so
that several train side by side. A run that has ended leaves when another is opened; the
runs window still has it. The time bar of the main window follows the model that is open
there, which need be of no run, and so it reads its run by itself.
"""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStackedWidget

from app.dialogs.training.monitor import Monitor
from app.settings import Settings
from app.workers.run_control import RunControl
from app.workers.trainer_process import TRAINER, Program


class RunPages(QStackedWidget):
    """Owns a monitor and a control for each run."""

    open_requested = Signal(Path)
    """A checkpoint folder is to be opened in the main window."""

    continue_requested = Signal(Path)
    """The run in this folder is to go on for longer."""

    new_run_requested = Signal(Path)
    """A new run is to begin with the settings of the one in this folder."""

    runs_changed = Signal()
    """A run came or went, is in sight now, or is in another state."""

    def __init__(self, settings: Settings, program: Program = TRAINER) -> None:
        """No run yet. `program` is what Python is started with."""
        super().__init__()
        self._settings, self._program = settings, program
        self._pages: dict[Path, Monitor] = {}

    @property
    def shown(self) -> Monitor | None:
        """The page in sight; None before the first run."""
        page = self.currentWidget()
        return page if isinstance(page, Monitor) else None

    @property
    def pages(self) -> tuple[Monitor, ...]:
        """Every run's page, in the order in which they came."""
        return tuple(self._pages.values())

    @property
    def folders(self) -> tuple[Path, ...]:
        """Their runs."""
        return tuple(self._pages)

    @property
    def at_work(self) -> tuple[Path, ...]:
        """The runs that a process is at work on, or about to be."""
        return tuple(f for f, page in self._pages.items() if page.control.is_live)

    @property
    def held(self) -> tuple[Path, ...]:
        """Those of them that would end with this window."""
        return tuple(
            folder
            for folder in self.at_work
            if not self._pages[folder].control.keeps_running
        )

    def start(self, folder: Path) -> None:
        """Let a run begin, or go on from its newest checkpoint, and show it."""
        self._turn_to(folder).control.start(folder)
        self.runs_changed.emit()

    def show_run(self, folder: Path) -> None:
        """Show a run, wherever it was started; one that is known stays as it is."""
        page = self._turn_to(folder)
        if page.control.folder is None:
            page.control.attach(folder)
        self.runs_changed.emit()

    def leave(self, answer: str) -> None:
        """Do with all runs that are held what the person said: "keep" or "stop"."""
        for folder in self.held:
            control = self._pages[folder].control
            control.keep_running(answer == "keep")
            if answer == "stop":
                control.stop()

    def rename(self, run: Path, renamed: Path) -> None:
        """Go on with a run that rests under its new name."""
        page = self._pages.pop(run.absolute(), None)
        if page is not None:
            self._pages[renamed.absolute()] = page
            page.control.attach(renamed)
            self.runs_changed.emit()

    def detach(self) -> None:
        """Watch nothing any more; the runs are left as they are."""
        for page in self.pages:
            page.control.detach()

    def _turn_to(self, folder: Path) -> Monitor:
        folder = folder.absolute()
        for each in set(self._pages) - {folder, *self.at_work}:
            self._drop(each)
        if folder not in self._pages:
            self._pages[folder] = self._made()
        page = self._pages[folder]
        self.setCurrentWidget(page)
        return page

    def _made(self) -> Monitor:
        control = RunControl(self, self._program)
        page = Monitor(control, self._settings)
        page.open_requested.connect(self.open_requested)
        page.continue_requested.connect(self.continue_requested)
        page.new_run_requested.connect(self.new_run_requested)
        page.close_chosen.connect(self._on_close_chosen)
        control.state_changed.connect(self._on_control_state_changed)
        control.discarded.connect(self._on_control_discarded)
        self.addWidget(page)
        return page

    def _drop(self, folder: Path) -> None:
        page = self._pages.pop(folder)
        page.control.detach()
        page.control.deleteLater()
        self.removeWidget(page)
        page.deleteLater()

    @Slot(str)
    def _on_control_state_changed(self, _: str) -> None:
        self.runs_changed.emit()

    @Slot(Path)
    def _on_control_discarded(self, folder: Path) -> None:
        if folder in self._pages:
            self._drop(folder)
            self.runs_changed.emit()

    @Slot(str)
    def _on_close_chosen(self, answer: str) -> None:
        """What was chosen on one page holds for every run at work."""
        for folder in self.at_work:
            self._pages[folder].control.keep_running(answer == "keep")
