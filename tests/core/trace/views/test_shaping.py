from dataclasses import replace

import numpy as np
import pytest

from core.pipeline import trace_encoding
from core.trace.viewing import PLAIN
from core.trace.views.shaping import of_the_rest, shaped, shaping_of
from tests.helpers.bundles import tiny_bundle, tiny_trace

JOINED = replace(PLAIN, whole_words=True)
NO_SINK = replace(PLAIN, sink="left out")
HIDDEN = replace(PLAIN, hides_specials=True)
TEXT = "saw mat, dog"


@pytest.fixture(scope="module")
def trace():
    """Words of one and of several tokens, and no special one."""
    return tiny_trace(TEXT)


def pattern_of(trace):
    mask = np.tri(trace.n, dtype=bool)
    return np.where(mask, trace["layers.0.attn.pattern"], np.float32(np.nan))


def with_special():
    bundle = tiny_bundle()
    encoding = bundle.tokenizer.encode("<|endoftext|>the cat", specials=True)
    return trace_encoding(bundle, encoding)


def test_as_recorded_a_map_is_the_array_itself(trace):
    values = trace["layers.0.attn.pattern"]
    shaping = shaping_of(trace, PLAIN)
    assert shaped(values, shaping) is values
    assert shaping.notes == ()
    assert shaping.rows.labels == tuple(p.label for p in trace.encoding.pieces)


def test_words_sum_their_keys_and_average_their_queries(trace):
    shaping = shaping_of(trace, JOINED)
    assert "".join(shaping.rows.labels) == TEXT.replace(" ", "·")
    assert len(shaping.rows.labels) < trace.n
    values = trace["layers.0.attn.pattern"]
    expected = np.array(
        [
            [
                [
                    head[np.ix_(queries, keys)].sum() / len(queries)
                    for keys in shaping.column_tokens
                ]
                for queries in shaping.row_tokens
            ]
            for head in values
        ]
    )
    found = shaped(pattern_of(trace), shaping)
    np.testing.assert_allclose(np.nan_to_num(found), expected, atol=1e-7)
    np.testing.assert_allclose(np.nansum(found, axis=-1), 1, atol=1e-6)


def test_words_of_which_no_token_may_be_seen_have_no_value(trace):
    found = shaped(pattern_of(trace), shaping_of(trace, JOINED))
    n = found.shape[-1]
    assert np.isnan(found[:, ~np.tri(n, dtype=bool)]).all()
    assert not np.isnan(found[:, np.tri(n, dtype=bool)]).any()


def test_scores_of_words_are_the_mean_of_those_there_are(trace):
    shaping = shaping_of(trace, JOINED, "scores")
    values = np.where(
        np.tri(trace.n, dtype=bool), trace["layers.0.attn.scores"], np.nan
    )
    found = shaped(values, shaping)
    last, first = shaping.row_tokens[-1], shaping.column_tokens[0]
    expected = values[1][np.ix_(last, first)].mean()
    assert found[1, -1, 0] == pytest.approx(expected, abs=1e-6)
    assert "mean" in shaping.notes[0]


def test_without_the_sink_the_shares_of_the_rest_sum_to_one(trace):
    shaping = shaping_of(trace, NO_SINK)
    found = shaped(pattern_of(trace), shaping)
    assert shaping.columns.labels == shaping.rows.labels[1:]
    assert np.isnan(found[:, 0]).all()  # it could only look at itself
    np.testing.assert_allclose(np.nansum(found[:, 1:], axis=-1), 1, atol=1e-6)
    share = trace["layers.0.attn.pattern"][1, 3]
    assert found[1, 3, 1] == pytest.approx(share[2] / (1 - share[0]), abs=1e-6)


def test_what_the_first_token_took_whole_leaves_nothing():
    rest = of_the_rest(np.array([[1, 0], [0.5, 0.5]], np.float32))
    np.testing.assert_array_equal(rest, [[np.nan, np.nan], [np.nan, 1]])


def test_a_word_without_the_sink_is_averaged_over_queries_that_have_a_value(trace):
    shaping = shaping_of(trace, replace(JOINED, sink="left out"))
    found = shaped(pattern_of(trace), shaping)
    sums = np.nansum(found, axis=-1)
    assert len(shaping.row_tokens[0]) > 1
    np.testing.assert_allclose(sums, 1, atol=1e-6)


def test_hidden_specials_leave_every_other_share_as_it_is():
    trace = with_special()
    shaping = shaping_of(trace, HIDDEN)
    found = shaped(pattern_of(trace), shaping)
    np.testing.assert_array_equal(found, pattern_of(trace)[:, 1:, 1:])
    assert "no longer sum to 1" in shaping.notes[0]
    assert shaping.row_of(0) is None
    assert shaping.row_of(1) == 0


def test_without_specials_there_is_nothing_to_say(trace):
    assert shaping_of(trace, HIDDEN).is_plain


def test_a_lone_token_cannot_be_left_out():
    assert shaping_of(tiny_trace("a"), NO_SINK).is_plain


def test_everything_hidden_leaves_an_empty_map():
    bundle = tiny_bundle()
    encoding = bundle.tokenizer.encode("<|endoftext|>", specials=True)
    trace = trace_encoding(bundle, encoding)
    shaping = shaping_of(trace, HIDDEN)
    assert shaped(trace["layers.0.attn.pattern"], shaping).shape == (2, 0, 0)


def test_maps_need_not_be_square(trace):
    shaping = shaping_of(trace, JOINED)
    few = replace(shaping, row_tokens=shaping.row_tokens[-1:])
    found = shaped(pattern_of(trace), few)
    assert found.shape == (2, 1, len(shaping.columns.labels))


def test_a_cell_of_words_stands_for_the_last_token_of_each(trace):
    shaping = shaping_of(trace, JOINED)
    query, key = shaping.tokens_at(len(shaping.row_tokens) - 1, 0)
    assert query == trace.n - 1
    assert shaping.row_of(query) == len(shaping.row_tokens) - 1
    assert shaping.column_of(key) == 0
