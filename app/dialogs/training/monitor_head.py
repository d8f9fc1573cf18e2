"""The head of the monitor page: what the run is doing, how far it is, what can be done.

Every button answers at once with what it is doing; the run acts after its present step.
Which button says what in which state is a table.
"""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.monitor_record import (
    Checkpoint,
    RunRecord,
    best_checkpoint,
    duration,
)
from app.frame.parts import menu_button, plain_label, set_ink
from app.style.fonts import BASE, MEDIUM, SMALL, TITLE, mono, sans
from app.style.icons import show_icon
from app.widgets.elided import ElidedLabel
from app.widgets.label import as_tip

BUTTON_HEIGHT = 32
PAUSE_WIDTH = 96
FULL = 1000
"""Steps of the progress bar."""


@dataclass(frozen=True, slots=True)
class StateLook:
    """How a state of the run is told, and what the buttons offer in it."""

    words: str
    ink: str
    button: str = "Pause"
    icon: str = "pause"
    wish: str = "pause"
    """What pressing it asks for: pause, resume, longer; "" while it can do nothing."""
    can_stop: bool = True

    @property
    def stop(self) -> str:
        """What stands on the button that ends the run."""
        return "Stop" if self.can_stop or not self.wish else "Discard"


GO_ON = ("Go on", "play", "resume")
STATES = {
    "idle": StateLook("not started", "muted", "Start", "play", "resume", False),
    "starting": StateLook("starting…", "accent"),
    "preparing": StateLook("preparing", "accent"),
    "running": StateLook("running", "checked"),
    "pausing": StateLook("pausing after this step…", "accent", "Resume", *GO_ON[1:]),
    "paused": StateLook("paused", "warning", "Resume", *GO_ON[1:]),
    "resuming": StateLook("resuming…", "accent"),
    "stopping": StateLook(
        "stopping after this step, with a checkpoint…",
        "accent",
        wish="",
        can_stop=False,
    ),
    "stopped": StateLook("stopped", "muted", *GO_ON, False),
    "finished": StateLook("finished", "checked", "Continue…", "play", "longer", False),
    "failed": StateLook("failed", "error", *GO_ON, False),
    "crashed": StateLook("crashed", "error", *GO_ON, False),
}


class MonitorHead(QWidget):
    """Name, state, figures and buttons."""

    pause_requested = Signal()
    resume_requested = Signal()
    stop_requested = Signal()
    discard_requested = Signal()
    """The reader wants the run away; not asked back yet."""
    longer_requested = Signal()
    new_run_requested = Signal()
    open_requested = Signal(Path)
    """This checkpoint is to be opened."""

    def __init__(self) -> None:
        """No run yet."""
        super().__init__()
        self._look = STATES["idle"]
        self._record: RunRecord | None = None
        self.name = ElidedLabel()
        self.name.setFont(sans(TITLE, MEDIUM))
        self._dot = QLabel("●")
        self.state = plain_label("", sans(BASE, MEDIUM))
        self.figures = ElidedLabel("muted")
        self.figures.setFont(mono(SMALL))
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, FULL)
        self.pause = QPushButton()
        self.pause.setObjectName("training.pause")
        self.pause.setFixedHeight(BUTTON_HEIGHT)
        self.pause.setMinimumWidth(PAUSE_WIDTH)
        self.pause.clicked.connect(self._on_pause_clicked)
        self.stop = menu_button("Stop", "training.stop")
        self.open = menu_button("Open the model", "training.open_model")
        self.open.setProperty("kind", "primary")
        self.more = menu_button("Go further", "training.more")
        self._fill_menus()
        self._arrange()
        self.show_state("idle")

    def _fill_menus(self) -> None:
        stops = QMenu(self.stop)
        self.keep = stops.addAction("Stop and keep the checkpoint")
        self.keep.setObjectName("action.training.keep")
        self.keep.triggered.connect(self.stop_requested)
        self.discard = stops.addAction("Stop and discard the run…")
        self.discard.setObjectName("action.training.discard")
        self.discard.triggered.connect(self.discard_requested)
        self.stop.setMenu(stops)
        further = QMenu(self.more)
        longer = further.addAction("Continue longer…")
        longer.setObjectName("action.training.longer")
        longer.triggered.connect(self.longer_requested)
        new = further.addAction("New run from here…")
        new.setObjectName("action.training.branch")
        new.triggered.connect(self.new_run_requested)
        self.more.setMenu(further)
        self._checkpoints = QMenu(self.open)
        self._checkpoints.aboutToShow.connect(self._offer_checkpoints)
        self._checkpoints.triggered.connect(self._on_checkpoint_chosen)
        self.open.setMenu(self._checkpoints)

    def _arrange(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self.name, 1)
        for button in (self.pause, self.stop, self.more, self.open):
            first.addWidget(button)
        second = QHBoxLayout()
        second.setSpacing(6)
        second.addWidget(self._dot)
        second.addWidget(self.state)
        second.addSpacing(12)
        second.addWidget(self.figures, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(first)
        column.addWidget(self.progress)
        column.addLayout(second)

    def show_state(self, state: str) -> None:
        """Say what the run is doing, and offer what can be done about it."""
        look = self._look = STATES[state]
        self.state.setText(look.words)
        for label in (self._dot, self.state):
            set_ink(label, look.ink)
        self.pause.setText(look.button)
        show_icon(self.pause, look.icon)
        self.pause.setEnabled(bool(look.wish))
        self.keep.setEnabled(look.can_stop)
        self.keep.setVisible(look.can_stop)
        words = "Stop and discard" if look.can_stop else "Discard"
        self.discard.setText(f"{words} the run…")
        self.stop.setText(look.stop)
        self.stop.setEnabled(state != "stopping")
        self.progress.setRange(0, 0 if state == "starting" else FULL)
        if self._record is not None:
            self.show_record(self._record)

    def show_record(self, record: RunRecord) -> None:
        """Say how far the run is."""
        self._record = record
        self.name.show_text(record.folder.name)
        self.name.setToolTip(as_tip(str(record.folder)))
        self.figures.show_text(record.activity or " · ".join(self._figures(record)))
        share = record.step / record.n_steps if record.n_steps else 0.0
        if record.activity:
            share = record.activity_share or 0.0
        self.progress.setValue(round(FULL * min(1.0, share)))
        self.open.setEnabled(record.has_checkpoints)

    def _figures(self, record: RunRecord) -> list[str]:
        return figures(record, is_running=self._look.wish == "pause")

    @Slot()
    def _on_pause_clicked(self) -> None:
        wishes = {
            "pause": self.pause_requested,
            "resume": self.resume_requested,
            "longer": self.longer_requested,
        }
        if self._look.wish:
            wishes[self._look.wish].emit()

    @Slot()
    def _offer_checkpoints(self) -> None:
        self._checkpoints.clear()
        saved = [] if self._record is None else self._record.checkpoints()
        for words, checkpoint in offers(saved):
            self._checkpoints.addAction(words).setData(checkpoint.folder)
        if not saved:
            self._checkpoints.addAction("No checkpoint is there yet").setEnabled(False)

    @Slot(QAction)
    def _on_checkpoint_chosen(self, action: QAction) -> None:
        self.open_requested.emit(action.data())


def offers(saved: list[Checkpoint]) -> list[tuple[str, Checkpoint]]:
    """The newest checkpoint and, where it is another one, the best."""
    if not saved:
        return []
    newest, best = saved[0], best_checkpoint(saved)
    found = [(f"The newest: {checkpoint_words(newest)}", newest)]
    if best is not None and best != newest:
        found.append((f"The best: {checkpoint_words(best)}", best))
    return found


def checkpoint_words(checkpoint: Checkpoint) -> str:
    """Its step, and its loss if it was tested."""
    loss = "" if checkpoint.loss is None else f", loss {checkpoint.loss:.3f}"
    return f"step {checkpoint.step:,}{loss}"


def figures(record: RunRecord, *, is_running: bool) -> list[str]:
    """How far the run is, in figures; what is not known is left out."""
    if not record.n_steps:
        return []
    found = [f"step {record.step:,} of {record.n_steps:,}"]
    if record.epochs is not None:
        found.append(f"epoch {record.epochs:.1f}")
    if is_running and record.tokens_per_second is not None:
        found.append(f"{record.tokens_per_second:,.0f} tokens/s")
    if is_running and record.seconds_left:
        found.append(f"{duration(record.seconds_left)} left")
    if record.best is not None:
        step, loss = record.best
        found.append(f"best tested loss {loss:.3f} at step {step:,}")
    return found
