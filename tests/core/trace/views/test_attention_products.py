"""Products, weighted sums, rotations and norms are shown with what truly makes them."""

import math

import numpy as np
import pytest

from core.trace.views.attention_heads import heads_view
from core.trace.views.attention_mix import concat_view, mix_view, stretches
from core.trace.views.attention_norm import norm_view
from core.trace.views.attention_products import output_view, projection_view
from core.trace.views.attention_rotation import rotation_view
from tests.helpers.bundles import tiny_trace

ATTN = "layers.1.attn"
GROUPED = {"n_heads": 4, "n_kv_heads": 2, "position": "rotary", "bias": False}


@pytest.fixture
def trace():
    return tiny_trace("the cat sat on the mat")


@pytest.fixture
def grouped():
    return tiny_trace("the cat sat on the mat", **GROUPED)


@pytest.mark.parametrize("letter", ["q", "k", "v"])
@pytest.mark.parametrize("head", [0, 1])
def test_a_projection_is_its_left_times_its_right_plus_bias(trace, letter, head):
    view = projection_view(trace, f"{ATTN}.{letter}", head)
    product = view.left.values @ view.right.values + view.biases
    np.testing.assert_allclose(product, view.result.values, atol=1e-5)
    np.testing.assert_array_equal(view.result.values, trace[f"{ATTN}.{letter}"][head])


def test_without_a_bias_none_is_named(grouped):
    view = projection_view(grouped, f"{ATTN}.q", 3)
    assert view.sentence == "Q = X̂ W_Q"
    product = view.left.values @ view.right.values
    np.testing.assert_allclose(product, view.result.values, atol=1e-5)


@pytest.mark.parametrize(("head", "key_head"), [(0, 0), (1, 0), (2, 1), (3, 1)])
def test_query_heads_that_share_a_key_head_are_told(grouped, head, key_head):
    view = projection_view(grouped, f"{ATTN}.k", head)
    np.testing.assert_array_equal(view.result.values, grouped[f"{ATTN}.k"][key_head])
    first = 2 * key_head + 1
    assert view.note == f"Query heads {first}, {first + 1} use key head {key_head + 1}."


def test_the_output_projection_multiplies_the_joined_heads(trace):
    view = output_view(trace, f"{ATTN}.out")
    product = view.left.values @ view.right.values + view.biases
    np.testing.assert_allclose(product, view.result.values, atol=1e-5)
    np.testing.assert_array_equal(view.left.values, trace[f"{ATTN}.concat"])


def test_rows_of_keys_and_values_wear_the_colour_of_keys(trace):
    roles = [projection_view(trace, f"{ATTN}.{x}", 0).left.rows.role for x in "qkv"]
    assert roles == ["query", "key", "key"]


def test_the_meeting_says_bias_and_number(trace):
    view = projection_view(trace, f"{ATTN}.q", 1)
    words = view.meeting(2, 3)
    assert words.startswith(f"{trace.encoding.pieces[2].label} × column 4 + bias ")
    assert float(words.rpartition("=\u00a0")[2].replace("−", "-")) == pytest.approx(
        trace.value(f"{ATTN}.q", (1, 2, 3)), rel=1e-3
    )


@pytest.mark.parametrize("query", [0, 3])
def test_the_weighted_rows_add_up_to_the_recorded_output(trace, query):
    view = mix_view(trace, f"{ATTN}.heads", 1, query)
    np.testing.assert_allclose(np.nansum(view.weighted, axis=0), view.mixed, atol=1e-6)
    np.testing.assert_array_equal(view.mixed, trace[f"{ATTN}.heads"][1, query])
    assert np.nansum(view.shares) == pytest.approx(1.0, abs=1e-6)


def test_tokens_that_come_later_take_no_part_in_the_sum(trace):
    view = mix_view(trace, f"{ATTN}.heads", 0, 2)
    assert np.isnan(view.shares[3:]).all()
    assert np.isnan(view.values[3:]).all()
    assert np.isfinite(view.weighted[:3]).all()
    assert "masked" in view.tip("rows", 3, 0)


def test_values_of_a_grouped_head_come_from_its_key_head(grouped):
    view = mix_view(grouped, f"{ATTN}.heads", 3, grouped.n - 1)
    np.testing.assert_array_equal(view.values, grouped[f"{ATTN}.v"][1])


