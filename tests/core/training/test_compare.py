import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.config import ModelConfig
from core.training.compare import (
    Axis,
    CurveRecorder,
    along,
    config_differences,
    curves_of,
    smoothed,
    tokens_per_step,
)
from core.training.config import (
    DataConfig,
    RunConfig,
    TokenizerConfig,
    TrainingConfig,
    read_config,
)
from core.training.events import Event
from tests.helpers.run_events import evaluated, heads_scored, started, stepped
from tests.helpers.runs import carry_out

CONFIG = RunConfig(
    model=ModelConfig(n_ctx=8),
    data=DataConfig(train=("text.txt",)),
    tokenizer=TokenizerConfig(),
    training=TrainingConfig(batch_size=4),
)


def test_each_figure_stands_beside_its_step() -> None:
    curves = curves_of([started(), stepped(10, 3.0), stepped(20, 2.5, speed=8.0)])
    assert curves.steps.tolist() == [10, 20]
    assert curves.loss.tolist() == [3.0, 2.5]
    assert curves.learning_rate.tolist() == [0.01, 0.02]
    assert curves.gradient_norm.tolist() == [1.0, 2.0]
    assert curves.tokens_per_second.tolist() == [9.0, 8.0]


def test_tests_without_a_validation_text_have_no_number_there() -> None:
    curves = curves_of([started(), evaluated(0, 5.0, 4.0), evaluated(9, None, 3.0)])
    assert curves.tested_steps.tolist() == [0, 9]
    assert curves.tested_train_loss.tolist() == [4.0, 3.0]
    assert curves.valid_loss[0] == 5.0
    assert math.isnan(curves.valid_loss[1])


def test_heads_are_scored_by_time_layer_and_head() -> None:
    curves = curves_of([started(), heads_scored(5, 0.1), heads_scored(10, 0.8)])
    assert curves.head_steps.tolist() == [5, 10]
    assert curves.previous.shape == (2, 1, 2)
    assert curves.previous[1, 0].tolist() == [0.8, 0.4]
    assert curves.induction[:, 0, 1].tolist() == [0.25, 0.25]


def test_a_resumed_run_counts_each_step_once() -> None:
    first: list[Event] = [stepped(10), stepped(20), stepped(30), evaluated(30, 1.0)]
    second: list[Event] = [started(20), stepped(30, 7.0), heads_scored(40, 0.1)]
    curves = curves_of([started(), *first, heads_scored(30, 0.9), *second])
    assert curves.steps.tolist() == [10, 20, 30]
    assert curves.loss[-1] == 7.0
    assert curves.tested_steps.tolist() == []
    assert curves.head_steps.tolist() == [40]


def test_an_empty_run_has_empty_curves() -> None:
    curves = curves_of([])
    assert curves.ceiling is None
    assert len(curves.steps) == len(curves.valid_loss) == len(curves.head_steps) == 0
    assert along(curves, curves.steps, "seconds", 32).tolist() == []


def test_an_untrained_model_starts_at_the_ceiling() -> None:
    assert curves_of([started(n_vocab=100)]).ceiling == pytest.approx(math.log(100))


def test_more_events_make_longer_curves_and_leave_the_older_ones() -> None:
    recorder = CurveRecorder()
    recorder.add_all([started(), stepped(1)])
    before = recorder.curves()
    recorder.add(stepped(2))
    assert (len(before.steps), len(recorder.curves().steps)) == (1, 2)
    with pytest.raises(ValueError, match="read-only"):
        before.loss[0] = 0.0


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ("step", [0, 5, 10, 20, 20]),
        ("tokens", [0, 160, 320, 640, 640]),
        # 10 steps of 32 tokens at 32 and at 64 tokens/s: 10 s, then 5 s.
        ("seconds", [0, 5, 10, 15, 15]),
    ],
)
def test_steps_lie_on_every_axis(axis: Axis, expected: list[float]) -> None:
    curves = curves_of([started(), stepped(10, speed=32), stepped(20, speed=64)])
    steps = np.array([0.0, 5.0, 10.0, 20.0, 20.0])
    assert along(curves, steps, axis, 32).tolist() == expected


def test_a_step_reads_a_batch_of_windows() -> None:
    assert tokens_per_step(CONFIG) == 4 * 8


def test_smoothing_is_the_weighted_mean_of_the_past() -> None:
    values = np.random.default_rng(1).normal(size=300)
    total = weight = 0.0
    expected = []
    for value in values:
        total, weight = 0.95 * total + value, 0.95 * weight + 1
        expected.append(total / weight)
    np.testing.assert_allclose(smoothed(values, over=20), expected, rtol=1e-9)


def test_smoothing_over_one_point_changes_nothing() -> None:
    values = np.array([3.0, 1.0, 2.0])
    assert smoothed(values, over=1).tolist() == [3, 1, 2]
    assert smoothed(np.empty(0)).tolist() == []


def test_a_level_curve_stays_level() -> None:
    np.testing.assert_allclose(smoothed(np.full(1000, 2.5), over=100), 2.5)


def test_differences_name_table_field_and_every_value() -> None:
    other = replace(
        CONFIG,
        model=ModelConfig(n_ctx=8, n_layers=2),
        training=TrainingConfig(batch_size=4, learning_rate=0.5),
    )
    rows = config_differences(CONFIG, other, CONFIG)
    assert [(row.field, row.values) for row in rows] == [
        ("model.n_layers", (4, 2, 4)),
        ("training.learning_rate", (1e-3, 0.5, 1e-3)),
    ]
    assert config_differences(CONFIG) == ()
    assert config_differences() == ()  # of runs whose files cannot be read


def test_a_vocabulary_differs_under_its_table(make_run: Callable[..., Path]) -> None:
    read = read_config(make_run())
    other = replace(
        read,
        model=replace(read.model, n_vocab=300),
        tokenizer=replace(read.tokenizer, n_vocab=300),
    )
    (row,) = config_differences(read, other)
    assert (row.field, row.values) == ("tokenizer.n_vocab", (257, 300))


def test_the_curves_of_a_real_run_have_every_logged_step(
    make_run: Callable[..., Path],
) -> None:
    curves = curves_of(carry_out(make_run()))
    assert curves.steps.tolist() == [1, 2, 3, 4, 5, 6]
    seconds = along(curves, curves.steps, "seconds", 16)
    assert (np.diff(seconds) > 0).all()
