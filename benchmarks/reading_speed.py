"""How the window feels while the doctor reads a large text: one JSON line.

`python -m benchmarks.reading_speed`: the training studio is given a file of 50 MB; the
gaps of the window's event loop against a 5 ms timer, from then until the tokens are
counted, and how long that takes.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

import numpy as np
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.dialogs.training.studio import Studio
from app.settings import Settings
from app.style.theme import LIGHT, apply_theme
from app.workers.runner import stop_runners
from benchmarks.trainer_memory import write_text
from core.training.sources import FileSource

TICK_MS = 5
P99_TARGET_MS, WORST_TARGET_MS = 16.0, 50.0


def gaps_of_reading(studio: Studio, path: Path) -> list[float]:
    """Let the studio read a file. -> milliseconds between the ticks of a timer."""
    ticks_s: list[float] = []
    loop, plan = QEventLoop(), studio.setup.plan
    timer = QTimer(interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)

    def tick() -> None:
        ticks_s.append(time.perf_counter())
        if plan.look.tokens is not None:
            loop.quit()

    timer.timeout.connect(tick)
    timer.start()
    plan.add_sources((FileSource(path),))
    loop.exec()
    timer.stop()
    return [float(gap) for gap in 1000 * np.diff(ticks_s)]


def main() -> int:
    """Measure and print. -> 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50.0)
    parser.add_argument("--text", type=Path, help="a text file instead")
    chosen = parser.parse_args()
    app = QApplication([])
    apply_theme(app, LIGHT)
    with tempfile.TemporaryDirectory() as place:
        path = chosen.text or Path(place) / "text.txt"
        if chosen.text is None:
            write_text(path, chosen.megabytes)
        studio = Studio(Settings(Path(place) / "settings.ini"))
        studio.show()
        app.processEvents()
        gaps_ms = gaps_of_reading(studio, path)
        figure = {
            "figure": "window_gap_while_reading",
            "ms_p99": round(float(np.percentile(gaps_ms, 99)), 1),
            "ms_max": round(max(gaps_ms), 1),
            "target_p99": P99_TARGET_MS,
            "target_max": WORST_TARGET_MS,
            "megabytes": round(path.stat().st_size / 1e6),
            "s": round(sum(gaps_ms) / 1000, 1),
        }
        sys.stdout.write(json.dumps(figure) + "\n")
        stop_runners(1000)
    return 0


if __name__ == "__main__":
    sys.exit(main())
