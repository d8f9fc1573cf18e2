"""Use the whole program quickly and at random; nothing may break, pile up or hang.

`python -m tests.endurance.use`: CI runs it. A seeded hand types, steps, slides through
time, generates, turns themes, opens windows and models, one of which reads one text and
writes another, while a run trains in the background and tells of every step. Afterwards
no exception and no complaint of Qt's may have been heard, nothing may have been told
outside the main thread, memory, threads and widgets may not have grown, and the program
must end with code 0. Times are told, never judged.
"""

import argparse
import faulthandler
import logging
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QSettings,
    Qt,
    QThread,
    QTimer,
    Slot,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QPushButton,
    QTabWidget,
    QWidget,
)

from app.application import Program, create_application
from app.failures import ErrorReport
from app.options import Options
from app.session import Session
from app.settings import ON_CLOSE, RUNS, THEME, Settings
from app.workbench import Workbench
from core.bundle import open_bundle
from core.files import is_held
from core.training.checkpoint import checkpoints
from tests.endurance.noticed import Heard, Size, size_now
from tests.helpers.bundles import save_tiny
from tests.helpers.runs import trained_run, write_run

log = logging.getLogger("tests.endurance.use")

SECONDS = 60.0
WARM_SHARE = 0.4
"""Of the time: after it every window, panel and cache has been met."""
TICK_MS = 5
LONGEST_PAUSE_MS = 60
PATIENCE_S = 60.0
HANGS_AFTER_S = 120.0
"""Beyond the time it was to be used: then it is killed, and says where it hung."""
MOST_GROWTH_MB = 250.0
MOST_NEW_THREADS = 16
MOST_NEW_WIDGETS = 400
LONGEST_WRITING = 200
"""Letters in the sentence, before it is emptied."""
WORDS = ("the cat", " sat on", " the mat.", " é", " 模型", " 🙂", "  ", "<s>", " 12")
NOT_PRESSED = ("app.quit", "text.examples", "model.open", "time.export")
"""Actions that end the program, or open what waits for an answer."""
SHAPE = {"n_ctx": 32, "n_layers": 2}
ENDLESS = 10_000_000
NO_MODIFIER = Qt.KeyboardModifier.NoModifier


