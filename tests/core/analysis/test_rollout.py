"""Attention rollout: two layers by hand, its laws, and what broken rows spoil."""

import math

import numpy as np
import pytest

from core.analysis import heads
from core.analysis.rollout import (
    JOININGS,
    across_once,
    joined,
    rolled,
    rollout,
    times,
    with_residual,
)
from core.errors import TraceError
from core.pipeline import run_trace
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    encoder_decoder_bundle,
    encoder_decoder_trace,
    tiny_trace,
)

SENTENCE = "the cat sat on the mat"


def maps(*layers):
    return list(rolled(np.array(layer, np.float32) for layer in layers))


def test_two_layers_by_hand():
    first = [[1, 0], [0.5, 0.5]]
    second = [[1, 0], [0.8, 0.2]]
    # Half the residual path: [[1, 0], [.25, .75]] and [[1, 0], [.4, .6]].
    one, two = maps(first, second)
    np.testing.assert_allclose(one, [[1, 0], [0.25, 0.75]], rtol=1e-6)
    np.testing.assert_allclose(two, [[1, 0], [0.4 + 0.6 * 0.25, 0.6 * 0.75]], rtol=1e-6)


def test_heads_are_joined_by_their_mean_or_their_largest():
    stack = np.array([[[1, 0], [0.9, 0.1]], [[1, 0], [0.3, 0.7]]], np.float32)
    np.testing.assert_allclose(joined([stack], "mean"), [[1, 0], [0.6, 0.4]], rtol=1e-6)
    largest = joined([stack[:1], stack[1:]], "largest")
    np.testing.assert_allclose(largest, [[1, 0], [0.9, 0.7]], rtol=1e-6)
    # (.9, .7 + 1) / 2.6: the rows of the largest have to be brought to one.
    np.testing.assert_allclose(
        with_residual(largest)[1], [0.9 / 2.6, 1.7 / 2.6], rtol=1e-6
    )


@pytest.mark.parametrize("joining", JOININGS)
@pytest.mark.parametrize("text", ["t", SENTENCE])
def test_rows_sum_to_one_and_nothing_comes_from_later_tokens(joining, text):
    trace = tiny_trace(text, n_layers=4)
    found = rollout(trace, joining)
    assert found.shape == (4, trace.n, trace.n)
    np.testing.assert_allclose(found.sum(axis=-1), 1, rtol=1e-5)
    assert (found[:, ~np.tri(trace.n, dtype=bool)] == 0).all()
    assert not found.flags.writeable


@pytest.mark.parametrize("joining", JOININGS)
def test_it_is_the_product_of_the_layers_joined_patterns(joining):
    trace = tiny_trace(SENTENCE, n_layers=3)
    expected = np.eye(trace.n)
    for layer, found in zip(trace.layers, rollout(trace, joining), strict=True):
        pattern = layer.attn.pattern.astype(np.float64)
        joint = pattern.mean(axis=0) if joining == "mean" else pattern.max(axis=0)
        step = 0.5 * joint + 0.5 * np.eye(trace.n)
        expected = step / step.sum(axis=1, keepdims=True) @ expected
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_heads_taken_one_by_one_give_the_same(monkeypatch):
    trace = tiny_trace(SENTENCE)
    whole = [rollout(trace, joining) for joining in JOININGS]
    monkeypatch.setattr(heads, "AT_ONCE", 1)
    np.testing.assert_allclose([rollout(trace, j) for j in JOININGS], whole, atol=1e-7)


def test_a_row_without_numbers_spoils_only_the_rows_that_use_it():
    broken = np.array([[1, 0, 0], [math.nan] * 3, [0.5, 0, 0.5]], np.float32)
    uses = np.array([[1, 0, 0], [0, 1, 0], [0.2, 0.3, 0.5]], np.float32)
    one, two = maps(broken, uses)
    assert np.isnan(one).any(axis=1).tolist() == [False, True, False]
    assert np.isnan(two).any(axis=1).tolist() == [False, True, True]
    np.testing.assert_array_equal(two[0], [1, 0, 0])


def test_a_pattern_that_is_not_square_is_refused_with_its_sizes():
    with pytest.raises(TraceError, match="2 queries for 5 keys"):
        maps(np.full((2, 5), 0.2))


def test_what_comes_across_by_hand():
    source = np.array([[0.5, 0.5], [0, 1]], np.float32)
    (memory,) = maps(source)
    np.testing.assert_allclose(memory, [[0.75, 0.25], [0, 1]], rtol=1e-6)
    across = np.array([[1, 0], [0.5, 0.5]], np.float32)
    nothing = np.zeros((2, 2), np.float32)
    first = across_once(across, memory, nothing)
    # Half of what is looked at: (1 x [.75, .25]) / 2, (.5 [.75, .25] + .5 [0, 1]) / 2.
    np.testing.assert_allclose(first, [[0.375, 0.125], [0.1875, 0.3125]], rtol=1e-6)
    own = with_residual(np.array([[1, 0], [0.5, 0.5]], np.float32))
    second = across_once(across, memory, times(own, first))
    kept = [0.25 * 0.375 + 0.75 * 0.1875, 0.25 * 0.125 + 0.75 * 0.3125]
    np.testing.assert_allclose(
        second[1], [(kept[0] + 0.375) / 2, (kept[1] + 0.625) / 2], rtol=1e-6
    )


@pytest.mark.parametrize("joining", JOININGS)
@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_each_side_is_rolled_out_by_itself(kind, joining):
    trace = encoder_decoder_trace()
    found = rollout(trace, joining, kind)
    layers = (f"{kind}.layers.{i}.attn.pattern" for i in range(2))
    expected = [*rolled(joined([trace[key]], joining) for key in layers)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(found.sum(axis=-1), 1, rtol=1e-5)


def test_each_layer_takes_half_of_what_is_left_from_the_source():
    trace = encoder_decoder_trace()
    found = rollout(trace, "mean", "cross")
    assert found.shape[1:] == (trace.n, trace.tokens("encoder").n)
    for layer, map_of_it in enumerate(found):
        np.testing.assert_allclose(
            map_of_it.sum(axis=1), 1 - 2.0 ** -(layer + 1), rtol=1e-6
        )


def test_without_a_residual_stream_the_patterns_alone_are_multiplied():
    trace = tiny_trace(SENTENCE, residual=False, norm="none", n_heads=1)
    one, two = (trace[f"layers.{i}.attn.pattern"][0] for i in range(2))
    found = rollout(trace)
    np.testing.assert_allclose(found[0], one, rtol=1e-6)
    np.testing.assert_allclose(found[1], two @ one, rtol=1e-5)


def test_nothing_comes_across_from_padding():
    bundle = encoder_decoder_bundle()
    ids = bundle.tokenizer.encode(SOURCE_TEXT).ids
    alone = run_trace(bundle, ids=ids, target=TARGET_TEXT)
    mask = [1] * len(ids) + [0, 0]
    padded = run_trace(
        bundle, ids=[*ids, 0, 0], target=TARGET_TEXT, attention_mask=mask
    )
    one, other = (rollout(each, "mean", "cross") for each in (alone, padded))
    np.testing.assert_allclose(other[..., :-2], one, atol=1e-6)
    assert not other[..., -2:].any()
