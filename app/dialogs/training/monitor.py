"""The monitor page: watch a run learn, steer it, and take its model out.

Place: a page of the training window. In: the `RunControl` that watches the run. Out:
wishes to open a checkpoint, to go on for longer, to begin anew. What the run tells is
gathered as it comes and drawn at most ten times a second.
"""

from pathlib import Path

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.dialogs.training.monitor_close import (
    DISCARD_ANSWERS,
    AskBar,
    CloseMenu,
    discard_question,
)
from app.dialogs.training.monitor_figures import FiguresCard
from app.dialogs.training.monitor_head import MonitorHead
from app.dialogs.training.monitor_loss import LossCard
from app.dialogs.training.monitor_probe import ProbeCard
from app.dialogs.training.monitor_record import RunRecord
from app.dialogs.training.monitor_samples import SamplesCard
from app.dialogs.training.monitor_words import RunWords
from app.failures import ErrorReport
from app.settings import ON_CLOSE, Settings
from app.widgets.qt_calls import tells_faults
from app.widgets.tall import Tall
from app.workers.run_control import RunControl
from core.training.events import Event

DRAW_MS = 100
MARGIN, GAP = 18, 12
TWO_COLUMNS = 960
"""Below this width the second column goes under the first."""
LEAST_HEIGHT, LEAST_HEIGHT_STACKED = 470, 1240
LEFT_SHARE, RIGHT_SHARE = 3, 2


@tells_faults
class Monitor(QWidget):
    """One run: head, what it has to say, and the cards."""

    open_requested = Signal(Path)
    """A checkpoint folder is to be opened in the main window."""

    continue_requested = Signal(Path)
    """The run in this folder is to go on for longer."""

    new_run_requested = Signal(Path)
    """A new run is to begin with the settings of the one in this folder."""

    close_chosen = Signal(str)
    """The reader said in the menu what becomes of runs when the window closes."""

    def __init__(
        self, control: RunControl, settings: Settings, parent: QWidget | None = None
    ) -> None:
        """Show no run yet."""
        super().__init__(parent)
        self.setObjectName("training.monitor")
        self.control = control
        self._settings = settings
        self._record: RunRecord | None = None
        self.head = MonitorHead()
        self.words = RunWords()
        self.ask_discard = AskBar("", DISCARD_ANSWERS)
        self.loss = LossCard()
        self.figures = FiguresCard()
        self.samples = SamplesCard()
        self.probe = ProbeCard()
        self._draw = QTimer(self, singleShot=True, interval=DRAW_MS)
        self._draw.timeout.connect(self._show_record)
        self._is_stale = False
        self._close_menu = CloseMenu(settings, self.head.more)
        self.head.more.menu().addSeparator()
        self.head.more.menu().addMenu(self._close_menu)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(GAP)
        pairs = (
            (self.loss, self.figures, LEFT_SHARE),
            (self.samples, self.probe, RIGHT_SHARE),
        )
        for upper, lower, share in pairs:
            column = QVBoxLayout()
            column.setSpacing(GAP)
            column.addWidget(upper, 1)
            column.addWidget(lower, 1)
            self._columns.addLayout(column, share)
        self._cards = Tall(self._columns, LEAST_HEIGHT)
        page = QVBoxLayout(self)
        page.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        page.setSpacing(GAP)
        for part in (self.head, self.ask_discard, self.words):
            page.addWidget(part)
        page.addWidget(self._cards, 1)
        for button in self.head.findChildren(QPushButton):
            button.setAutoDefault(False)  # Enter in another field must not press it

    def _connect(self) -> None:
        control, head = self.control, self.head
        control.events_arrived.connect(self._on_control_events_arrived)
        control.history_reset.connect(self._on_control_history_reset)
        control.state_changed.connect(self._on_control_state_changed)
        control.failed.connect(self._on_control_failed)
        head.pause_requested.connect(control.pause)
        head.resume_requested.connect(control.resume)
        head.stop_requested.connect(control.stop)
        head.discard_requested.connect(self._on_head_discard_requested)
        head.open_requested.connect(self.open_requested)
        head.longer_requested.connect(self._on_head_longer_requested)
        head.new_run_requested.connect(self._on_head_new_run_requested)
        self.loss.failed.connect(self._on_control_failed)
        self._close_menu.chosen.connect(self.close_chosen)
        self.ask_discard.answered.connect(self._on_ask_discard_answered)

    def _begin(self, folder: Path) -> None:
        self._record = RunRecord(folder)
        self.words.forget()
        self.ask_discard.hide()
        self._mark_stale()

    def _mark_stale(self) -> None:
        """Draw soon, if anybody can see it."""
        self._is_stale = True
        if self.isVisible() and not self._draw.isActive():
            self._draw.start()

    @Slot()
    def _show_record(self) -> None:
        self._is_stale = False
        if self._record is not None:
            parts = (self.head, self.loss, self.figures, self.samples, self.probe)
            for part in parts:
                part.show_record(self._record)
            self.words.show_warnings(self._record.warnings)

    # What the run tells.

    @Slot(list)
    def _on_control_events_arrived(self, events: list[Event]) -> None:
        if self._record is not None:
            self._record.take(events)
            self._mark_stale()

    @Slot()
    def _on_control_history_reset(self) -> None:
        if self.control.folder is not None:
            self._begin(self.control.folder)

    @Slot(str)
    def _on_control_state_changed(self, state: str) -> None:
        self.head.show_state(state)
        if state == "starting":
            self.control.keep_running(self._settings.read(ON_CLOSE) == "keep")
        if state in ("starting", "running"):
            self.words.forget()
            self._mark_stale()

    @Slot(object)
    def _on_control_failed(self, report: ErrorReport) -> None:
        self.words.say(report.sentence, "error", report.details)

    # What the person wants.

    @Slot()
    def _on_head_discard_requested(self) -> None:
        if self._record is not None:
            n_checkpoints = len(self._record.checkpoints())
            name = self._record.folder.name
            self.ask_discard.ask(discard_question(name, n_checkpoints))

    @Slot()
    def _on_head_longer_requested(self) -> None:
        if self._record is not None:
            self.continue_requested.emit(self._record.folder)

    @Slot()
    def _on_head_new_run_requested(self) -> None:
        if self._record is not None:
            self.new_run_requested.emit(self._record.folder)

    @Slot(str)
    def _on_ask_discard_answered(self, answer: str) -> None:
        if answer == "discard":
            self.control.stop_and_discard()

    # Qt's calls.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """One column where two have no room."""
        super().resizeEvent(event)
        is_wide = self.width() >= TWO_COLUMNS
        direction = QBoxLayout.Direction
        self._columns.setDirection(
            direction.LeftToRight if is_wide else direction.TopToBottom
        )
        least = LEAST_HEIGHT if is_wide else LEAST_HEIGHT_STACKED
        self._cards.set_least_height(least)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what came while nobody looked."""
        super().showEvent(event)
        if self._is_stale:
            self._show_record()
