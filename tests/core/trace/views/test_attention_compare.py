from dataclasses import replace

import numpy as np
import pytest

from core.trace.viewing import PLAIN
from core.trace.views.attention_compare import compare_view, other_head, with_sign
from tests.helpers.bundles import tiny_trace

ONE, OTHER = "the cat sat", "the dog and the cat sat"


def pattern(trace, layer, head):
    allowed = trace.part("mask")
    return np.where(allowed, trace[f"layers.{layer}.attn.pattern"][head], np.nan)


def test_two_heads_of_a_sentence_are_subtracted_cell_by_cell():
    trace = tiny_trace(ONE)
    view = compare_view((trace, (0, 1)), (trace, (1, 0)), "pattern", PLAIN)
    expected = pattern(trace, 0, 1) - pattern(trace, 1, 0)
    np.testing.assert_array_equal(view.difference.values, expected)
    assert view.note == ""


def test_sentences_of_unequal_length_are_aligned_by_their_tokens():
    one, other = tiny_trace(ONE), tiny_trace(OTHER)
    view = compare_view((one, (1, 1)), (other, (1, 1)), "pattern", PLAIN)
    labels = [[p.label for p in trace.encoding.pieces] for trace in (one, other)]
    assert all(labels[0][r] == labels[1][s] for r, s in view.rows)
    row, column = len(view.rows) - 1, 0
    (r, s), (c, d) = view.rows[row], view.columns[column]
    expected = pattern(one, 1, 1)[r, c] - pattern(other, 1, 1)[s, d]
    assert view.difference.values[row, column] == pytest.approx(expected, abs=1e-7)
    assert f"the sentences have {one.n} and {other.n}" in view.note


def test_the_largest_differences_come_first_and_are_true():
    trace = tiny_trace(ONE)
    view = compare_view((trace, (0, 0)), (trace, (0, 1)), "pattern", PLAIN)
    sizes = [abs(gap.one - gap.other) for gap in view.largest]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == pytest.approx(np.nanmax(np.abs(view.difference.values)))
    gap = view.largest[0]
    tip = view.tip(gap.row, gap.column)
    assert f"query {gap.query} → key {gap.key}" in tip


def test_a_head_compared_with_itself_has_no_difference():
    trace = tiny_trace(ONE)
    view = compare_view((trace, (0, 0)), (trace, (0, 0)), "pattern", PLAIN)
    assert view.largest == ()
    assert np.nanmax(np.abs(view.difference.values)) == 0


def test_sentences_that_share_no_token_have_an_empty_difference():
    one, other = tiny_trace("a"), tiny_trace("the")
    view = compare_view((one, (0, 0)), (other, (0, 0)), "pattern", PLAIN)
    assert view.difference.values.size == 0
    assert view.largest == ()


def test_words_are_compared_as_words():
    viewing = replace(PLAIN, whole_words=True)
    one, other = tiny_trace("saw mat"), tiny_trace("a saw mat")
    view = compare_view((one, (0, 0)), (other, (0, 0)), "pattern", viewing)
    assert view.difference.rows.labels[-1] == "·mat"


def test_the_other_head_is_the_next_of_the_layer_or_the_same_elsewhere():
    assert other_head(PLAIN, (1, 3), 4, is_two=False) == (1, 0)
    assert other_head(PLAIN, (1, 3), 4, is_two=True) == (1, 3)
    chosen = replace(PLAIN, other=(0, 2))
    assert other_head(chosen, (1, 3), 4, is_two=True) == (0, 2)


@pytest.mark.parametrize(
    ("x", "text"), [(0.19, "+0.19"), (-0.19, "−0.19"), (0, "0.00")]
)
def test_a_difference_wears_its_sign(x, text):
    assert with_sign(x) == text
