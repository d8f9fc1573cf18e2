"""The setup half of the studio: data, model, start, one page after the other.

In: what a person chooses. Out: a run's folder that is written and can be started. The
footer always says what stands in the way, and a button that starts starts once.
"""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.data_page import DataPage
from app.dialogs.training.draft import Origin, draft_from
from app.dialogs.training.model_page import ModelPage
from app.dialogs.training.plan import Plan, first_draft
from app.dialogs.training.start_page import StartPage
from app.failures import ErrorReport
from app.frame.message_bar import MessageBar
from app.frame.parts import flat_button
from app.settings import Settings
from app.widgets.elided import ElidedLabel
from app.widgets.steady_button import SteadyButton
from app.workers.calibrating import Calibration
from app.workers.looking import Share
from core.errors import CoreError

DATA, MODEL, BEGIN = range(3)
"""The pages in order."""
MARGIN, GAP = 14, 10
BAR_WIDTH = 120
FULL = 100
START, STARTING = "Start training", "Starting…"
NO_TEXT = "Give it a text first."


class Setup(QWidget):
    """Owns the plan and its three pages."""

    run_written = Signal(object)
    """A run's folder is ready for the training program: Path."""

    run_prepared = Signal(object)
    """A run's folder is written, for a program that the person starts: Path."""

    page_changed = Signal(int)
    """Another page is in sight: DATA, MODEL or BEGIN."""

    def __init__(self, settings: Settings) -> None:
        """Begin with an empty draft."""
        super().__init__()
        self.plan = Plan()
        self.calibration = Calibration()
        self._folder: Path | None = None
        """The run that is being written."""
        self._starts = True
        """Whether it is to be started then."""
        self.data = DataPage(self.plan)
        self.model = ModelPage(self.plan, self.calibration)
        self.begin = StartPage(self.plan, settings)
        self.message = MessageBar(self.plan.failed)
        self.origin = OriginBar()
        self._pages = QStackedWidget()
        self._bar = QProgressBar()
        self._state = ElidedLabel("muted")
        self.back, self.next = QPushButton("Back"), QPushButton("Next")
        self.start = SteadyButton(START)
        self._arrange()
        self._connect()
        self._show_state()

    def _arrange(self) -> None:
        for page in (self.data, self.model, self.begin):
            self._pages.addWidget(page)
        middle = QVBoxLayout()
        middle.setContentsMargins(MARGIN, 12, MARGIN, 12)
        middle.addWidget(self._pages)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.message)
        column.addWidget(self.origin)
        column.addLayout(middle, 1)
        column.addWidget(self._footer())

    def _footer(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("bar", "bottom")
        row = QHBoxLayout(frame)
        row.setContentsMargins(MARGIN, 8, MARGIN, 8)
        row.setSpacing(GAP)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(BAR_WIDTH)
        self._bar.setRange(0, FULL)
        self._bar.hide()
        self.start.setObjectName("training.start")
        self.start.setProperty("kind", "primary")
        self.back.setObjectName("training.back")
        self.next.setObjectName("training.next")
        for widget in (self._bar, self._state, self.back, self.next, self.start):
            row.addWidget(widget, 1 if widget is self._state else 0)
        return frame

    def _connect(self) -> None:
        self.origin.dropped.connect(self._on_origin_dropped)
        self.back.clicked.connect(self._on_back_clicked)
        self.next.clicked.connect(self._on_next_clicked)
        self.start.clicked.connect(self._on_start_clicked)
        self.begin.writing_requested.connect(self._on_begin_writing_requested)
        for changed in (
            self.plan.draft_changed,
            self.plan.look_changed,
            self.plan.activity_changed,
            self.model.error_changed,
            self.begin.place_changed,
        ):
            changed.connect(self._show_state)
        self.plan.activity_changed.connect(self._on_plan_activity_changed)
        self.plan.written.connect(self._on_plan_written)
        self.plan.failed.connect(self._on_plan_failed)

    @property
    def obstacle(self) -> str:
        """What stands in the way of a start, in a sentence; "" if nothing does."""
        draft, look = self.plan.draft, self.plan.look
        is_without_text = not draft.sources and draft.origin is None
        return next(
            filter(
                None,
                (
                    NO_TEXT * is_without_text,
                    self.model.settings.error,
                    look.obstacle,
                    self.begin.fault,
                ),
            ),
            "",
        )

    @property
    def state(self) -> str:
        """What the footer says."""
        return self._state.text

    @Slot(int)
    def show_page(self, index: int) -> None:
        """Turn to a page: DATA, MODEL or BEGIN."""
        self._pages.setCurrentIndex(max(index, self._first))
        self._show_state()
        self.page_changed.emit(self.page)

    @property
    def page(self) -> int:
        """The page in sight."""
        return self._pages.currentIndex()

    @property
    def _first(self) -> int:
        """The first page there is to choose on; other weights bring their own text."""
        return DATA if self.plan.draft.origin is None else MODEL

    def begin_from(self, run: Path) -> None:
        """Prepare a new run that begins with the newest weights of another one."""
        try:
            draft = draft_from(run)
        except CoreError as error:
            self.plan.failed.emit(ErrorReport.of(error, "reading the run"))
            return
        self.plan.take(draft)
        self.begin.suggest(run.name, run.parent)
        self.model.show_settings("training")
        self._turn_to(MODEL)

    @Slot()
    def _on_origin_dropped(self) -> None:
        self.plan.take(first_draft())
        self.show_page(DATA)

    def rest(self) -> None:
        """End the processes that work for a window that nobody sees."""
        self.data.lesson.stop()
        self.calibration.stop()

    @Slot()
    def _show_state(self, _: object = None) -> None:
        index, obstacle = self.page, self.obstacle
        is_starting = self._folder is not None
        self.origin.show_origin(self.plan.draft.origin)
        self.back.setVisible(index > self._first)
        self.next.setVisible(index < BEGIN)
        self.start.setVisible(index == BEGIN)
        self.start.setText(STARTING if is_starting and self._starts else START)
        for button in (self.start, self.begin.write):
            button.set_usable(not obstacle and not is_starting)
        if not self.plan.is_looking and not self.plan.is_writing:
            self._state.show_text(obstacle)

    @Slot()
    def _on_back_clicked(self) -> None:
        self._turn_to(self.page - 1)

    @Slot()
    def _on_next_clicked(self) -> None:
        self._turn_to(self.page + 1)

    def _turn_to(self, index: int) -> None:
        """Turn, and hand the keys on to where they go on from here."""
        self.show_page(index)
        (self.begin.name if self.page == BEGIN else self.next).setFocus()

    @Slot()
    def _on_start_clicked(self) -> None:
        self._write(starts=True)

    @Slot()
    def _on_begin_writing_requested(self) -> None:
        self._write(starts=False)

    def _write(self, *, starts: bool) -> None:
        """Write the run, unless one is being written: a second press does nothing."""
        if self._folder is not None or self.obstacle:
            return
        self.data.lesson.stop()
        self.begin.refresh()
        if self.begin.folder is not None and self.plan.write(self.begin.folder):
            self._folder, self._starts = self.begin.folder, starts
            self.begin.remember()
            self.message.hide()
        self._show_state()

    @Slot(object)
    def _on_plan_written(self, folder: Path) -> None:
        if folder == self._folder:
            self._folder = None
            (self.run_written if self._starts else self.run_prepared).emit(folder)
            self.begin.refresh()

    @Slot(object)
    def _on_plan_failed(self, _: object) -> None:
        if not self.plan.is_writing:
            self._folder = None
        self._show_state()

    @Slot(object)
    def _on_plan_activity_changed(self, share: Share | None) -> None:
        self._bar.setVisible(share is not None)
        if share is not None:
            self._bar.setValue(round(FULL * share.share))
            self._state.show_text(f"{share.what[:1].upper()}{share.what[1:]}…")


class OriginBar(QFrame):
    """Says which weights a run begins with, where it does not begin afresh."""

    dropped = Signal()
    """The run is to begin afresh after all."""

    def __init__(self) -> None:
        """Hidden: most runs begin afresh."""
        super().__init__()
        self.setProperty("bar", "top")
        self._words = ElidedLabel()
        drop = flat_button("Begin afresh", "training.afresh")
        drop.clicked.connect(self.dropped)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 6, MARGIN, 6)
        row.addWidget(self._words, 1)
        row.addWidget(drop)
        self.hide()

    def show_origin(self, origin: Origin | None) -> None:
        """Name the checkpoint, or hide."""
        self.setVisible(origin is not None)
        if origin is not None:
            self._words.show_text(
                f"Begins with the weights of “{origin.run.name}” after step "
                f"{origin.step:,}; its text, its tokenizer and its shape stay."
            )
