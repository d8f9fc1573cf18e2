"""How fast the window draws a run: one JSON line a figure.

`python -m benchmarks.curve_speed`: redraws of the loss chart with 100,000 points (new
points laid out, and the repaint), and the window's largest gap while it reads the
history of such a run.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.dialogs.training.monitor import Monitor
from app.settings import Settings
from app.style.theme import LIGHT, apply_theme
from app.widgets.curve_parts import Level, Series
from app.widgets.curve_plot import CurvePlot
from app.workers.run_control import RunControl
from core.training.events import (
    EVENTS_FILE,
    Event,
    Started,
    Stepped,
    Stopped,
    line_of,
)

SIZE = (900, 360)
TICK_MS = 5
WAIT_S = 60.0


def main() -> int:
    """Measure and print. -> 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    app = QApplication([])
    apply_theme(app, LIGHT)
    for figure in (
        *redraw(options.points, options.repeats),
        *history(app, options.points),
    ):
        sys.stdout.write(json.dumps(figure) + "\n")
    return 0


def redraw(n_points: int, repeats: int) -> Iterator[dict[str, float | str]]:
    """Lay out and paint a curve that has grown."""
    steps = np.arange(1.0, n_points + 1)
    noise = np.random.default_rng(0).normal(0, 0.1, n_points)
    smooth = 1.5 + 4.2 * np.exp(-5 * steps / n_points)
    plot = CurvePlot("loss", "step")
    plot.resize(*SIZE)

    def grow() -> None:
        raw = Series("each step", steps, smooth + noise, opacity=0.35, width=1)
        lines = (raw, Series("training loss", steps, smooth))
        plot.show_series(lines, (Level(5.7, "knows nothing"),))
        plot.grab()

    yield figures(f"redraw of {n_points} points", grow, repeats)


def figures(
    name: str, work: Callable[[], None], repeats: int
) -> dict[str, float | str]:
    """The median and the best of some runs, after one that warms up."""
    work()
    times_ms = []
    for _ in range(repeats):
        start_s = time.perf_counter()
        work()
        times_ms.append(1e3 * (time.perf_counter() - start_s))
    return {
        "figure": name,
        "median_ms": round(float(np.median(times_ms)), 2),
        "best_ms": round(min(times_ms), 2),
    }


def history(app: QApplication, n_points: int) -> Iterator[dict[str, float | str]]:
    """Read a long run into the monitor page while a timer looks for gaps."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_history(folder, n_points)
        control = RunControl()
        page = Monitor(control, Settings(folder / "settings.ini"))
        page.resize(1280, 800)
        page.show()
        app.processEvents()
        ticks: list[float] = []
        clock = QTimer(interval=TICK_MS)
        clock.setTimerType(Qt.TimerType.PreciseTimer)
        clock.timeout.connect(lambda: ticks.append(time.perf_counter()))
        clock.start()
        start_s = time.perf_counter()
        control.attach(folder)
        while control.state != "stopped" and time.perf_counter() - start_s < WAIT_S:
            app.processEvents()
        gaps_ms = 1e3 * np.diff(ticks)
        control.detach()
    yield {
        "figure": f"history of {n_points} steps",
        "read_ms": round(1e3 * (time.perf_counter() - start_s)),
        "gap_p99_ms": round(float(np.percentile(gaps_ms, 99)), 1),
        "gap_max_ms": round(float(gaps_ms.max()), 1),
    }


def write_history(folder: Path, n_points: int) -> None:
    """The events of a run that has been stopped after `n_points` logged steps."""
    started = Started(
        step=0,
        n_steps=n_points,
        n_parameters=1,
        n_vocab=300,
        n_train_tokens=1,
        n_valid_tokens=0,
        device="cpu",
        process=0,
    )
    steps = (
        Stepped(
            step=step,
            loss=1 + 4 / step,
            learning_rate=1e-3,
            gradient_norm=1.0,
            tokens_per_second=1e4,
        )
        for step in range(1, n_points + 1)
    )
    stopped = Stopped(step=n_points, message="Stopped.")
    events: tuple[Event, ...] = (started, *steps, stopped)
    lines = (line_of(event) for event in events)
    (folder / EVENTS_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
