"""The loss curve of a run as a small picture, to lie beside the model it made.

In: the events of a run. Out: SVG, in colours that read on white and on black.
"""

import math
from collections.abc import Iterable, Sequence

from core.training.events import Evaluated, Event, Started, Stepped

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 320, 44, 36, 14
SMOOTHED_OVER = 10
"""Logged steps in one point of the training curve."""
Point = tuple[float, float]
Scale = tuple[int, int]
"""The last step and the largest loss."""


def loss_curve(events: Iterable[Event]) -> str:
    """Draw training and validation loss over the steps.

    The dashed line is ln(n_vocab), where a model starts that knows nothing.
    """
    events = list(events)
    train: list[Point] = [(e.step, e.loss) for e in events if isinstance(e, Stepped)]
    valid: list[Point] = [
        (e.step, e.valid_loss)
        for e in events
        if isinstance(e, Evaluated) and e.valid_loss is not None
    ]
    started = [e for e in events if isinstance(e, Started)]
    ceiling = math.log(started[-1].n_vocab) if started else 1.0
    last = max([1, *(e.step for e in events if isinstance(e, Stepped))])
    top = max([ceiling, *(loss for _, loss in valid)])
    scale = (last, math.ceil(top))
    lines = [
        *_grid(scale),
        _line([(0, ceiling), (last, ceiling)], scale, "#888", 'stroke-dasharray="4 4"'),
        _line(_smoothed(train), scale, "#0072B2"),
        _line(valid, scale, "#C2500A"),
        _label(WIDTH - 8, TOP + 44, "training loss", "#0072B2", "end"),
        _label(WIDTH - 8, TOP + 60, "validation loss", "#C2500A", "end"),
    ]
    body = "\n".join(lines)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="11">\n{body}\n</svg>\n'
    )


def _smoothed(points: Sequence[Point]) -> list[Point]:
    """Means of neighbours, each at the step of its last."""
    groups = [
        points[i : i + SMOOTHED_OVER] for i in range(0, len(points), SMOOTHED_OVER)
    ]
    return [(g[-1][0], sum(loss for _, loss in g) / len(g)) for g in groups]


def _grid(scale: Scale) -> list[str]:
    last, top = scale
    levels = [
        _line([(0, y), (last, y)], scale, "#888", 'stroke-opacity="0.25"')
        for y in range(top + 1)
    ]
    numbers = [
        _label(LEFT - 8, _at((0, y), scale)[1] + 4, str(y), "#888", "end")
        for y in range(top + 1)
    ]
    steps = [
        _label(_at((x, 0), scale)[0], HEIGHT - 14, f"step {x:,}", "#888", anchor)
        for x, anchor in ((0, "start"), (last, "end"))
    ]
    return [*levels, *numbers, *steps]


def _at(point: Point, scale: Scale) -> Point:
    last, top = scale
    x = LEFT + point[0] / last * (WIDTH - LEFT - 8)
    return x, HEIGHT - BOTTOM - point[1] / top * (HEIGHT - BOTTOM - TOP)


def _line(points: Sequence[Point], scale: Scale, colour: str, more: str = "") -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(p, scale) for p in points))
    return f'<polyline points="{places}" fill="none" stroke="{colour}" {more}/>'


def _label(x: float, y: float, text: str, colour: str, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text {place} fill="{colour}" text-anchor="{anchor}">{text}</text>'
