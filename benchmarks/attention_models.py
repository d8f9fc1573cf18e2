"""Random models of 12 layers and 12 heads, and a window that has one: for `attention`.

What the figures of the attention studio share: models by their width, the whole window
around one, and the process's memory.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.main_window import MainWindow
from app.session import Session
from app.settings import Settings
from app.widgets.canvas import Canvas
from app.widgets.map_tiles import MapTiles
from app.widgets.zoom_map import ZoomMap
from app.workbench import Workbench
from app.workers.runner import stop_runners
from core.bundle import Bundle, make_bundle
from core.checkpoints.native import save_model
from core.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizers.bpe import BpeTokenizer

N_LAYERS = N_HEADS = 12
N_CTX = 1024
LETTERS = b"the cat sat on a mat, and then it slept. "
STEP = "layers.3.attn.pattern"
TICK_MS = 2
PATIENCE_S = 120
REST_S = 0.1
END_PATIENCE_MS = 5000


def config_of(width: int) -> ModelConfig:
    """12 x 12 of a width, with a token a byte."""
    return ModelConfig(
        n_vocab=BpeTokenizer.from_merges(()).n_vocab,
        n_ctx=N_CTX,
        d_model=width,
        n_layers=N_LAYERS,
        n_heads=N_HEADS,
    )


def wide_bundle(width: int) -> Bundle:
    """The same random weights every time."""
    torch.manual_seed(0)
    model = Transformer(config_of(width))
    return make_bundle(model, BpeTokenizer.from_merges(()), name="random")


def save_wide(folder: Path, width: int) -> None:
    """The same as a model folder."""
    bundle = wide_bundle(width)
    weights = bundle.model.weights()
    folder.mkdir()
    save_model(folder, bundle.config, weights, bundle.tokenizer, name="random")


def megabytes(field: str) -> float:
    """A size in the process's status: "VmRSS" now, "VmHWM" the largest since reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (each for each in lines if each.startswith(field))
    return int(line.split()[1]) / 1000


def forget_largest() -> None:
    """Let "VmHWM" begin anew (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")


@dataclass(frozen=True, slots=True)
class Took:
    """How long something took: on the clock, and computing in this thread."""

    s: float
    cpu_s: float


@contextmanager
def timed(into: list[Took]) -> Iterator[None]:
    """Time what is done meanwhile.

    On a machine that has other work to do, the clock also counts waiting for it.
    """
    start, worked = time.perf_counter(), time.thread_time()
    yield
    into.append(Took(time.perf_counter() - start, time.thread_time() - worked))


class Painted(QObject):
    """Notices that a widget has been painted once something is so."""

    def __init__(self, widget: QWidget, is_so: Callable[[], bool]) -> None:
        """Watch from now on."""
        super().__init__(widget)
        self.is_there = False
        self._is_so = is_so
        widget.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """See paint events."""
        if event.type() == QEvent.Type.Paint and self._is_so():
            self.is_there = True
        return False


@dataclass(frozen=True, slots=True)
class Desk:
    """A whole window with a model in it."""

    app: QApplication
    window: MainWindow
    session: Session

    def until(self, is_so: Callable[[], bool]) -> None:
        """Let the window live until something is so; it sleeps between events."""
        timer = QTimer(interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        timer.start()
        end = time.perf_counter() + PATIENCE_S
        while not is_so():
            self.app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if time.perf_counter() > end:
                raise SystemExit("The window did not get there.")
        timer.stop()

    def settle(self) -> None:
        """Let everything that is under way come to rest."""
        session = self.session
        self.until(lambda: session.is_current and not session.activity)
        self.until(lambda: not session.studies.is_busy)
        end = time.perf_counter() + REST_S
        self.until(lambda: time.perf_counter() > end)

    def read(self, n: int) -> None:
        """Trace a sentence of `n` tokens, and let the window come to rest."""
        self.session.request_ids(ids_of(n))
        self.until(lambda: self.session.trace is not None and self.session.trace.n == n)
        self.settle()

    def look(self, picture: str) -> None:
        """Look at attention by another picture."""
        self.session.request_viewing(replace(self.session.viewing, picture=picture))
        self.settle()

    def seconds_to_paint(
        self, watched: QWidget, act: Callable[[], None], is_so: Callable[[], bool]
    ) -> Took:
        """From an act until a widget is painted while something is so."""
        ground = watched.viewport() if isinstance(watched, Canvas) else watched
        painted = Painted(ground, is_so)
        took: list[Took] = []
        with timed(took):
            act()
            self.until(lambda: painted.is_there)
        ground.removeEventFilter(painted)
        return took[0]

    def to_head(self, head: int) -> Took:
        """From the wish for a head until its enlarged map is painted."""
        shown, session = self.map, self.session
        wish = replace(session.selection, head=head)
        return self.seconds_to_paint(
            shown,
            lambda: session.request_selection(wish),
            lambda: shown.matrix is not None and shown.matrix.prefix == (head,),
        )

    @property
    def map(self) -> ZoomMap:
        """The enlarged map."""
        found = self.window.findChild(ZoomMap, "attention.map")
        assert found is not None
        return found

    @property
    def tiles(self) -> MapTiles:
        """All heads."""
        found = self.window.findChild(MapTiles, "head.tiles")
        assert found is not None
        return found


def ids_of(n: int) -> list[int]:
    """Tokens of a text that has words."""
    return list((LETTERS * (n // len(LETTERS) + 1))[:n])


@contextmanager
def desk_with(app: QApplication, width: int) -> Iterator[Desk]:
    """A window with a random model of a width, at the pattern of one layer."""
    with TemporaryDirectory() as place:
        save_wide(Path(place) / "model", width)
        session = Session()
        settings = Settings(Path(place) / "settings.ini")
        bench, window = Workbench(session, settings), MainWindow(settings)
        window.furnish(bench)
        window.show()
        desk = Desk(app, window, session)
        session.open_model(Path(place) / "model")
        session.start()
        desk.until(lambda: session.model is not None)
        session.go_to(STEP)
        yield desk
        window.close()
        stop_runners(END_PATIENCE_MS)


def print_figure(name: str, took: Sequence[Took], **targets: float) -> None:
    """One line: median, 95th percentile and the largest, in milliseconds."""
    ms, computing = [1000 * t.s for t in took], [1000 * t.cpu_s for t in took]
    line = {
        "figure": name,
        "median_ms": round(statistics.median(ms), 2),
        "p95_ms": round(float(np.percentile(ms, 95)), 2),
        "max_ms": round(max(ms), 2),
        "cpu_median_ms": round(statistics.median(computing), 2),
        "cpu_p95_ms": round(float(np.percentile(computing, 95)), 2),
        "targets": targets,
        "repeats": len(ms),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
