"""How long one step of the time slider takes, from the wish to the last paint.

Off screen, with a run of random checkpoints of the default model's shape, at three
steps of the walk. Prints one JSON line a figure.
Run from the repository: python -m benchmarks.time_speed
"""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import json
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from PySide6.QtWidgets import QApplication

from app.furnishing import DEFAULT_MODEL
from app.main_window import MainWindow
from app.session import Session
from app.settings import Settings
from app.style.theme import LIGHT, apply_theme
from app.workbench import Workbench
from app.workers.runner import stop_runners
from benchmarks.window_speed import PaintWatch, settle, wait_until
from core.bundle import open_bundle
from core.checkpoints.native import read_model, save_model
from core.model.transformer import Transformer

SENTENCE = "Once upon a time there was a little fox who lived in a small house"
N_CHECKPOINTS = 6
N_REPEATS = 12
STEPS = ("embed.sum", "layers.1.attn.pattern", "output.probs")
TARGET_MS = 150
END_PATIENCE_MS = 5000
NAP_S = 0.001


def write_run(run: Path) -> Path:
    """Make a run whose checkpoints differ; the first of them."""
    model = read_model(DEFAULT_MODEL)
    for step in range(1, N_CHECKPOINTS + 1):
        folder = run / "checkpoints" / f"step-{step:08d}"
        folder.mkdir(parents=True)
        weights = Transformer(model.config).weights()
        name = f"{run.name}, step {step}"
        save_model(folder, model.config, weights, model.tokenizer, name=name)
    (run / "config.toml").write_text('[data]\ntrain = ["text.txt"]\n', "utf-8")
    return run / "checkpoints" / "step-00000001"


def opening(first: Path) -> dict[str, object]:
    """How long a checkpoint takes to open, alone and after another one of its run."""
    like = open_bundle(first)
    second = first.with_name("step-00000002")
    alone, after = [], []
    for _ in range(N_REPEATS):
        start = time.perf_counter()
        open_bundle(second)
        alone.append(time.perf_counter() - start)
        start = time.perf_counter()
        open_bundle(second, like=like)
        after.append(time.perf_counter() - start)
    return {
        "figure": "open_checkpoint",
        "ms_alone": round(1000 * statistics.median(alone), 1),
        "ms_of_the_same_run": round(1000 * statistics.median(after), 1),
    }


def is_at(session: Session, place: int) -> bool:
    """Whether a checkpoint's own trace is shown."""
    return session.moment == place and session.is_current


def moving(
    app: QApplication, bench: Workbench, session: Session, step: str
) -> dict[str, object]:
    """From the slider's move to the last paint it causes."""
    session.go_to(step)
    settle(app, session)
    watch, slider = PaintWatch(bench), bench.time.slider
    times = []
    for repeat in range(N_REPEATS + 2):
        place = repeat % N_CHECKPOINTS
        start = time.perf_counter()
        slider.setValue(place)
        while not is_at(session, place):
            app.processEvents()
            time.sleep(NAP_S)  # as Qt's loop sleeps: the worker needs the interpreter
        settle(app, session)
        times.append(1000 * (watch.painted_at - start))
    kept = sorted(times[2:])
    return {
        "figure": f"time_step_{step}",
        "ms_median": round(statistics.median(kept), 1),
        "ms_worst": round(kept[-1], 1),
        "target": TARGET_MS,
    }


def main() -> None:
    """Measure and print."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # as many as the window takes on two cores
    app = QApplication([])
    apply_theme(app, LIGHT)
    with TemporaryDirectory() as folder:
        first = write_run(Path(folder) / "run")
        session = Session(pause_ms=0)
        window = MainWindow(Settings(Path(folder) / "settings.ini"))
        bench = Workbench(session, Settings(Path(folder) / "settings.ini"))
        window.furnish(bench)
        window.show()
        session.open_model(first)
        session.request_text(SENTENCE)
        session.start()
        wait_until(app, lambda: session.timeline is not None and session.is_current)
        lines = [opening(first)]
        lines += [moving(app, bench, session, step) for step in STEPS]
        for line in lines:
            sys.stdout.write(json.dumps(line) + "\n")
        window.close()
        stop_runners(END_PATIENCE_MS)


if __name__ == "__main__":
    main()
