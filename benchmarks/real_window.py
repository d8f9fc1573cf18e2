"""A sentence that is edited in a window with a real model, for `real_models`.

The last letter of a sentence of 32 tokens is typed and taken back; the panel of one
layer's attention is waited for, and a timer says whether the window lived meanwhile.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.main_window import MainWindow
from app.session import Session
from app.settings import TYPING_PAUSE_MS, Settings
from app.style.theme import LIGHT, apply_theme
from app.workbench import Workbench
from app.workers.runner import stop_runners
from benchmarks.attention_models import TICK_MS, Desk
from benchmarks.window_speed import END_PATIENCE_MS, N_TOKENS, PaintWatch

STEP = "layers.1.attn.pattern"
N_EDITS = 20
TARGET_MS, GAP_TARGET_MS = 250, 50


class Pulse:
    """A timer that notes when it was heard: gaps are when the window did not live."""

    def __init__(self) -> None:
        """Stand still at first."""
        self._ticks_s: list[float] = []
        self._timer = QTimer(interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timer_timeout)

    def _on_timer_timeout(self) -> None:
        self._ticks_s.append(time.perf_counter())

    @contextmanager
    def beating(self, into: list[float]) -> Iterator[None]:
        """Add the gaps of the meantime, in seconds."""
        self._ticks_s = [time.perf_counter()]
        self._timer.start()
        yield
        self._timer.stop()
        self._ticks_s.append(time.perf_counter())
        into += np.diff(self._ticks_s).tolist()


def edited(folder: Path, text: str) -> dict[str, Any]:
    """Milliseconds from a key to the painted panel, and the gaps between ticks."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    apply_theme(app, LIGHT)
    with TemporaryDirectory() as place:
        session = Session()
        settings = Settings(Path(place) / "settings.ini")
        bench, window = Workbench(session, settings), MainWindow(settings)
        window.furnish(bench)
        window.show()
        session.open_model(folder)
        session.start()
        desk = Desk(app, window, session)
        desk.until(lambda: session.model is not None)
        tokenizer = session.tokenizer
        assert tokenizer is not None
        session.request_text(tokenizer.decode(tokenizer.encode(text).ids[:N_TOKENS]))
        session.go_to(STEP)
        desk.until(lambda: session.trace is not None)
        took, gaps = edits(desk, bench)
        window.close()
        stop_runners(END_PATIENCE_MS)
    return {
        "figure": "sentence_edited_to_repainted_panel",
        "median_ms": round(1000 * statistics.median(took), 1),
        "p95_ms": round(1000 * float(np.percentile(took, 95)), 1),
        "target_median": TARGET_MS,
        "gap_p99_ms": round(1000 * float(np.percentile(gaps, 99)), 1),
        "gap_max_ms": round(1000 * max(gaps), 1),
        "target_gap_max": GAP_TARGET_MS,
        "tokens": N_TOKENS,
        "repeats": len(took),
    }


def edits(desk: Desk, bench: Workbench) -> tuple[list[float], list[float]]:
    """Seconds from each key to the painted panel, without the pause; and the gaps."""
    watch, pulse = PaintWatch(bench.host), Pulse()
    took: list[float] = []
    gaps: list[float] = []
    for number in range(N_EDITS + 2):
        desk.settle()
        key = Qt.Key.Key_Backspace if number % 2 else Qt.Key.Key_S
        with pulse.beating(gaps):
            took.append(key_to_paint(desk, bench.sentence.edit, key, watch))
        if number == 1:  # the first two make the panels
            took.clear()
            gaps.clear()
    return took, gaps


def key_to_paint(desk: Desk, field: QWidget, key: Qt.Key, watch: PaintWatch) -> float:
    """Seconds from a key in the sentence to the painted panel; the window sleeps."""
    before, start = desk.session.trace, time.perf_counter()
    QTest.keyClick(field, key)
    desk.until(lambda: desk.session.trace is not before)
    changed = time.perf_counter()
    desk.until(lambda: watch.painted_at > changed)
    return watch.painted_at - start - TYPING_PAUSE_MS / 1000