class Hand(QObject):
    """Does something at random, again and again, until the time is up."""

    def __init__(
        self,
        program: Program,
        run: Path,
        models: tuple[Path, ...],
        *,
        seed: int,
        seconds: float,
    ) -> None:
        """Wait for the window to be furnished."""
        super().__init__()
        self._program, self._run, self._models = program, run, models
        self._window = program._window
        self._draws = random.Random(seed)
        self._seconds, self._end_s = seconds, 0.0
        self.n_done = 0
        self.last = ""
        self.reports: list[ErrorReport] = []
        self.n_elsewhere = 0
        """Signals that were told outside the main thread."""
        self.sizes: list[Size] = []
        self.ticks_s: list[float] = []
        self._ticks = QTimer(self, interval=TICK_MS)
        self._ticks.setTimerType(Qt.TimerType.PreciseTimer)
        self._ticks.timeout.connect(self._on_ticks_timeout)
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._on_pause_timeout)
        self._actions: tuple[tuple[int, Callable[[], None]], ...] = (
            (6, self.step),
            (4, self.type),
            (4, self.press),
            (4, self.click),
            (3, self.point),
            (2, self.open),
            (3, self.slide),
            (1, self.generate),
            (1, self.change_theme),
            (1, self.resize),
            (2, self.turn_studio),
            (2, self.turn_runs),
            (1, self.steer),
        )
        self._pause.start(LONGEST_PAUSE_MS)

    @property
    def bench(self) -> Workbench:
        """The furnished window."""
        assert self._window.bench is not None
        return self._window.bench

    @property
    def session(self) -> Session:
        """Its session."""
        return self.bench._session

    # When it acts.

    @Slot()
    def _on_ticks_timeout(self) -> None:
        self.ticks_s.append(time.perf_counter())

    @Slot()
    def _on_pause_timeout(self) -> None:
        now_s = time.monotonic()
        self._pause.start(self._draws.randrange(1, LONGEST_PAUSE_MS))
        if not self._end_s:
            if self._window.bench is None or self.session.trace is None:
                return  # it has not come up yet
            self._begin(now_s)
        if now_s >= self._end_s:
            self._end()
            return
        if not self.sizes and now_s >= self._end_s - (1 - WARM_SHARE) * self._seconds:
            self.sizes.append(size_now())
        self._act()

    def _begin(self, now_s: float) -> None:
        self._end_s = now_s + self._seconds
        self._ticks.start()
        session = self.session
        session.failed.connect(self.reports.append)
        for told in (
            session.trace_changed,
            session.scene_changed,
            session.text_changed,
        ):
            told.connect(self._note_thread)
        studio = self.bench.open_studio()
        studio.start_run(self._run)
        studio.runs.pages[0].control.events_arrived.connect(self._note_thread)

    def _act(self) -> None:
        for left_open in (
            QApplication.activePopupWidget,
            QApplication.activeModalWidget,
        ):
            if (widget := left_open()) is not None:
                widget.close()
        weights, actions = zip(*self._actions, strict=True)
        (act,) = self._draws.choices(actions, weights)
        self.last = act.__name__
        act()
        self.n_done += 1

    def _end(self) -> None:
        self._pause.stop()
        self._ticks.stop()
        self.sizes.append(size_now())
        self._window.close()

    def _note_thread(self, *_: object) -> None:
        if not QThread.isMainThread():
            self.n_elsewhere += 1

    # What it does.

    def step(self) -> None:
        """Go to any step, or one on."""
        trace = self.session.trace
        if trace is not None and self._draws.random() < 0.5:
            self.session.go_to(self._draws.choice(trace.keys))
        else:
            self.session.next_step()

    def type(self) -> None:
        """Type a little into the sentence or the target, or empty the field."""
        sentence = self.bench.sentence
        fields = [sentence.edit, sentence.target.edit]
        edit = self._draws.choice([f for f in fields if f.isVisible()] or fields[:1])
        if len(edit.text()) > LONGEST_WRITING or self._draws.random() < 0.1:
            edit.selectAll()
            QTest.keyClick(edit, Qt.Key.Key_Backspace)
        for letter in self._draws.choice(WORDS):  # QTest knows ASCII alone
            key = QKeyEvent(QEvent.Type.KeyPress, 0, NO_MODIFIER, letter)
            QApplication.sendEvent(edit, key)

    def press(self) -> None:
        """Choose any action of the menus."""
        actions = self.bench.actions_by_id
        name = self._draws.choice([each for each in actions if each not in NOT_PRESSED])
        actions[name].trigger()

    def click(self) -> None:
        """Click somewhere in the panel."""
        widgets = [w for w in self.bench.host.findChildren(QWidget) if is_safe(w)]
        if widgets:
            widget = self._draws.choice(widgets)
            x = self._draws.randrange(max(1, widget.width()))
            y = self._draws.randrange(max(1, widget.height()))
            QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(x, y))

    def point(self) -> None:
        """Choose any token of either text, and point at two others."""
        session, draws = self.session, self._draws
        tokens = self.bench.tokens
        strip = draws.choice((tokens.strip, tokens.target_strip))
        if strip.item_count():
            place = draws.randrange(strip.item_count())
            strip.activate(place, is_secondary=draws.random() < 0.5)
        session.point_at((draws.randrange(9), draws.randrange(9)))

    def open(self) -> None:
        """Open another model."""
        self.session.open_model(self._draws.choice(self._models))

    def slide(self) -> None:
        """Look at another age of the model."""
        slider = self.bench.time.slider
        if slider.isVisible():
            slider.setValue(self._draws.randint(0, slider.maximum()))

    def generate(self) -> None:
        """Let the model write on."""
        self.session.generate(self._draws.randint(1, 12))

    def change_theme(self) -> None:
        """Turn to light or dark."""
        self._program._settings.write(THEME, self._draws.choice(("light", "dark")))

    def resize(self) -> None:
        """Make the window larger or smaller."""
        draws = self._draws
        self._window.resize(draws.randint(720, 1600), draws.randint(460, 1000))

    def turn_studio(self) -> None:
        """Open the studio, turn its pages, or put it away."""
        studio = self.bench.open_studio()
        if self._draws.random() < 0.3:
            studio.hide()
        else:
            studio.steps.button(self._draws.randrange(4)).click()

    def turn_runs(self) -> None:
        """Open the list of runs, turn its tabs, or close it."""
        window = self.bench.runs.open_runs()
        if self._draws.random() < 0.3:
            window.close()
        for tabs in window.findChildren(QTabWidget):
            tabs.setCurrentIndex(self._draws.randrange(tabs.count()))

    def steer(self) -> None:
        """Pause the run, or let it go on."""
        page = self.bench.open_studio().runs.shown
        if page is not None:
            page.head.pause.click()


