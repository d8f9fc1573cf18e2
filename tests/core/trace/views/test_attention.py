"""The attention panel shows the trace's own numbers, scaled and named alike."""

import numpy as np
import pytest

from core.trace.views.attention import (
    STAGES,
    Habit,
    habits_of,
    squares_parts,
    squares_view,
)
from tests.helpers.bundles import tiny_trace

ATTN = "layers.1.attn"
SENTENCE = "the cat sat on the mat"


@pytest.fixture
def trace():
    return tiny_trace(SENTENCE)


def view_of(trace, stage):
    return squares_view(trace, f"{ATTN}.{stage}")


@pytest.mark.parametrize("stage", STAGES)
def test_every_cell_that_may_be_looked_at_is_the_recorded_number(trace, stage):
    allowed = np.broadcast_to(trace.part("mask"), trace[f"{ATTN}.{stage}"].shape)
    shown = view_of(trace, stage).stack[allowed]
    np.testing.assert_array_equal(shown, trace[f"{ATTN}.{stage}"][allowed])


@pytest.mark.parametrize("stage", ["masked", "pattern"])
def test_what_is_masked_has_no_value(trace, stage):
    empty = np.isnan(view_of(trace, stage).stack)
    np.testing.assert_array_equal(empty[0], ~trace.part("mask"))


@pytest.mark.parametrize("stage", ["scores", "scaled"])
def test_before_the_mask_every_cell_has_a_value(trace, stage):
    assert np.isfinite(view_of(trace, stage).stack).all()


def test_shares_run_from_zero_to_one_whatever_they_are(trace):
    scale = view_of(trace, "pattern").scale
    assert (scale.kind, scale.limit) == ("share", 1.0)


def test_scores_and_scaled_scores_look_the_same_and_the_mask_changes_no_colour(trace):
    scores, scaled = view_of(trace, "scores"), view_of(trace, "scaled")
    assert scores.scale.limit == pytest.approx(np.abs(trace[f"{ATTN}.scores"]).max())
    root = trace.config.d_head**0.5
    assert scaled.scale.limit == pytest.approx(scores.scale.limit / root, rel=1e-6)
    assert view_of(trace, "masked").scale == scaled.scale


@pytest.mark.parametrize("stage", STAGES)
def test_it_declares_what_it_asks_for(trace, stage):
    declared = {address for address, _ in squares_parts(f"{ATTN}.{stage}")}
    expected = {f"{ATTN}.{stage}"} | (
        {f"{ATTN}.scaled"} if stage == "masked" else set()
    )
    assert declared == expected


def test_words_name_layer_head_both_tokens_and_the_value(trace):
    view = view_of(trace, "pattern")
    query, key = (trace.encoding.pieces[place].label for place in (2, 0))
    value = trace[f"{ATTN}.pattern"][1, 2, 0]
    status = view.status(1, 2, 0)
    start = f"layer 2 · head 2 · query {query} (3) → key {key} (1): share = "
    assert status.startswith(start)
    assert float(status.removeprefix(start)) == pytest.approx(float(value), rel=0.01)


def test_masked_cells_say_so(trace):
    assert "masked" in view_of(trace, "masked").value(0, 0, 1)
    assert view_of(trace, "pattern").value(0, 0, 1).startswith("share = 0,")


def test_a_cell_is_found_at_its_head_row_and_column(trace):
    cell = view_of(trace, "scores").matrix(1).cell(3, 2)
    assert (cell.key, cell.index) == (f"{ATTN}.scores", (1, 3, 2))


def test_a_row_in_every_head_is_that_row(trace):
    row = view_of(trace, "pattern").row(3)
    np.testing.assert_array_equal(row.values[:, :4], trace[f"{ATTN}.pattern"][:, 3, :4])
    assert row.rows.labels == ("1", "2")


def shifted(n, offset):
    """A pattern that looks `offset` places back; the first row at itself."""
    pattern = np.eye(n, k=-offset, dtype=np.float32)
    pattern[:offset, 0] = 1
    return pattern


def test_heads_are_named_by_what_they_do():
    first = np.zeros((5, 5), np.float32)
    first[:, 0] = 1
    spread = np.tril(np.ones((5, 5), np.float32)) / np.arange(1, 6)[:, None]
    stack = np.stack([shifted(5, 1), np.eye(5, dtype=np.float32), first, spread])
    names = [habit and habit.name for habit in habits_of(stack)]
    assert names == ["previous token", "same token", "first token", None]


def test_a_habit_is_the_mean_share_of_all_rows_but_the_first():
    pattern = np.array([[1, 0, 0], [0.9, 0.1, 0], [0.1, 0.7, 0.2]], np.float32)
    assert habits_of(pattern[None])[0] == Habit("previous token", pytest.approx(0.8))


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_tokens_show_no_habit(n):
    assert habits_of(np.tril(np.ones((3, n, n), np.float32))) == (None,) * 3


def test_captions_count_from_one_and_carry_the_habit(trace):
    view = view_of(trace, "scores")
    assert view.captions == ("1", "2")
    assert Habit("previous token", 0.812).text == "previous token .81"
    assert Habit("same token", 1.0).text == "same token 1.00"


def test_one_token_gives_one_cell():
    trace = tiny_trace("t")
    view = view_of(trace, "pattern")
    np.testing.assert_array_equal(view.stack, np.ones((2, trace.n, trace.n)))