def test_the_heads_lie_side_by_side_in_their_stretches(trace):
    joined = concat_view(trace, f"{ATTN}.concat").values
    for head, stretch in enumerate(stretches(trace)):
        columns = joined[:, stretch.start : stretch.stop]
        np.testing.assert_array_equal(columns, trace[f"{ATTN}.heads"][head])


def test_a_map_of_key_heads_stands_for_its_query_heads(grouped):
    view = heads_view(grouped, f"{ATTN}.k")
    assert [view.place_of(head) for head in range(4)] == [0, 0, 1, 1]
    assert [view.query_head(place) for place in range(2)] == [0, 2]
    assert view.captions == ("1 · of heads 1–2", "2 · of heads 3–4")


def test_turning_keeps_the_length_and_adds_the_angle(grouped):
    view = rotation_view(grouped, f"{ATTN}.q_rotated", 2)
    turn = view.turn(3, 0)
    assert turn.angle == 3.0  # the first pair turns by one radian a position
    assert math.hypot(*turn.after) == pytest.approx(math.hypot(*turn.before), rel=1e-5)
    before, after = (math.atan2(y, x) for x, y in (turn.before, turn.after))
    assert math.remainder(after - before - turn.angle, 2 * math.pi) == pytest.approx(
        0, abs=1e-4
    )


def test_a_feature_is_turned_with_the_one_half_a_head_away(grouped):
    view = rotation_view(grouped, f"{ATTN}.k_rotated", 0)
    assert view.pair_of(0) == view.pair_of(1) == (0, 1)
    assert view.note == "Query heads 1, 2 use key head 1."


def test_a_layer_norm_shows_mean_and_deviation_of_the_rows(trace):
    view = norm_view(trace, f"{ATTN}.norm", 0)
    stream = trace["layers.1.resid_in"]
    assert view.measures == ("mean", "deviation")
    np.testing.assert_allclose(view.measured[0][0], stream.mean(axis=1), atol=1e-6)
    np.testing.assert_allclose(view.measured[0][1], stream.std(axis=1), rtol=1e-5)
    assert [sign for sign, _ in view.learned] == ["γ", "β"]


def test_an_rms_norm_shows_the_root_mean_square():
    view = norm_view(tiny_trace(norm="rms_norm"), f"{ATTN}.norm", 0)
    assert view.measures == ("root mean square",)
    expected = np.sqrt((view.before.values**2).mean(axis=1))
    np.testing.assert_allclose(view.measured[0][0], expected, rtol=1e-5)
    assert "γ = " in view.tip(view.before, 0, 0)


def test_after_the_sum_a_post_norm_shows_the_sum():
    trace = tiny_trace(norm_place="post")
    view = norm_view(trace, f"{ATTN}.norm", 0)
    np.testing.assert_array_equal(view.before.values, trace["layers.1.resid_mid"])


@pytest.mark.parametrize("letter", ["q", "k"])
def test_a_heads_rows_are_normed_by_themselves(letter):
    trace = tiny_trace(n_heads=4, n_kv_heads=2, norm_qk=True, d_head=6)
    view = norm_view(trace, f"{ATTN}.{letter}_normed", 3)
    place = 3 if letter == "q" else 1
    np.testing.assert_array_equal(view.before.values, trace[f"{ATTN}.{letter}"][place])
    (_, gain) = view.learned[0]
    root = view.measured[0][0][:, None]
    found = view.before.values / root * gain
    np.testing.assert_allclose(view.after.values, found, rtol=1e-4)
    assert view.name == (
        "Q of head 4" if place == 3 else "K of head 4, from key head 2"
    )


def test_heads_that_are_wider_together_than_the_stream_come_back_to_it():
    trace = tiny_trace(d_head=6, n_heads=4)
    view = output_view(trace, f"{ATTN}.out")
    assert view.left.values.shape[1] == view.right.values.shape[0] == 24
    assert view.right.values.shape[1] == view.result.values.shape[1] == 8
    np.testing.assert_allclose(
        view.left.values @ view.right.values + view.biases,
        view.result.values,
        rtol=1e-4,
        atol=1e-5,
    )
