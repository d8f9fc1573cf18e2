"""How long the inspector takes to answer: random cells of every step.

A random model of GPT-2 small's size with a sentence of 256 tokens, and the default
model (or the model folder that is named) with 64. From the selection to the painted
answer: the explanation, its operands, its proof. The formula's picture is drawn by a
thread of its own, as in the window. Prints one JSON line for each.
Run from the repository: python -m benchmarks.inspector [MODEL]
"""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from PySide6.QtWidgets import QApplication

from app.frame.inspector import Inspector
from app.furnishing import DEFAULT_MODEL
from app.scene import Scene
from app.session import Session
from app.style.theme import LIGHT, apply_theme
from app.widgets.formula import use_renderer
from app.workers.formulas import FormulaRenderer
from core import open_bundle, run_trace
from core.bundle import Bundle, make_bundle
from core.config import ModelConfig
from core.generation.sampling import Sampling
from core.model.transformer import Transformer
from core.tokenizers.bpe import BpeTokenizer
from core.trace.matrix import Cell
from core.trace.selection import Selection, has_numbers, pointed_at
from core.trace.trace import Trace

SIZES = ModelConfig(
    n_vocab=50257, n_ctx=1024, d_model=768, n_layers=12, n_heads=12, position="learned"
)
N_LARGE, N_SMALL = 256, 64
CELLS_PER_STEP = 3
TARGET_MS = 20
SIZE = (286, 700)
REST_S = 0.02
"""Between two questions, as a person leaves; the formulas' thread works meanwhile."""


def random_cells(trace: Trace, draw: np.random.Generator) -> list[Cell]:
    """Cells of every step that has numbers, in a random order."""
    cells = [
        Cell(
            step.key, tuple(int(draw.integers(size)) for size in trace.shape(step.key))
        )
        for step in trace.steps
        if step.axes and has_numbers(step)
        for _ in range(CELLS_PER_STEP)
    ]
    return [cells[place] for place in draw.permutation(len(cells))]


def answers(
    app: QApplication, bundle: Bundle, trace: Trace
) -> Iterator[tuple[float, float]]:
    """Seconds of every answer, on the clock and on the processor."""
    session = Session(pause_ms=0)
    inspector = Inspector(session)
    inspector.resize(*SIZE)
    inspector.show()
    for cell in random_cells(trace, np.random.default_rng(0)):
        place = pointed_at(Selection(), trace, cell)
        scene = Scene(trace, place, bundle.tokenizer, Sampling())
        start, worked = time.perf_counter(), time.thread_time()
        session.scene_changed.emit(scene)
        if inspector.view is None:
            raise SystemExit(f"{cell.key} was not answered.")
        inspector.repaint()
        yield time.perf_counter() - start, time.thread_time() - worked
        rest(app)
    inspector.close()


def rest(app: QApplication) -> None:
    """Let the window live for a moment."""
    end = time.perf_counter() + REST_S
    while time.perf_counter() < end:
        app.processEvents()


def figure(name: str, measured: list[tuple[float, float]]) -> None:
    """Print one line: median and 95th percentile in milliseconds.

    On a machine that has other work to do, what is not computing is waiting for it.
    """
    times, worked = zip(*measured, strict=True)
    line = {
        "figure": name,
        "median_ms": round(1000 * statistics.median(times), 2),
        "p95_ms": round(1000 * float(np.percentile(times, 95)), 2),
        "max_ms": round(1000 * max(times), 2),
        "cpu_median_ms": round(1000 * statistics.median(worked), 2),
        "cpu_p95_ms": round(1000 * float(np.percentile(worked, 95)), 2),
        "target_p95_ms": TARGET_MS,
        "repeats": len(times),
    }
    sys.stdout.write(json.dumps(line) + "\n")


def large_bundle() -> Bundle:
    """Random weights in a known size."""
    torch.manual_seed(0)
    return make_bundle(Transformer(SIZES), BpeTokenizer.from_merges(()), name="random")


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    apply_theme(app, LIGHT)
    renderer = FormulaRenderer(app)
    use_renderer(renderer)
    model = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_MODEL
    for name, bundle, n in (
        ("inspector_gpt2_small_256_tokens", large_bundle(), N_LARGE),
        ("inspector_default_model_64_tokens", open_bundle(model), N_SMALL),
    ):
        trace = run_trace(bundle, ids=[token % 256 for token in range(n)])
        figure(name, list(answers(app, bundle, trace)))
    use_renderer(None)
    renderer.close()


if __name__ == "__main__":
    main()
