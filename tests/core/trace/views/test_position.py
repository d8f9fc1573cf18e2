"""What the position panel shows: a sum that holds, waves by the paper's formula."""

from math import cos, pi, sin

import numpy as np
import pytest

from core.config import ModelConfig
from core.trace.selection import Selection
from core.trace.views.position import (
    POSITION,
    SUM,
    chosen_feature,
    other_features,
    position_of,
    shown_positions,
    similarity,
    sum_maps,
    sum_place,
    sum_values,
    token_at,
    wavelength,
    waves,
)
from tests.helpers.bundles import encoder_decoder_trace, tiny_trace

AT_SUM = Selection(step=SUM, query=1, feature=3)
SCALED = {"scale_embeddings": True}


@pytest.mark.parametrize("fields", [{}, SCALED, {"position": "learned"}])
def test_the_third_map_is_the_first_plus_the_second(fields):
    token, position, total = sum_maps(tiny_trace(**fields))
    np.testing.assert_allclose(token.values + position.values, total.values, atol=1e-6)
    assert token.key == ("embed.scaled" if fields == SCALED else "embed.token")
    assert (position.key, total.key) == (POSITION, SUM)


def test_the_three_maps_share_one_range_of_colours():
    parts = sum_maps(tiny_trace())
    limits = {part.scale.limit for part in parts}
    assert limits == {max(float(np.abs(part.values).max()) for part in parts)}


def test_the_written_numbers_add_up_at_the_chosen_place():
    assert sum_place(tiny_trace(), AT_SUM) == (1, 3)
    numbers = sum_values(tiny_trace(), AT_SUM)
    first, second, third = (float(text.replace("−", "-")) for text in numbers)
    assert third == pytest.approx(tiny_trace().value(SUM, (1, 3)), abs=1e-3)
    assert first + second == pytest.approx(third, abs=2e-3)


def test_a_feature_beyond_the_width_is_the_last_one():
    assert chosen_feature(tiny_trace().config, Selection(feature=99)) == 7


def test_a_position_is_like_itself_and_alike_both_ways():
    values = similarity(tiny_trace()).values
    np.testing.assert_allclose(np.diag(values), 1, atol=1e-6)
    np.testing.assert_allclose(values, values.T, atol=1e-6)


def test_sinusoidal_positions_at_one_distance_are_equally_alike():
    values = similarity(tiny_trace("the cat sat on the mat")).values
    for distance in range(1, len(values)):
        diagonal = np.diag(values, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-5)


def test_the_chosen_pair_is_a_sine_and_a_cosine_of_one_wavelength():
    shown = waves(tiny_trace(), AT_SUM)
    even, odd = shown.curves[:2]
    assert (even.name, odd.name) == ("3 sin", "4 cos")
    turn = 10000 ** (2 / 8)
    for x, a, b in list(zip(shown.x, even.y, odd.y, strict=True))[::37]:
        assert a == pytest.approx(sin(x / turn), abs=1e-5)
        assert b == pytest.approx(cos(x / turn), abs=1e-5)
    assert wavelength(3, ModelConfig(d_model=8)) == pytest.approx(2 * pi * 10)
    short = ModelConfig(d_model=8, sinusoid_base=16.0)
    assert wavelength(3, short) == pytest.approx(2 * pi * 2)
    assert "10000^(2/8) = 62.8 positions" in shown.note


@pytest.mark.parametrize("position", ["sinusoidal", "learned"])
def test_the_dots_are_the_models_own_numbers(position):
    trace = tiny_trace(position=position)
    shown = waves(trace, AT_SUM)
    chosen = [curve for curve in shown.curves if curve.is_chosen]
    assert shown.x[list(shown.dots)].tolist() == [0, 1, 2]
    features = (2, 3) if position == "sinusoidal" else (3,)
    for curve, feature in zip(chosen, features, strict=True):
        dots = curve.y[list(shown.dots)]
        np.testing.assert_allclose(dots, trace[POSITION][:, feature], atol=1e-6)


def test_a_long_sentence_shows_the_positions_around_the_chosen_one():
    trace = tiny_trace("a dog ran to the cat and sat " * 12, n_ctx=256)
    assert trace.n > 100
    shown = shown_positions(trace.config, 70, 40, trace.n)
    assert (shown.start, shown.stop) == (50, 90)
    assert shown_positions(trace.config, 0, 40, trace.n) == range(40)
    assert shown_positions(trace.config, trace.n - 1, 40, trace.n).stop == trace.n
    assert 70 in waves(trace, Selection(step=SUM, query=70)).x


def test_a_short_sentence_shows_positions_beyond_its_end_but_not_the_models():
    assert shown_positions(ModelConfig(n_ctx=32), 0, 4, 3) == range(32)
    assert shown_positions(ModelConfig(n_ctx=16), 0, 4, 3) == range(16)


def test_other_features_lie_inside_and_are_none_of_the_chosen_pair():
    for d_model in (2, 8, 192):
        for chosen in range(0, d_model, 2):
            others = other_features(chosen, d_model)
            assert all(0 <= at < d_model for at in others)
            assert not {chosen, chosen + 1} & set(others)


# Two sides.


@pytest.mark.parametrize("kind", ["2017", "Marian", "BART"])
@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_each_side_adds_its_own_positions_to_its_own_tokens(kind, side):
    trace = encoder_decoder_trace(kind)
    token, position, total = sum_maps(trace, side)
    np.testing.assert_allclose(token.values + position.values, total.values, atol=1e-6)
    assert {part.key.partition(".")[0] for part in (token, position, total)} == {side}
    assert len(token.rows.labels) == trace.tokens(side).n
    assert similarity(trace, side).values.shape == (trace.tokens(side).n,) * 2
    at = Selection(step=f"{side}.{SUM}", query=1, feature=3)
    numbers = [float(text.replace("−", "-")) for text in sum_values(trace, at)]
    assert numbers[0] + numbers[1] == pytest.approx(numbers[2], abs=2e-3)
    if kind == "BART":
        assert position.rows.labels[0] == "2"


@pytest.mark.parametrize("kind", ["2017", "Marian", "BART"])
@pytest.mark.parametrize("feature", range(8))
def test_the_curve_of_a_feature_goes_through_the_models_own_numbers(kind, feature):
    trace = encoder_decoder_trace(kind)
    at = Selection(step="encoder.embed.sum", query=2, feature=feature)
    shown = waves(trace, at)
    chosen = [curve for curve in shown.curves if curve.is_chosen]
    name = str(feature + 1)
    curve = next(c for c in chosen if name in c.name.split())
    rows = trace[f"encoder.{POSITION}"][:, feature]
    np.testing.assert_allclose(curve.y[list(shown.dots)], rows, atol=1e-5)
    if kind == "Marian":
        partner = feature + 4 if feature < 4 else feature - 4
        assert {curve.name.split()[0] for curve in chosen} == {
            name,
            str(partner + 1),
        }


@pytest.mark.parametrize("kind", ["2017", "BART"])
@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_token_stands_where_its_dot_is_and_a_click_there_finds_it(kind, side):
    trace = encoder_decoder_trace(kind)
    for query in range(trace.tokens(side).n):
        at = Selection(step=f"{side}.embed.position", query=query)
        shown, position = waves(trace, at), position_of(trace, at)
        assert position in shown.x[list(shown.dots)]
        assert position == query + trace.config.position_offset
        assert token_at(trace, at, position) == query
    assert token_at(trace, at, 999.0) == trace.tokens(side).n - 1
