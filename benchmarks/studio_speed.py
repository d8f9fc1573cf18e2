"""How the window feels while a model trains beside it: one JSON line a figure.

`python -m benchmarks.studio_speed`: from Start to the first point on the curve with the
Tiny preset on built-in stories (texts and tokenizer included), and then the gaps of the
window's event loop while the run goes on with two threads, against a 5 ms timer.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

import numpy as np
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.dialogs.training.studio import Studio
from app.settings import Settings
from app.style.theme import LIGHT, apply_theme
from core.training.config import (
    CONFIG_FILE,
    DataConfig,
    RunConfig,
    TokenizerConfig,
    config_text,
)
from core.training.events import Event, Stepped
from core.training.presets import preset
from core.training.sources import StorySource, write_sources

TICK_MS = 5
N_CHARACTERS = 1_000_000
START_TARGET_S, P99_TARGET_MS, WORST_TARGET_MS = 5.0, 16.0, 50.0


def main() -> int:
    """Measure and print. -> 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds
    app = QApplication([])
    apply_theme(app, LIGHT)
    with tempfile.TemporaryDirectory() as place:
        folder = tiny_run(Path(place) / "run")
        studio = Studio(Settings(Path(place) / "settings.ini"))
        studio.show()
        for figure in measured(studio, folder, seconds):
            sys.stdout.write(json.dumps(figure) + "\n")
            sys.stdout.flush()
    return 0


def tiny_run(folder: Path) -> Path:
    """The run that the studio writes for the Tiny preset, with two threads."""
    folder.mkdir()
    tiny = preset("tiny")
    written = write_sources([StorySource(seed=1, n_characters=N_CHARACTERS)], folder)
    config = RunConfig(
        model=tiny.model,
        data=DataConfig(train=written.train, valid=written.valid),
        tokenizer=TokenizerConfig(n_vocab=tiny.model.n_vocab),
        training=replace(tiny.training, n_steps=100_000, n_threads=2),
    )
    (folder / CONFIG_FILE).write_text(config_text(config), encoding="utf-8")
    return folder


def measured(
    studio: Studio, folder: Path, seconds: float
) -> list[dict[str, float | str]]:
    """Start the run, wait for its first point, then watch the window's clock."""
    wait = QEventLoop()

    def look(events: list[Event]) -> None:
        if any(isinstance(event, Stepped) for event in events):
            wait.quit()

    began_s = time.perf_counter()
    studio.start_run(folder)
    page = studio.runs.shown
    assert page is not None
    control = page.control
    control.events_arrived.connect(look)
    wait.exec()
    first_s = time.perf_counter() - began_s
    control.events_arrived.disconnect(look)
    gaps_ms = gaps(seconds)
    control.state_changed.connect(
        lambda state: wait.quit() if state == "stopped" else None
    )
    control.stop()
    wait.exec()
    return [
        {
            "figure": "start_to_first_point",
            "s": round(first_s, 2),
            "target": START_TARGET_S,
        },
        {
            "figure": "window_gap_while_training",
            "ms_p99": round(float(np.percentile(gaps_ms, 99)), 1),
            "ms_max": round(max(gaps_ms), 1),
            "target_p99": P99_TARGET_MS,
            "target_max": WORST_TARGET_MS,
        },
    ]


def gaps(seconds: float) -> list[float]:
    """Milliseconds between the ticks of a timer in the main thread."""
    ticks_s: list[float] = []
    timer = QTimer(interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: ticks_s.append(time.perf_counter()))
    loop = QEventLoop()
    QTimer.singleShot(int(1000 * seconds), loop.quit)
    timer.start()
    loop.exec()
    timer.stop()
    return [float(gap) for gap in 1000 * np.diff(ticks_s)]


if __name__ == "__main__":
    sys.exit(main())
