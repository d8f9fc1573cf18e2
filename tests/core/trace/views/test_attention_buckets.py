"""Which distances share a shift, by hand for 8 buckets and distances up to 12."""

import numpy as np
import pytest

from core.trace.viewing import PLAIN
from core.trace.views.attention_buckets import buckets_of
from core.trace.views.attention_map import map_view
from tests.helpers.bundles import encoder_decoder_trace

ENCODER, DECODER = "encoder.layers.1.attn.bias", "decoder.layers.0.attn.bias"
LONG = "a dog ran to the cat"


@pytest.fixture
def trace():
    return encoder_decoder_trace("T5", target=LONG)


@pytest.mark.parametrize(
    ("query", "key", "words"),
    [
        (6, 6, "bucket 1 of 8: the query itself"),
        (6, 5, "bucket 2 of 8: 1 token before the query"),
        # log(4 / 2) / log(12 / 2) x 2 = 0.77, log(5 / 2) / log(12 / 2) x 2 = 1.02
        (6, 4, "bucket 3 of 8: 2 to 4 tokens before the query"),
        (6, 2, "bucket 3 of 8: 2 to 4 tokens before the query"),
        (6, 1, "bucket 4 of 8: 5 or more tokens before the query"),
        (6, 7, "bucket 6 of 8: 1 token behind the query"),
        (0, 4, "bucket 7 of 8: 2 to 4 tokens behind the query"),
        (0, 5, "bucket 8 of 8: 5 or more tokens behind the query"),
    ],
)
def test_an_encoder_tells_both_ways_apart(trace, query, key, words):
    assert buckets_of(trace, ENCODER).words(query, key) == words


@pytest.mark.parametrize(
    ("query", "key", "words"),
    [
        (5, 5, "bucket 1 of 8: the query itself, or any token behind it"),
        (5, 7, "bucket 1 of 8: the query itself, or any token behind it"),
        (5, 2, "bucket 4 of 8: 3 tokens before the query"),
        # 4 + log(5 / 4) / log(12 / 4) x 4 = 4.8, and 4 + log(6 / 4) ... = 5.5
        (5, 1, "bucket 5 of 8: 4 to 5 tokens before the query"),
        (6, 0, "bucket 6 of 8: 6 tokens before the query"),
    ],
)
def test_a_decoder_looks_back_alone(trace, query, key, words):
    assert buckets_of(trace, DECODER).words(query, key) == words


@pytest.mark.parametrize("key", [ENCODER, DECODER])
def test_pairs_of_one_bucket_have_one_shift_in_each_head(trace, key):
    buckets, shifts = buckets_of(trace, key), trace[key]
    table = trace.part(trace.step(key).inputs[2])
    np.testing.assert_array_equal(shifts, table[buckets.of_pairs].transpose(2, 0, 1))


def test_the_map_of_shifts_tells_the_bucket_of_a_cell(trace):
    view = map_view(trace, ENCODER, 1, PLAIN)
    tip = view.tip(6, 5)
    assert "shift = " in tip
    assert tip.endswith("bucket 2 of 8: 1 token before the query")
    assert view.status(6, 5).endswith(" · bucket 2 of 8: 1 token before the query")
    assert "a learned number for each distance" in view.note
    assert "all beyond 12 the last" in view.buckets.about
