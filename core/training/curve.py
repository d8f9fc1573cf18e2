"""The loss curve of a run as a picture and as a table, to lie beside the model it made.

In: the events of a run. Out: SVG, in colours that read on white and on black; PNG, on a
background that is chosen; CSV, with a point as the decimal sign everywhere. A resumed
run shows each step once.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

import numpy as np
from PIL import Image, ImageColor, ImageDraw, ImageFont

from core.training.compare import Curves, FloatArray, curves_of
from core.training.events import Event

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 640, 320, 44, 8, 36, 14
SMOOTHED_OVER = 10
"""Logged steps in one point of the training curve."""
TRAIN, VALID, GREY = "#0072B2", "#C2500A", "#767676"
ON_DARK = {TRAIN: "#56B4E9", VALID: "#F0904A", GREY: "#9DA3AC"}
"""The same on the dark background, where text needs more light."""
FONT_SIZE = 11
PNG_SCALE = 2
"""Pixels of a PNG for each unit of the drawing."""
FINE_SCALE = 4
"""Pixels that are painted for each unit, then averaged, so that lines are smooth."""
STROKE = 1.5
DASH = 4
BACKGROUNDS = {False: "#FFFFFF", True: "#16181D"}
FAINT = 0.25
"""How much of its colour a line of the grid keeps."""
COLUMNS = (
    "step",
    "loss",
    "learning_rate",
    "gradient_norm",
    "tokens_per_second",
    "tested_train_loss",
    "valid_loss",
)
Point = tuple[float, float]
Anchor = Literal["start", "end"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The last step and the largest loss that are drawn."""

    last: int
    top: int

    def at(self, step: float, loss: float) -> Point:
        """Where a point of the curve lies in the drawing."""
        x = LEFT + step / self.last * (WIDTH - LEFT - RIGHT)
        return x, HEIGHT - BOTTOM - loss / self.top * (HEIGHT - BOTTOM - TOP)


@dataclass(frozen=True, slots=True)
class Line:
    """A line through places of the drawing."""

    points: Sequence[Point]
    colour: str
    is_dashed: bool = False
    is_faint: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A text whose start or end, on its base line, lies at a place."""

    place: Point
    text: str
    colour: str
    anchor: Anchor


def loss_curve(events: Iterable[Event]) -> str:
    """Draw training and validation loss over the steps, as SVG.

    The dashed line is ln(n_vocab), where a model starts that knows nothing.
    """
    lines, labels = drawing(curves_of(events))
    body = "\n".join([*map(_svg_line, lines), *map(_svg_label, labels)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="{FONT_SIZE}">\n{body}\n</svg>\n'
    )


def loss_png(events: Iterable[Event], *, dark: bool = False) -> bytes:
    """Draw the same as a PNG, on white or on the dark theme's background."""
    lines, labels = drawing(curves_of(events))
    fine = (WIDTH * FINE_SCALE, HEIGHT * FINE_SCALE)
    image = Image.new("RGB", fine, BACKGROUNDS[dark])
    draw = ImageDraw.Draw(image)
    colours = ON_DARK if dark else {colour: colour for colour in ON_DARK}
    for line in lines:
        colour: tuple[int, ...] = ImageColor.getrgb(colours[line.colour])
        if line.is_faint:
            colour = _mixed(colour, ImageColor.getrgb(BACKGROUNDS[dark]))
        _paint_line(draw, line, colour)
    font = ImageFont.load_default(FONT_SIZE * FINE_SCALE)
    for label in labels:
        anchor = "ls" if label.anchor == "start" else "rs"
        place = (label.place[0] * FINE_SCALE, label.place[1] * FINE_SCALE)
        draw.text(place, label.text, colours[label.colour], font, anchor)
    file = io.BytesIO()
    size = (WIDTH * PNG_SCALE, HEIGHT * PNG_SCALE)
    image.resize(size, Image.Resampling.BOX).save(file, "PNG")
    return file.getvalue()


def loss_csv(events: Iterable[Event]) -> str:
    """Write a line for every step that was logged or tested, empty where it was not."""
    curves = curves_of(events)
    rows: dict[float, dict[str, float]] = {}
    for column in COLUMNS[1:]:
        is_test = column in ("tested_train_loss", "valid_loss")
        steps = curves.tested_steps if is_test else curves.steps
        for step, value in zip(steps, getattr(curves, column), strict=True):
            if not math.isnan(value):
                rows.setdefault(step, {"step": int(step)})[column] = float(value)
    file = io.StringIO()
    table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(rows[step] for step in sorted(rows))
    return file.getvalue()


