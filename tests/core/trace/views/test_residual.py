"""The residual views: norms and cosines by numpy, sums by their own parts."""

from dataclasses import replace

import numpy as np
import pytest

from core.trace.views.residual import (
    addition_of,
    n_layers_of,
    norm_parts,
    station_keys,
    station_of,
    stream_norms,
    stream_scale,
)
from tests.helpers.bundles import TWO_SIDES, encoder_decoder_trace, tiny_trace

PARTS = ("attn.out", "ffn.out")


@pytest.mark.parametrize("place", ["pre", "post"])
def test_what_was_added_is_as_long_as_the_parts_output(place):
    trace = tiny_trace(norm_place=place)
    norms = stream_norms(trace)
    for station in range(4):
        out = trace[f"layers.{station // 2}.{PARTS[station % 2]}"]
        expected = np.linalg.norm(out, axis=1)
        np.testing.assert_allclose(norms.added[station], expected, rtol=1e-4)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_before_after_and_cosine_are_those_of_the_sum_itself(place):
    trace = tiny_trace(norm_place=place)
    norms = stream_norms(trace)
    for station in range(4):
        total = trace.step(station_keys(trace)[station])
        before, out = (trace[key] for key in total.inputs)
        after = trace[total.key]
        lengths = [np.linalg.norm(rows, axis=1) for rows in (before, out, after)]
        np.testing.assert_allclose(norms.before[station], lengths[0], rtol=1e-5)
        np.testing.assert_allclose(norms.after[station], lengths[2], rtol=1e-5)
        cosine = (before * out).sum(axis=1) / (lengths[0] * lengths[1])
        np.testing.assert_allclose(norms.cosine[station], cosine, atol=1e-4)


def test_without_a_norm_between_each_sum_is_what_the_next_part_joins():
    norms = stream_norms(tiny_trace())
    np.testing.assert_allclose(norms.after[:-1], norms.before[1:], rtol=1e-6)
    np.testing.assert_allclose(norms.carried[1:], norms.after, rtol=1e-6)


def test_with_the_norm_behind_the_sum_the_stream_that_goes_on_is_the_normed_one():
    trace = tiny_trace(norm_place="post")
    norms = stream_norms(trace)
    normed = np.linalg.norm(trace["layers.0.attn.norm"], axis=1)
    np.testing.assert_allclose(norms.carried[1], normed, rtol=1e-5)
    last = np.linalg.norm(trace["layers.1.ffn.norm"], axis=1)
    np.testing.assert_allclose(norms.last, last, rtol=1e-5)


def test_a_forward_pass_with_the_norm_in_front_has_kept_all_that_is_measured():
    trace = tiny_trace()
    assert all(trace.is_stored(key, (None, None)) for key, _ in norm_parts(trace))


@pytest.mark.parametrize(
    ("key", "station"),
    [("0.resid_in", None), ("0.resid_mid", 0), ("0.resid_out", 1), ("1.resid_in", 1)],
)
def test_a_step_lies_behind_the_station_that_made_it(key, station):
    trace = tiny_trace()
    assert station_of(trace, trace.step(f"layers.{key}")) == station


def test_an_addition_shows_both_parts_and_their_sum():
    trace = tiny_trace()
    shown = addition_of(trace, trace.step("layers.1.resid_mid"), 2, 0)
    stream, part, total = shown.rows.values
    np.testing.assert_allclose(stream + part, total, atol=1e-6)
    assert shown.rows.rows.labels == ("resid_in", "+ attn.out", "= resid_mid")
    # A number alone and one in its row may differ in the last bit.
    each = [trace.value(key, (2, 0)) for key in shown.keys]
    assert each == pytest.approx([stream[0], part[0], total[0]], abs=1e-6)


def test_the_first_stream_is_the_sum_of_token_and_position():
    trace = tiny_trace()
    shown = addition_of(trace, trace.step("layers.0.resid_in"), 0, 0)
    assert shown.keys == ("embed.token", "embed.position", "embed.sum")


def test_a_stream_that_nothing_was_added_to_stands_alone():
    trace = tiny_trace(position="rotary")
    shown = addition_of(trace, trace.step("layers.0.resid_in"), 0, 0)
    assert shown.keys == ("embed.token",)
    assert shown.rows.rows.labels == ("embed.token",)


