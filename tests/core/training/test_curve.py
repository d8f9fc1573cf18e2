"""The curve's points lie where the events say."""

import math
import re

from core.training.curve import SMOOTHED_OVER, loss_curve
from core.training.events import Evaluated, Started, Stepped


def started(n_vocab: int) -> Started:
    return Started(
        step=0,
        n_steps=100,
        n_parameters=1,
        n_vocab=n_vocab,
        n_train_tokens=1,
        n_valid_tokens=1,
        device="cpu",
        process=1,
    )


def stepped(step: int, loss: float) -> Stepped:
    return Stepped(
        step=step, loss=loss, learning_rate=0.1, gradient_norm=1, tokens_per_second=1
    )


def points(svg: str, colour: str) -> list[tuple[float, float]]:
    (line,) = re.findall(rf'points="([^"]*)" fill="none" stroke="{colour}', svg)
    return [tuple(map(float, pair.split(","))) for pair in line.split()]


def test_training_loss_is_smoothed_over_neighbours():
    steps = [stepped(i, 4.0 if i % 2 else 2.0) for i in range(1, 1 + 2 * SMOOTHED_OVER)]
    svg = loss_curve([started(55), *steps])
    curve = points(svg, "#0072B2")
    levels = {y for _, y in curve}
    assert len(curve) == 2
    assert len(levels) == 1  # the mean, 3, in both halves


def test_validation_loss_of_ln_vocab_lies_on_the_dashed_line():
    tested = Evaluated(step=50, train_loss=3, valid_loss=math.log(55), perplexity=55)
    svg = loss_curve([started(55), stepped(100, 3), tested])
    ((x, y),) = points(svg, "#C2500A")
    (left, level), (right, _) = points(svg, '#888" stroke-dasharray="4 4')
    assert y == level
    assert x == (left + right) / 2


def test_a_run_without_events_draws_an_empty_picture():
    assert loss_curve([]).startswith("<svg")