def drawing(curves: Curves) -> tuple[list[Line], list[Label]]:
    """Lay the curves, their grid and their names out on WIDTH x HEIGHT."""
    ceiling = curves.ceiling or 1.0
    is_tested = ~np.isnan(curves.valid_loss)
    valid_steps, valid = curves.tested_steps[is_tested], curves.valid_loss[is_tested]
    last = int(max([1, *curves.steps[-1:], *curves.tested_steps[-1:]]))
    scale = Scale(last, math.ceil(max([ceiling, *valid])))
    lines = [
        *_grid_lines(scale),
        Line([scale.at(0, ceiling), scale.at(last, ceiling)], GREY, is_dashed=True),
        Line(_places(*_means(curves.steps, curves.loss), scale), TRAIN),
        Line(_places(valid_steps, valid, scale), VALID),
    ]
    right, below = WIDTH - RIGHT, scale.at(0, ceiling)[1]
    names = [
        Label((right, below + 30), "training loss", TRAIN, "end"),
        Label((right, below + 46), "validation loss", VALID, "end"),
    ]
    if curves.n_vocab:
        text = f"untrained: ln {curves.n_vocab:,}"
        names.append(Label((right, below + 13), text, GREY, "end"))
    return lines, [*_grid_labels(scale), *names]


def _means(steps: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means of neighbours, each at the step of its last."""
    starts = np.arange(0, len(values), SMOOTHED_OVER)
    if not len(starts):
        return steps, values
    ends = np.append(starts[1:], len(values))
    return steps[ends - 1], np.add.reduceat(values, starts) / (ends - starts)


def _places(steps: FloatArray, values: FloatArray, scale: Scale) -> list[Point]:
    return [scale.at(*point) for point in zip(steps, values, strict=True)]


def _grid_lines(scale: Scale) -> list[Line]:
    return [
        Line([scale.at(0, y), scale.at(scale.last, y)], GREY, is_faint=True)
        for y in range(scale.top + 1)
    ]


def _grid_labels(scale: Scale) -> list[Label]:
    heights = [(y, scale.at(0, y)[1] + FONT_SIZE / 3) for y in range(scale.top + 1)]
    numbers = [Label((LEFT - 8, height), str(y), GREY, "end") for y, height in heights]
    below = HEIGHT - 14
    return [
        *numbers,
        Label((LEFT, below), "step 0", GREY, "start"),
        Label((WIDTH - RIGHT, below), f"step {scale.last:,}", GREY, "end"),
    ]


def _svg_line(line: Line) -> str:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.points)
    more = f' stroke-dasharray="{DASH} {DASH}"' if line.is_dashed else ""
    more += f' stroke-opacity="{FAINT}"' if line.is_faint else ""
    return f'<polyline points="{places}" fill="none" stroke="{line.colour}"{more}/>'


def _svg_label(label: Label) -> str:
    place = f'x="{label.place[0]:.1f}" y="{label.place[1]:.1f}"'
    how = f'fill="{label.colour}" text-anchor="{label.anchor}"'
    return f"<text {place} {how}>{escape(label.text)}</text>"


def _paint_line(draw: ImageDraw.ImageDraw, line: Line, colour: tuple[int, ...]) -> None:
    points = [(x * FINE_SCALE, y * FINE_SCALE) for x, y in line.points]
    width = round(FINE_SCALE * (0.5 if line.is_faint else STROKE))
    if len(points) < 2:
        return
    if not line.is_dashed:
        draw.line(points, colour, width, joint="curve")
        return
    (left, y), (right, _) = points
    dash = DASH * FINE_SCALE
    for x in range(round(left), round(right), 2 * dash):
        draw.line([(x, y), (min(x + dash, right), y)], colour, width)


def _mixed(colour: tuple[int, ...], background: tuple[int, ...]) -> tuple[int, ...]:
    """What a faint line looks like on a background: red, green and blue."""
    pairs = zip(colour, background, strict=True)
    return tuple(round(FAINT * a + (1 - FAINT) * b) for a, b in pairs)
