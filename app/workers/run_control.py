"""The remote control of a training run: starts it, steers it, and tells what it tells.

Place: between the monitor page and `python -m core.training`. Commands go as files into
the run's folder, events come from its `events.jsonl`; so a run that was started
elsewhere is watched and steered in the same way. Everything happens in the main thread,
in slices too short to notice; nothing is waited for.
"""

import logging
import subprocess
from pathlib import Path

from PySide6.QtCore import QFile, QObject, QTimer, Signal, Slot

from app.failures import ErrorReport
from app.workers.run_states import GRANTED, LIVE, STATE_AFTER, WISHES, State
from app.workers.trainer_process import (
    TRAINER,
    Leash,
    Program,
    last_words,
    start_trainer,
)
from core.errors import CoreError, TrainingError
from core.training.control import Command, send
from core.training.events import Event, Failed
from core.training.events_tail import EventTail
from core.training.runs import is_trained

POLL_MS = 200
SAVED = "checkpoints/step-????????"
"""Where a run's whole checkpoints are; those half written have another ending."""
SLICE_BYTES = 60_000
"""Read at once: about 500 lines, a few milliseconds."""

log = logging.getLogger(__name__)


class RunControl(QObject):
    """One run at a time. Lives in the main thread."""

    events_arrived = Signal(list)
    """New events of the run, in order; a long history comes in several parts."""

    history_reset = Signal()
    """What was told before is void: events come from the beginning."""

    state_changed = Signal(str)
    """The run is in another state, or was asked to go there."""

    failed = Signal(ErrorReport)
    """The run ended by a fault, or could not do what was asked."""

    discarded = Signal(Path)
    """The run's folder is in the trash."""

    def __init__(
        self, parent: QObject | None = None, program: Program = TRAINER
    ) -> None:
        """Watch nothing. `program` is what Python is started with."""
        super().__init__(parent)
        self._program = program
        self._clock = QTimer(self, interval=POLL_MS)
        self._clock.timeout.connect(self._look)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._look)
        self._told: State = "idle"
        self._forget()

    def _forget(self) -> None:
        self._folder: Path | None = None
        self._tail: EventTail | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._leash: Leash | None = None
        self._keeps = True
        self._found: State = "idle"
        """What the run is by its events and its process."""
        self._wish: Command | None = None
        """What it was asked and has not answered."""
        self._is_sent = False
        """Whether the wish has gone out; before it listens, a run would forget it."""
        self._is_to_launch = False
        self._is_to_discard = False
        self._has_caught_up = False
        self._n_restarts = 0

    # What it is.

    @property
    def folder(self) -> Path | None:
        """The run that is watched."""
        return self._folder

    @property
    def state(self) -> State:
        """What the run is, or is being asked to become."""
        if self._is_to_launch:
            return "starting"
        if self._wish is not None and self._found in LIVE:
            return WISHES[self._wish]
        return self._found

    @property
    def is_live(self) -> bool:
        """Whether a process is at work on the run, or about to be."""
        return self._is_to_launch or self._found in LIVE

    @property
    def keeps_running(self) -> bool:
        """Whether the run goes on when this window ends."""
        return self._keeps

    # Wishes.

    def start(self, folder: Path) -> None:
        """Let a run begin, or go on from its newest checkpoint, and watch it."""
        folder = folder.absolute()
        if folder != self._folder:
            self.attach(folder)
        if self.is_live and self._has_caught_up:
            return
        self._keeps = False
        self._is_to_launch = True
        self._tell_state()
        self._look()

    def attach(self, folder: Path) -> None:
        """Watch a run from its first event on, wherever it was started."""
        self.detach()
        self._folder = folder.absolute()
        self._tail = EventTail(self._folder)
        self.history_reset.emit()
        self._clock.start()
        self._soon.start()

    def detach(self) -> None:
        """Watch no further. The run is left as it is; it goes on if it was kept."""
        self._clock.stop()
        self._soon.stop()
        if self._leash is not None and not self.is_live:
            self._leash.let_go()
        elif self._leash is not None:
            LEASHES.append(self._leash)  # it holds its run for as long as we live
        self._forget()
        self._tell_state()

    def pause(self) -> None:
        """Let the run wait after its present step, its checkpoint saved."""
        if self.state in ("starting", "preparing", "running", "resuming"):
            self._ask("pause")

    def resume(self) -> None:
        """Let a paused run go on; start one that has ended."""
        if self._folder is not None and not self.is_live:
            self.start(self._folder)
        elif self.state == "paused":
            self._ask("resume")
        elif self.state == "pausing":  # it has not paused yet: take the wish back
            self._ask("resume")
            if self._found != "paused":
                self._wish = None
            self._tell_state()

    def stop(self) -> None:
        """Let the run end after its present step, with a checkpoint."""
        if self._is_to_launch:
            self._is_to_launch = False
            self._tell_state()
        elif self.is_live and self._wish != "stop":
            self._ask("stop")

    def stop_and_discard(self) -> None:
        """Stop the run, and move its folder to the trash once its process has ended."""
        self._is_to_discard = self._folder is not None
        self.stop()
        self._look()

    def keep_running(self, keeps: bool) -> None:
        """Say what becomes of the run when this window ends, however it ends."""
        self._keeps = keeps
        self._fit_leash()

    # How it gets there.

    def _ask(self, wish: Command) -> None:
        self._wish, self._is_sent = wish, False
        self._send_wish()
        self._tell_state()

    def _send_wish(self) -> None:
        """Tell the run what it was asked, as soon as it listens."""
        if self._wish is None or self._is_sent or self._folder is None:
            return
        is_ours = self._process is not None
        if (
            self._wish == "stop"
            and is_ours
            and self._found in ("starting", "preparing")
        ):
            self._terminate()
            self._is_sent = True
        elif self._found in ("running", "paused"):
            self._is_sent = True
            try:
                send(self._folder, self._wish)
            except CoreError as error:
                self._on_not_sent(error)

    def _on_not_sent(self, error: CoreError) -> None:
        if self._wish == "stop" and self._process is not None:
            self._terminate()  # a signal needs no room on a disk
        else:
            self._wish = None
            self.failed.emit(ErrorReport.of(error, "steering the run"))

    def _terminate(self) -> None:
        if self._process is not None:
            self._process.terminate()

    @Slot()
    def _look(self) -> None:
        """Read what is new, then see whether the process still lives."""
        if self._tail is None:
            return
        is_alive = self._is_alive()  # before the reading: it may speak as it ends
        events = self._tail.read_new(SLICE_BYTES)
        if self._tail.n_restarts != self._n_restarts:
            self._n_restarts = self._tail.n_restarts
            self._has_caught_up, self._found = False, "idle"
            self.history_reset.emit()
        if events:
            self._take(events)
            self._soon.start()
            return
        self._has_caught_up = True
        if self._is_to_launch:
            self._launch(is_alive)
        elif self._found in LIVE and not is_alive:
            self._bury()
        self._send_wish()
        self._fit_leash()
        self._tell_state()
        if self._is_to_discard and not self.is_live and not is_alive:
            self._discard()

    def _take(self, events: list[Event]) -> None:
        """Follow the run through its events, and pass them on."""
        for event in events:
            self._follow(event)
        self.events_arrived.emit(events)
        if self._has_caught_up:
            self._send_wish()
            self._tell_state()

    def _follow(self, event: Event) -> None:
        state = STATE_AFTER.get(type(event), self._found)
        if state != self._found and self._has_caught_up:
            self._settle_wish(state)
        self._found = state
        if isinstance(event, Failed) and self._has_caught_up:
            self.failed.emit(ErrorReport(event.message, self._last_words()))

    def _settle_wish(self, state: State) -> None:
        if (self._wish, state) in GRANTED or state not in LIVE:
            self._wish = None

    def _is_alive(self) -> bool:
        if self._folder is None:
            return False
        if self._process is not None and self._process.poll() is None:
            return True
        return is_trained(self._folder)

    def _launch(self, is_alive: bool) -> None:
        """Start the process, once the one before has ended.

        One that is at work there by itself is watched instead.
        """
        if self._folder is None or (is_alive and self._found not in LIVE):
            return
        self._is_to_launch = False
        if is_alive:
            return
        try:
            self._process = start_trainer(self._folder, self._program)
            self._found, self._wish = "starting", None
        except OSError as error:
            self._found, self._wish = "failed", None
            sentence = (
                f"Training could not be started in {self._folder} "
                f"({error.strerror or error}); choose a folder you may write to."
            )
            self.failed.emit(ErrorReport.of(TrainingError(sentence), "starting a run"))

    def _bury(self) -> None:
        """The process is gone and did not say why."""
        was_asked = self._wish == "stop"
        self._wish = None
        self._found = "stopped" if was_asked else "crashed"
        if not was_asked and self._folder is not None:
            words = self._last_words()
            sentence = ended_sentence(self._folder)
            if words:
                sentence += f" Its last words: {words}"
            self.failed.emit(ErrorReport(sentence, words))

    def _fit_leash(self) -> None:
        """Hold the run if it must not outlive us, and only as long as it lives."""
        is_held_back = self.is_live and not self._keeps and not self._is_to_launch
        if is_held_back and self._leash is None and self._folder is not None:
            try:
                self._leash = Leash(self._folder)
            except OSError as error:
                log.warning("nobody will stop the run after us: %s", error)
        elif not is_held_back and self._leash is not None:
            self._leash.let_go()
            self._leash = None

    def _discard(self) -> None:
        folder = self._folder
        assert folder is not None
        self.detach()
        if move_to_trash(folder):
            self.discarded.emit(folder)
        else:
            sentence = (
                f"{folder} could not be moved to the trash; the run is stopped, "
                "remove its folder yourself."
            )
            self.failed.emit(ErrorReport(sentence, sentence))

    def _last_words(self) -> str:
        return "" if self._folder is None else last_words(self._folder)

    def _tell_state(self) -> None:
        if self.state != self._told:
            self._told = self.state
            self.state_changed.emit(self._told)


def ended_sentence(folder: Path) -> str:
    """Say that a run's process is gone without a word, and what there is to go on."""
    if not folder.is_dir():
        return (
            f"{folder} was removed or renamed while it was being trained, which ended "
            "the run; put the folder back and press Go on."
        )
    rest = "nothing was saved yet, and Go on begins it again"
    if any(folder.glob(SAVED)):
        rest = "its checkpoints are whole, and Go on continues from the newest"
    return f"The training of {folder.name} ended unexpectedly; {rest}."


def move_to_trash(folder: Path) -> bool:
    """Put a folder into the desktop's trash; whether that could be done."""
    return bool(QFile(str(folder)).moveToTrash())  # the static one has two forms


LEASHES: list[Leash] = []
"""Of runs that nobody watches any more and that end with this window."""