def test_a_layer_of_the_first_paper_begins_with_the_norm_of_a_sum():
    trace = tiny_trace(norm_place="post")
    shown = addition_of(trace, trace.step("layers.1.resid_in"), 0, 0)
    assert shown.rows.rows.labels == (
        "attn.norm", "+ ffn.out", "= resid_out", "→ ffn.norm",
    )  # fmt: skip
    entered = trace.part("layers.1.resid_in", (0,))
    np.testing.assert_allclose(shown.rows.values[-1], entered, atol=1e-6)


def test_a_negative_part_stands_in_brackets():
    trace = tiny_trace()
    column = trace.part("layers.1.attn.out", (0,))
    feature = int(column.argmin())
    note = addition_of(trace, trace.step("layers.1.resid_mid"), 0, feature).note
    assert "+ (−" in note
    assert " = " in note


# Two sides.


@pytest.mark.parametrize("kind", TWO_SIDES)
@pytest.mark.parametrize(
    ("side", "parts"),
    [("encoder", ("attn", "ffn")), ("decoder", ("attn", "cross", "ffn"))],
)
def test_each_part_of_a_side_adds_as_much_as_its_output_is_long(kind, side, parts):
    trace = encoder_decoder_trace(kind)
    norms = stream_norms(trace, side)
    assert n_layers_of(trace, side) == 2
    for station, key in enumerate(station_keys(trace, side)):
        layer, part = divmod(station, len(parts))
        out = trace[f"{side}.layers.{layer}.{parts[part]}.out"]
        expected = np.linalg.norm(out, axis=1)
        np.testing.assert_allclose(norms.added[station], expected, rtol=1e-3)
        assert station_of(trace, trace.step(key)) == station
    entering = trace.step(f"{side}.layers.1.resid_in")
    assert station_of(trace, entering) == len(parts) - 1
    last = trace.step(f"{side}.layers.1.resid_out").key
    last = last if trace.config.norm_place == "pre" else f"{side}.layers.1.ffn.norm"
    np.testing.assert_allclose(
        norms.last, np.linalg.norm(trace[last], axis=1), rtol=1e-5
    )


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_the_addition_of_cross_attention_is_of_the_target(kind):
    trace = encoder_decoder_trace(kind)
    step = trace.step("decoder.layers.1.resid_cross")
    shown = addition_of(trace, step, 2, 0)
    stream, part, total = shown.rows.values
    np.testing.assert_allclose(stream + part, total, atol=1e-5)
    assert shown.rows.rows.labels[1:] == ("+ cross.out", "= resid_cross")
    assert trace.label(2) in shown.rows.columns.name


# Nothing is added.


def test_what_takes_the_place_of_the_stream_stands_under_what_was_there():
    trace = tiny_trace(residual=False)
    shown = addition_of(trace, trace.step("layers.1.resid_mid"), 2, 0)
    assert shown.keys == ("layers.1.resid_in", "layers.1.resid_mid")
    assert shown.rows.rows.labels == ("resid_in", "→ resid_mid")
    np.testing.assert_array_equal(shown.rows.values[1], trace["layers.1.attn.out"][2])
    norms = stream_norms(trace)
    assert not norms.added.any()
    np.testing.assert_allclose(norms.after[:-1], norms.before[1:], rtol=1e-6)


def test_where_no_token_stands_out_the_scale_reaches_the_largest_length():
    norms = stream_norms(tiny_trace())
    scale = stream_scale(norms)
    assert scale.cut == ()
    assert scale.limit == max(float(norms.carried.max()), float(norms.added.max()))


def test_a_token_far_longer_than_the_others_is_cut_where_these_end():
    norms = stream_norms(tiny_trace())
    longer = np.ones(norms.last.shape)
    longer[0] = 500
    far = replace(
        norms,
        before=norms.before * longer,
        added=norms.added * longer,
        last=norms.last * longer,
    )
    scale = stream_scale(far)
    assert scale.cut == (0,)
    others = max(float(far.carried[:, 1:].max()), float(far.added[:, 1:].max()))
    assert scale.limit == others


def test_lengths_that_are_no_numbers_do_not_decide_the_scale():
    norms = stream_norms(tiny_trace())
    broken = np.ones(norms.last.shape)
    broken[-1] = np.nan
    scale = stream_scale(replace(norms, added=norms.added * broken))
    assert np.isfinite(scale.limit)
    assert scale.limit > 0
