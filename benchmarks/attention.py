"""How quickly all heads, and another head, are seen; beside bertviz's model view.

144 small maps of 64 tokens from new numbers to painted; the pattern of every head ready
to look at, against the HTML that bertviz makes of the same numbers, where it can be
imported (else against its figures as they were measured elsewhere, and the line says
so); another head at 256 tokens in a whole window, off screen. One JSON line a figure.
Run from the repository: python -m benchmarks.attention
"""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import json
import statistics
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import torch
from PySide6.QtWidgets import QApplication

from app.style.theme import LIGHT, apply_theme
from app.widgets.map_tiles import MapTiles, Tile
from benchmarks.attention_models import (
    N_HEADS,
    Desk,
    Took,
    desk_with,
    forget_largest,
    megabytes,
    print_figure,
    timed,
    wide_bundle,
)
from core.pipeline import run_trace
from core.trace.matrix import FloatArray, Scale
from core.trace.trace import Trace
from core.trace.viewing import PLAIN
from core.trace.views.overview import all_heads, small_maps

ROOM = (640, 740)
"""In it all 144 maps are in sight."""
N_REPEATS, N_VIEWS, N_SWITCHES = 40, 5, 60
N_SMALL, N_SWITCHED = 64, 256
NARROW, WIDE = 96, 768
PUBLISHED_S = {32: 0.08, 128: 1.5, 512: 22.7}
"""bertviz's model view, as the design of these figures had measured it."""
TIMES_FASTER = {32: 10, 128: 10, 512: 50}
MEGABYTES = 300
FRAME_MS = 16
SHARE = Scale("share", 1.0)


def paint(tiles: MapTiles, maps: list[FloatArray]) -> None:
    """Show small maps, and paint all of them."""
    captions = (f"L{at // N_HEADS + 1} H{at % N_HEADS + 1}" for at in range(len(maps)))
    shown = [Tile(words, values) for words, values in zip(captions, maps, strict=True)]
    tiles.show_tiles(shown, SHARE, "pattern", N_HEADS)
    tiles.viewport().repaint()


def overview(tiles: MapTiles) -> None:
    """144 maps of 64 tokens: new numbers to painted."""
    draw = np.random.default_rng(0)
    stacks = [
        np.tril(draw.random((N_HEADS**2, N_SMALL, N_SMALL), np.float32)) for _ in "ab"
    ]
    took: list[Took] = []
    for number in range(N_REPEATS):
        with timed(took):
            paint(tiles, list(stacks[number % 2]))
    print_figure("overview_of_144_heads_64_tokens", took, median_ms=FRAME_MS)


def ready(tiles: MapTiles, trace: Trace) -> Took:
    """From a trace to the small maps of its pattern, painted."""
    took: list[Took] = []
    with timed(took):
        maps = small_maps(trace, "pattern", PLAIN, all_heads(trace))
        paint(tiles, list(maps.values()))
    return took[0]


def of_bertviz(n: int) -> dict[str, float]:
    """Seconds and memory of its model view here; only seconds where it is not here."""
    if find_spec("bertviz") is None:
        return {"s": PUBLISHED_S[n]}
    command = [sys.executable, "-m", "benchmarks.model_view", str(n)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(told)
    return found


def model_views(tiles: MapTiles) -> None:
    """The pattern of every head, against bertviz's HTML of the same numbers."""
    bundle = wide_bundle(NARROW)
    for n, times in TIMES_FASTER.items():
        trace = run_trace(bundle, ids=[token % 256 for token in range(n)])
        ready(tiles, trace)
        before = megabytes("VmRSS")
        forget_largest()
        views = [ready(tiles, trace) for _ in range(N_VIEWS)]
        seconds = statistics.median(view.s for view in views)
        other = of_bertviz(n)
        line = {
            "figure": f"all_heads_ready_{n}_tokens",
            "ms": round(1000 * seconds, 1),
            "cpu_ms": round(1000 * statistics.median(v.cpu_s for v in views), 1),
            "megabytes": round(megabytes("VmHWM") - before),
            "bertviz_ms": round(1000 * other["s"], 1),
            "bertviz_cpu_ms": round(1000 * other.get("cpu_s", 0)) or None,
            "bertviz_megabytes": other.get("megabytes"),
            "bertviz_was_measured_here": "megabytes" in other,
            "times_faster": round(other["s"] / seconds, 1),
            "targets": {"times_faster": times, "megabytes": MEGABYTES},
        }
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def switches(desk: Desk) -> None:
    """Another head of the same layer at 256 tokens, until its map is painted."""
    desk.read(N_SWITCHED)
    took = []
    for number in range(N_SWITCHES):
        head = (5 * number + 1) % N_HEADS
        took.append(desk.to_head(head))
        desk.settle()
    print_figure("another_head_at_256_tokens", took, p95_ms=FRAME_MS)


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)  # as in the window
    app = QApplication([])
    apply_theme(app, LIGHT)
    tiles = MapTiles()
    tiles.resize(*ROOM)
    tiles.show()
    app.processEvents()  # before, nothing of it is painted
    overview(tiles)
    model_views(tiles)
    tiles.close()
    with desk_with(app, WIDE) as desk:
        switches(desk)


if __name__ == "__main__":
    main()
