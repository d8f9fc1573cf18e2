"""The curve's points lie where the events say."""

import csv
import io
import math
import re

import pytest
from PIL import Image, ImageColor

from core.training.curve import (
    BACKGROUNDS,
    HEIGHT,
    ON_DARK,
    PNG_SCALE,
    SMOOTHED_OVER,
    TRAIN,
    VALID,
    WIDTH,
    loss_csv,
    loss_curve,
    loss_png,
)
from core.training.events import Event
from tests.helpers.run_events import evaluated, started, stepped

DASHED = '#767676" stroke-dasharray="4 4'


def points(svg: str, colour: str) -> list[tuple[float, ...]]:
    (line,) = re.findall(rf'points="([^"]*)" fill="none" stroke="{colour}', svg)
    return [tuple(map(float, pair.split(","))) for pair in line.split()]


def test_training_loss_is_smoothed_over_neighbours() -> None:
    steps = [stepped(i, 4.0 if i % 2 else 2.0) for i in range(1, 1 + 2 * SMOOTHED_OVER)]
    svg = loss_curve([started(n_vocab=55), *steps])
    curve = points(svg, TRAIN)
    levels = {y for _, y in curve}
    assert len(curve) == 2
    assert len(levels) == 1  # the mean, 3, in both halves


def test_the_last_neighbours_may_be_fewer() -> None:
    steps = [stepped(i, 2.0) for i in range(1, SMOOTHED_OVER + 4)]
    levels = {y for _, y in points(loss_curve([started(), *steps]), TRAIN)}
    assert len(levels) == 1


def test_validation_loss_of_ln_vocab_lies_on_the_dashed_line() -> None:
    tested = evaluated(50, math.log(55), 3.0)
    svg = loss_curve([started(n_vocab=55), stepped(100, 3), tested])
    ((x, y),) = points(svg, VALID)
    (left, level), (right, _) = points(svg, DASHED)
    assert y == level
    assert x == (left + right) / 2


def test_a_resumed_run_is_drawn_once() -> None:
    events: list[Event] = [started(), *(stepped(i) for i in range(1, 41))]
    again: list[Event] = [started(20), *(stepped(i) for i in range(21, 41))]
    assert loss_curve(events + again) == loss_curve(events)


def test_a_run_without_events_draws_an_empty_picture() -> None:
    assert loss_curve([]).startswith("<svg")
    assert loss_png([]).startswith(b"\x89PNG")
    assert loss_csv([]).count("\n") == 1


@pytest.mark.parametrize("dark", [False, True])
def test_a_png_has_its_chosen_background_and_both_curves(dark: bool) -> None:
    events: list[Event] = [started(), *(stepped(i, 3.0) for i in range(1, 50))]
    events += [evaluated(0, 5.0), evaluated(49, 2.0)]
    image = Image.open(io.BytesIO(loss_png(events, dark=dark))).convert("RGB")
    assert image.size == (WIDTH * PNG_SCALE, HEIGHT * PNG_SCALE)
    counted = image.getcolors(1_000_000)
    assert counted is not None
    drawn = {colour for _, colour in counted}
    curves = [ON_DARK[TRAIN], ON_DARK[VALID]] if dark else [TRAIN, VALID]
    for colour in (BACKGROUNDS[dark], *curves):
        assert ImageColor.getrgb(colour) in drawn


def test_the_table_has_a_row_for_each_step_and_no_figure_that_is_not_there() -> None:
    events: list[Event] = [started(), stepped(10, 0.1 + 0.2), evaluated(10, None, 4.0)]
    text = loss_csv([*events, evaluated(20, 2.5, 3.5)])
    first, second = csv.DictReader(io.StringIO(text))
    assert float(first["loss"]) == 0.1 + 0.2
    assert (first["step"], first["tested_train_loss"], first["valid_loss"]) == (
        "10",
        "4.0",
        "",
    )
    assert (second["step"], second["loss"], second["valid_loss"]) == ("20", "", "2.5")


def luminance(colour: str) -> float:
    """As in WCAG 2.2, from 0 to 1."""
    shares = [value / 255 for value in ImageColor.getrgb(colour)]
    linear = [
        s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_the_background_of_a_png(dark: bool) -> None:
    background = luminance(BACKGROUNDS[dark])
    for colour in ON_DARK.values() if dark else ON_DARK:
        low, high = sorted((background, luminance(colour)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour
