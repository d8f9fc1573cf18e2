"""How the attention studio stands a long sentence: 1,024 and 512 tokens, 144 heads.

A whole window, off screen, with random models of 12 x 12 heads: of GPT-2 small's width,
and of width 96 (case A21). The first enlarged map after the forward pass, another head,
frames of zooming and panning, a hover, all small maps with the gaps of the event loop
meanwhile, and the memory with every picture opened. One JSON line a figure.
Run from the repository: python -m benchmarks.attention_long
"""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import json
import sys
import time
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.panels.attention.pictures import PICTURES
from app.style.theme import LIGHT, apply_theme
from app.widgets.zoom_map import ZoomMap
from app.workers.memory import give_back
from benchmarks.attention_models import (
    N_HEADS,
    N_LAYERS,
    Desk,
    Took,
    desk_with,
    forget_largest,
    ids_of,
    megabytes,
    print_figure,
    timed,
)
from core.trace.matrix import Matrix

N_LONG, N_A21 = 1024, 512
WIDE, NARROW = 768, 96
N_FIRST, N_SWITCHES, N_FRAMES, N_HOVERS = 5, 24, 60, 60
FRAME_MS = 1000 / 60
BEAT_MS = 5
CLOSER = 0.9
MEGABYTES = 500


def print_line(name: str, **numbers: object) -> None:
    """Print a figure that is no row of times."""
    sys.stdout.write(json.dumps({"figure": name, **numbers}) + "\n")
    sys.stdout.flush()


def first_maps(desk: Desk, n: int) -> list[Took]:
    """From the end of the forward pass until the enlarged map is painted."""
    session, shown = desk.session, desk.map
    passed: list[Took] = []
    session.trace_changed.connect(lambda _: passed.append(now()))
    took = []
    for number in range(N_FIRST):
        before = shown.matrix
        ids = [*ids_of(n - 1), ord("a") + number]
        desk.seconds_to_paint(
            shown,
            partial(session.request_ids, ids),
            partial(shows_another, shown, before),
        )
        end = now()
        took.append(Took(end.s - passed[-1].s, end.cpu_s - passed[-1].cpu_s))
        desk.settle()
    return took


def shows_another(shown: ZoomMap, before: Matrix | None) -> bool:
    """Whether a map shows another matrix than before."""
    return shown.matrix is not before


def now() -> Took:
    """What the clocks say."""
    return Took(time.perf_counter(), time.thread_time())


def other_heads(desk: Desk) -> list[Took]:
    """Another head of the same layer, until its map is painted."""
    took = []
    for number in range(N_SWITCHES):
        took.append(desk.to_head((5 * number + 1) % N_HEADS))
        desk.settle()
    return took


def frames(desk: Desk) -> tuple[list[Took], list[Took], list[Took]]:
    """Steps of zooming and of panning, and hovers, each until it is painted."""
    shown = desk.map
    middle = QPointF(shown.rect().center())
    zooms: list[Took] = []
    pans: list[Took] = []
    hovers: list[Took] = []
    for number in range(N_FRAMES):
        with timed(zooms):
            shown.zoom(CLOSER if number % 12 < 6 else 1 / CLOSER, middle)
            shown.repaint()
    shown.zoom(0.3, middle)
    QTest.mousePress(shown, Qt.MouseButton.LeftButton, pos=middle.toPoint())
    for number in range(N_FRAMES):
        way = QPoint(3 * (number % 30), 2 * (number % 30))
        with timed(pans):
            QTest.mouseMove(shown, middle.toPoint() - way)
            desk.app.processEvents()
    QTest.mouseRelease(shown, Qt.MouseButton.LeftButton, pos=middle.toPoint())
    shown.show_all()
    desk.settle()
    for number in range(N_HOVERS):
        with timed(hovers):
            QTest.mouseMove(shown, QPoint(150 + 3 * number, 120 + 2 * number))
            desk.app.processEvents()
    return zooms, pans, hovers


def all_maps(desk: Desk) -> None:
    """All small maps of a new stage: how long, and the gaps of the loop meanwhile."""
    ticks: list[float] = []
    beat = QTimer(interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
    desk.look("heads")
    beat.timeout.connect(lambda: ticks.append(time.perf_counter()))
    beat.start()
    start = time.perf_counter()
    desk.session.go_to("layers.3.attn.scaled")
    desk.until(lambda: is_whole(desk))
    took = time.perf_counter() - start
    beat.stop()
    gaps = 1000 * np.diff(ticks)
    print_line(
        "all_maps_of_1024_tokens",
        s=round(took, 2),
        gap_p99_ms=round(float(np.percentile(gaps, 99)), 1),
        gap_max_ms=round(float(gaps.max()), 1),
    )


def is_whole(desk: Desk) -> bool:
    """Whether every small map of the stage that is shown is there."""
    known = sum(tile.values is not None for tile in desk.tiles.tiles)
    return known == N_LAYERS * N_HEADS and not desk.session.studies.is_busy


def memory(desk: Desk, before: float) -> None:
    """What the process holds beyond the model, with every picture opened."""
    for picture in PICTURES:
        desk.look(picture.name)
    print_line(
        "memory_beyond_the_model_1024_tokens",
        megabytes=round(megabytes("VmRSS") - before),
        megabytes_at_most=round(megabytes("VmHWM") - before),
        target=MEGABYTES,
    )


def long_sentence(app: QApplication) -> None:
    """1,024 tokens through a model of GPT-2 small's size."""
    with desk_with(app, WIDE) as desk:
        desk.until(lambda: not desk.session.activity)
        give_back()  # what opening left behind is not the model's
        before = megabytes("VmRSS")
        forget_largest()
        desk.read(N_LONG)
        print_figure("first_map_of_1024_tokens", first_maps(desk, N_LONG), max_ms=300)
        print_figure("another_head_at_1024_tokens", other_heads(desk), max_ms=100)
        zooms, pans, hovers = frames(desk)
        print_figure("zoom_at_1024_tokens", zooms, p95_ms=FRAME_MS)
        print_figure("pan_at_1024_tokens", pans, p95_ms=FRAME_MS)
        print_figure("hover_at_1024_tokens", hovers, median_ms=2)
        all_maps(desk)
        memory(desk, before)


def case_a21(app: QApplication) -> None:
    """512 tokens through a model of width 96: matrix, switches, memory."""
    with desk_with(app, NARROW) as desk:
        desk.read(N_A21 - 1)
        start, shown = now(), desk.map
        before = shown.matrix
        desk.seconds_to_paint(
            shown,
            lambda: desk.session.request_ids(ids_of(N_A21)),
            partial(shows_another, shown, before),
        )
        end = now()
        first = [Took(end.s - start.s, end.cpu_s - start.cpu_s)]
        print_figure("a21_first_matrix_512_tokens", first, max_ms=3000)
        desk.settle()
        print_figure("a21_another_head", other_heads(desk), max_ms=300)
        for picture in PICTURES:
            desk.look(picture.name)
        print_line("a21_memory", megabytes=round(megabytes("VmRSS")), target=2000)


def main() -> None:
    """Measure and print."""
    app = QApplication([])
    apply_theme(app, LIGHT)
    case_a21(app)
    long_sentence(app)


if __name__ == "__main__":
    main()
