"""Equations with their numbers: signs, figures, and how rows and features count."""

import math
import re

import numpy as np
import pytest

from core.config import ModelConfig
from core.trace.numbers import latex
from tests.helpers.bundles import tiny_trace
from tests.helpers.traces import traced_ids


@pytest.mark.parametrize("key", ["attn.q", "attn.scores", "ffn.out", "ffn.hidden"])
def test_no_minus_stands_behind_another_sign(key):
    trace = tiny_trace()
    step = trace.step(f"layers.0.{key}")
    for index in np.ndindex(*(min(trace.sizes[axis], 3) for axis in step.axes)):
        equation = trace.explain(step.key, index).equation
        assert not re.search(r"[+] *-|cdot *-", equation)


def test_the_terms_that_are_left_out_are_counted_in_words():
    equation = tiny_trace().explain("layers.0.ffn.out", (2, 3)).equation
    assert r"}_{29 \text{ more}}" in equation


def test_a_row_counts_as_ids_do_and_its_feature_from_one():
    trace = tiny_trace()
    equation = trace.explain("embed.token", (0, 0)).equation
    assert equation.startswith(f"W_E[{trace.ids[0]}]_{{1}} = ")


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.1314, "0.131"), (-0.00834, "-0.00834"), (-1.984, "-1.98"), (0.0, "0.00")],
)
def test_numbers_of_an_equation_have_three_figures(number, text):
    assert latex(number) == text


def test_a_wave_shows_the_base_of_its_own_model():
    config = ModelConfig(n_vocab=8, n_ctx=4, d_model=8, n_heads=2, sinusoid_base=64.0)
    trace = traced_ids(config, (1, 2, 3))
    wave = r"\sin\frac{2}{64^{4 / 8}}"
    assert wave in trace.explain("embed.position", (2, 4)).equation
    assert "64^{2i/d_{model}}" in trace.step("embed.position").formula
    assert trace["embed.position"][2, 4] == pytest.approx(math.sin(2 / 8))
