"""The feed-forward views: curves, lists and sums against the model's own functions."""

import numpy as np
import pytest
import torch

from core.model.functions import ACTIVATIONS
from core.trace.views.feed_forward import (
    N_LISTED,
    hidden_keys,
    hidden_view,
    norm_view,
    out_view,
    strongest_neurons,
)
from tests.helpers.bundles import tiny_trace

FFN = "layers.1.ffn"


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
@pytest.mark.parametrize("gated", [False, True])
def test_every_token_stands_on_the_curve_of_the_forward_pass(activation, gated):
    trace = tiny_trace(activation=activation, gated=gated)
    bend = hidden_view(trace, f"{FFN}.active", 1, 5).bend
    dots = list(bend.dots)
    argument = trace.part(f"{FFN}.{'gate' if gated else 'hidden'}", (None, 5))
    assert bend.x[dots].tolist() == argument.tolist()
    bent = ACTIVATIONS[activation](torch.from_numpy(argument.copy())).numpy()
    np.testing.assert_allclose(bend.y[dots], bent, atol=1e-7)
    factor = trace.part(f"{FFN}.hidden", (None, 5)) if gated else 1.0
    active = trace.part(f"{FFN}.active", (None, 5))
    np.testing.assert_allclose(bend.y[dots] * factor, active, atol=1e-6)


def test_the_curve_rises_along_x_and_shows_both_sides_of_zero():
    bend = hidden_view(tiny_trace("c"), f"{FFN}.hidden", 0, 0).bend
    assert (np.diff(bend.x) > 0).all()
    assert bend.x[0] <= -3
    assert bend.x[-1] >= 3


def test_strips_are_the_chosen_tokens_rows_in_the_order_of_computation():
    trace = tiny_trace(gated=True)
    view = hidden_view(trace, f"{FFN}.hidden", 2, 0)
    assert view.stages == hidden_keys(trace, FFN)
    assert view.strips.rows.labels == ("gate", "hidden", "active")
    for stage, row in zip(view.stages, view.strips.values, strict=True):
        assert row.tolist() == trace.part(stage, (2,)).tolist()


def test_a_neuron_writes_its_activation_times_its_row_of_w2():
    trace = tiny_trace()
    first = strongest_neurons(trace, FFN, 1)[0]
    row = trace.part(f"{FFN}.W_2", (first.index,))
    written = np.linalg.norm(trace.value(f"{FFN}.active", (1, first.index)) * row)
    whole = np.linalg.norm(trace.part(f"{FFN}.out", (1,)))
    assert first.share == pytest.approx(written / whole, rel=1e-5)
    assert first.values[-1] == pytest.approx(
        trace.value(f"{FFN}.active", (1, first.index)), rel=1e-5
    )


def test_no_unlisted_neuron_writes_more_than_a_listed_one():
    trace = tiny_trace()
    listed = strongest_neurons(trace, FFN, 0)
    shares = [neuron.share for neuron in listed]
    assert shares == sorted(shares, reverse=True)
    lengths = np.linalg.norm(trace.part(f"{FFN}.W_2"), axis=1)
    written = np.abs(trace.part(f"{FFN}.active", (0,))) * lengths
    least = written[listed[-1].index]
    assert len(listed) == N_LISTED
    assert (written > least * (1 + 1e-6)).sum() < N_LISTED


def test_tokens_are_ordered_by_the_neurons_activation():
    trace = tiny_trace("the cat sat on the mat")
    view = hidden_view(trace, f"{FFN}.active", 0, 7)
    active = trace.part(f"{FFN}.active", (None, 7))
    assert sorted(view.tokens) == list(range(trace.n))
    assert (np.diff(active[list(view.tokens)]) <= 0).all()


def test_behind_a_gate_tokens_are_ordered_by_size():
    trace = tiny_trace("the cat sat on the mat", gated=True)
    view = hidden_view(trace, f"{FFN}.active", 0, 7)
    sizes = np.abs(trace.part(f"{FFN}.active", (None, 7)))
    assert (np.diff(sizes[list(view.tokens)]) <= 0).all()


def test_the_note_counts_the_neurons_that_relu_cut_off():
    trace = tiny_trace(activation="relu")
    n_silent = int((trace.part(f"{FFN}.hidden", (1,)) <= 0).sum())
    note = hidden_view(trace, f"{FFN}.hidden", 1, 0).note
    assert note == f"{n_silent} of {trace.config.d_ff} neurons are exactly 0"


def test_before_and_after_the_bend_have_one_scale():
    trace = tiny_trace()
    before = hidden_view(trace, f"{FFN}.hidden", 0, 0).whole
    after = hidden_view(trace, f"{FFN}.active", 0, 0).whole
    assert before.scale == after.scale
    assert before.scale.limit == pytest.approx(
        max(abs(trace[f"{FFN}.hidden"]).max(), abs(trace[f"{FFN}.active"]).max())
    )


@pytest.mark.parametrize("bias", [True, False])
def test_effects_and_bias_add_up_to_the_chosen_number(bias):
    trace = tiny_trace(bias=bias)
    view = out_view(trace, f"{FFN}.out", 1, 3)
    active, weight, effects = view.columns
    total = effects.sum() + (trace.value(f"{FFN}.b_2", (3,)) if bias else 0)
    assert total == pytest.approx(trace.value(f"{FFN}.out", (1, 3)), abs=1e-5)
    assert active.tolist() == trace.part(f"{FFN}.active", (1,)).tolist()
    assert weight.tolist() == trace.part(f"{FFN}.W_2", (None, 3)).tolist()
    assert (np.diff(np.abs(effects[list(view.order)])) <= 0).all()
    assert ("bias" in view.note) == bias


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
@pytest.mark.parametrize("place", ["pre", "post"])
def test_a_norm_is_shown_beside_what_it_reads(norm, place):
    trace = tiny_trace(norm=norm, norm_place=place)
    view = norm_view(trace, f"{FFN}.norm", 0)
    source = "resid_mid" if place == "pre" else "resid_out"
    assert view.before.key == f"layers.1.{source}"
    assert view.after.key == f"{FFN}.norm"
    assert ("root mean square" in view.note_after) == (norm == "rms_norm")


def test_clicking_a_cell_addresses_the_number_it_shows():
    trace = tiny_trace()
    view = out_view(trace, f"{FFN}.out", 1, 3)
    for matrix in (view.active, view.weight, view.out):
        cell = matrix.cell(1, 2)
        assert trace.value(cell.key, cell.index) == matrix.values[1, 2]


@pytest.mark.parametrize("gated", [False, True])
def test_the_equation_holds_with_the_numbers_it_shows(gated):
    trace = tiny_trace(activation="silu", gated=gated)
    values = trace.part(f"{FFN}.hidden", (1,))
    neuron = int(values.argmin())
    equation = hidden_view(trace, f"{FFN}.active", 1, neuron).equation
    left, result = equation.replace("−", "-").split(" = ")
    argument, *factor = left.removeprefix("SiLU(").split(" × ")
    x = float(argument.rstrip(")"))
    expected = x / (1 + np.exp(-x))
    if factor:
        assert factor[0].startswith("(-")
        expected *= float(factor[0].strip("()"))
    assert float(result) == pytest.approx(expected, abs=0.02)
