"""How long the window takes: a keystroke, a step, twelve maps, a hover.

Off screen, with the default model (or the model folder that is named). The typing pause
is not counted. Prints one JSON line a figure.
Run from the repository: python -m benchmarks.window_speed [MODEL]
"""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.furnishing import DEFAULT_MODEL
from app.main_window import MainWindow
from app.session import Session
from app.settings import TYPING_PAUSE_MS, Settings
from app.style.theme import LIGHT, apply_theme
from app.widgets.head_grid import HeadGrid
from app.workbench import Workbench
from app.workers.runner import stop_runners
from core.trace.matrix import Scale

WORDS = "Once upon a time there was a girl named Mira who lived in a small house "
N_TOKENS = 32
N_KEYSTROKES = 40
N_REPEATS = 40
PATIENCE_S = 60
REST_S = 0.06
END_PATIENCE_MS = 5000


class PaintWatch(QObject):
    """Notes when a widget was painted last."""

    def __init__(self, widget: QWidget) -> None:
        """Watch a widget and all in it."""
        super().__init__(widget)
        self.painted_at = 0.0
        for part in (widget, *widget.findChildren(QWidget)):
            part.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """See paint events, and parts that are new."""
        if event.type() == QEvent.Type.ChildAdded and event.child().isWidgetType():
            event.child().installEventFilter(self)
        if event.type() == QEvent.Type.Paint:
            self.painted_at = time.perf_counter()
        return False


def wait_until(app: QApplication, is_so: Callable[[], bool]) -> None:
    """Let the window live until something is so."""
    end = time.perf_counter() + PATIENCE_S
    while not is_so():
        app.processEvents()
        if time.perf_counter() > end:
            raise SystemExit("The window did not get there.")


def settle(app: QApplication, session: Session) -> None:
    """Let everything that is under way come to rest."""
    wait_until(app, lambda: session.is_current and not session.activity)
    for _ in range(3):
        app.processEvents()


def rest(app: QApplication) -> None:
    """Let what waits for a quiet moment be done, as between a person's steps."""
    end = time.perf_counter() + REST_S
    while time.perf_counter() < end:
        app.processEvents()


def figure(
    name: str,
    values: list[float],
    targets: dict[str, float],
    on_processor: list[float] | None = None,
) -> None:
    """Print one line: median and 95th percentile in milliseconds.

    `on_processor` is what of the same times was spent computing: on a machine that has
    other work to do, the rest was spent waiting for it.
    """
    line = {
        "figure": name,
        "median_ms": round(1000 * statistics.median(values), 2),
        "p95_ms": round(1000 * float(np.percentile(values, 95)), 2),
        "targets": targets,
        "repeats": len(values),
    }
    if on_processor:
        line["cpu_median_ms"] = round(1000 * statistics.median(on_processor), 2)
        line["cpu_p95_ms"] = round(1000 * float(np.percentile(on_processor, 95)), 2)
    sys.stdout.write(json.dumps(line) + "\n")


def key_to_paint(
    app: QApplication, session: Session, field: QWidget, key: Qt.Key, watch: PaintWatch
) -> float:
    """Seconds from a key in the sentence to the repainted panel, less the pause."""
    before = session.trace
    start = time.perf_counter()
    QTest.keyClick(field, key)
    wait_until(app, lambda: session.trace is not before)
    changed = time.perf_counter()
    wait_until(app, lambda: watch.painted_at > changed)
    app.processEvents()
    return watch.painted_at - start - TYPING_PAUSE_MS / 1000


def keystrokes(app: QApplication, bench: Workbench, session: Session) -> None:
    """The last keystroke of a sentence of `N_TOKENS` tokens, again and again."""
    field = bench.sentence.edit
    watch = PaintWatch(bench.host)
    took = []
    for number in range(N_KEYSTROKES):
        settle(app, session)
        key = Qt.Key.Key_Backspace if number % 2 else Qt.Key.Key_S
        took.append(key_to_paint(app, session, field, key, watch))
    figure("keystroke_to_repainted_panel", took, {"median_ms": 60, "p95_ms": 100})


def steps(app: QApplication, session: Session) -> None:
    """Next, through every step of the model, until all is painted."""
    took: list[float] = []
    computed: list[float] = []
    for _ in range(2):  # the first round makes the panels
        took.clear()
        computed.clear()
        session.go_to("tokens.ids")
        settle(app, session)
        while session.selection.step != "output.pick":
            start, start_computing = time.perf_counter(), time.thread_time()
            session.next_step()
            app.processEvents()
            took.append(time.perf_counter() - start)
            computed.append(time.thread_time() - start_computing)
            rest(app)
            settle(app, session)
    figure("one_step_forward", took, {"p95_ms": 16}, computed)


def maps(app: QApplication) -> None:
    """Twelve maps of 256 x 256: new data to painted, and a hover."""
    grid = HeadGrid()
    grid.resize(1000, 750)
    grid.show()
    stacks = [np.tril(np.random.rand(12, 256, 256)).astype(np.float32) for _ in "ab"]
    new, hover = [], []
    for number in range(N_REPEATS):
        start = time.perf_counter()
        grid.show_heads(stacks[number % 2], Scale("share", 1.0), "pattern")
        grid.repaint()
        new.append(time.perf_counter() - start)
        place = QPoint(100 + 7 * number, 120 + 3 * number)
        start = time.perf_counter()
        QTest.mouseMove(grid, place)
        app.processEvents()
        hover.append(time.perf_counter() - start)
    figure("twelve_maps_of_256", new, {"median_ms": 10})
    figure("hover_over_twelve_maps", hover, {"median_ms": 2})


def main() -> None:
    """Measure and print."""
    model = Path(sys.argv[1]) if sys.argv[1:] else DEFAULT_MODEL
    app = QApplication([])
    apply_theme(app, LIGHT)
    with TemporaryDirectory() as folder:
        session = Session()
        settings = Settings(Path(folder) / "settings.ini")
        bench, window = Workbench(session, settings), MainWindow(settings)
        window.furnish(bench)
        window.show()
        app.processEvents()
        session.open_model(model)
        session.start()
        session.request_text(WORDS)
        session.go_to("layers.1.attn.pattern")
        wait_until(app, lambda: session.trace is not None)
        text = session.tokenizer.decode(
            session.tokenizer.encode(WORDS * 3).ids[:N_TOKENS]
        )
        session.request_text(text)
        settle(app, session)
        keystrokes(app, bench, session)
        steps(app, session)
        maps(app)
        window.close()
        stop_runners(END_PATIENCE_MS)


if __name__ == "__main__":
    main()