def is_safe(widget: QWidget) -> bool:
    """Whether a click on a widget opens no menu that would wait for an answer."""
    has_menu = isinstance(widget, QPushButton) and widget.menu() is not None
    return widget.isVisible() and widget.isEnabled() and not has_menu


def answer_nothing() -> None:
    """Let every question for a file be cancelled at once."""
    for name in ("getOpenFileName", "getSaveFileName", "getExistingDirectory"):
        nothing = "" if name == "getExistingDirectory" else ("", "")
        setattr(QFileDialog, name, staticmethod(lambda *_, _n=nothing, **__: _n))


def use(root: Path, seconds: float, seed: int) -> Hand:
    """Use the program for a while. -> the hand, with all that it noticed.

    Raises:
        AssertionError: Something broke, piled up or was left over.
    """
    heard = Heard()
    logging.basicConfig(level=logging.WARNING, handlers=[heard])
    known = trained_run(root / "known", model=SHAPE, n_steps=9)
    endless = write_run(
        root / "endless", model=SHAPE, n_steps=ENDLESS, checkpoint_every=1000
    )
    settings = Settings(root / "settings.ini")
    settings.write(RUNS, str(root))
    settings.write(ON_CLOSE, "stop")
    app = create_application()
    answer_nothing()
    models = checkpoints(known)[1], save_tiny(root / "two", n_encoder_layers=2)
    options = Options(model=models[0], text="the cat sat on the mat")
    program = Program(app, options, settings)
    hand = Hand(program, endless, models, seed=seed, seconds=seconds)
    faulthandler.dump_traceback_later(seconds + HANGS_AFTER_S, exit=True)
    code = program.run()
    faulthandler.cancel_dump_traceback_later()
    assert code == 0, f"the program ended with code {code}"
    until_s = time.monotonic() + PATIENCE_S
    while is_held(endless / "lock") and time.monotonic() < until_s:
        time.sleep(0.1)
    assert not is_held(endless / "lock"), "the run went on without its window"
    for checkpoint in checkpoints(endless):
        open_bundle(checkpoint)
    check(hand, heard)
    return hand


def check(hand: Hand, heard: Heard) -> None:
    """Judge what the hand noticed.

    Raises:
        AssertionError: It noticed something.
    """
    faults = [each for each in hand.reports if "unexpected" in each.sentence]
    assert not faults, "\n".join(each.details for each in faults[:3])
    assert not heard.lines, "\n".join(heard.lines[:10])
    assert hand.n_elsewhere == 0, f"{hand.n_elsewhere} signals in another thread"
    assert len(hand.sizes) == 2, f"it ended early, after {hand.last}"
    warm, last = hand.sizes
    assert last.memory_mb < warm.memory_mb + MOST_GROWTH_MB, (warm, last)
    assert last.n_threads <= warm.n_threads + MOST_NEW_THREADS, (warm, last)
    assert last.n_widgets <= warm.n_widgets + MOST_NEW_WIDGETS, (warm, last)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    log.addHandler(logging.StreamHandler(sys.stdout))
    log.setLevel(logging.INFO)
    log.propagate = False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        root = Path(name)
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
            QSettings.setPath(QSettings.Format.IniFormat, scope, str(root / "settings"))
        hand = use(root, chosen.seconds, chosen.seed)
    gaps_ms = 1000 * np.diff(hand.ticks_s)
    warm, last = hand.sizes
    log.info(
        "%d actions in %.0f s: memory %+.0f MB, threads %+d, widgets %+d; the event "
        "loop's gaps: p99 %.0f ms, largest %.0f ms",
        hand.n_done,
        chosen.seconds,
        last.memory_mb - warm.memory_mb,
        last.n_threads - warm.n_threads,
        last.n_widgets - warm.n_widgets,
        np.percentile(gaps_ms, 99),
        gaps_ms.max(),
    )


if __name__ == "__main__":
    main()
