"""The attention map shows the trace's own numbers, in the shape that was asked for."""

from dataclasses import replace

import numpy as np
import pytest

from core.analysis.heads import HeadScores
from core.config import ModelConfig
from core.trace.viewing import PLAIN
from core.trace.views.attention_grid import grid_view, heads_of_layer
from core.trace.views.attention_map import (
    map_parts,
    map_view,
    row_in_heads,
)
from core.trace.views.overview import small_maps
from tests.helpers.bundles import tiny_trace
from tests.helpers.traces import traced_ids

ATTN = "layers.1.attn"
STAGES = ("scores", "scaled", "masked", "pattern")
SENTENCE = "the cat sat on the mat"


@pytest.fixture
def trace():
    return tiny_trace(SENTENCE)


def heads_of(trace, stage, **viewing):
    chosen = replace(PLAIN, **viewing)
    maps = small_maps(trace, stage, chosen, heads_of_layer(trace, 1))
    return grid_view(trace, f"{ATTN}.{stage}", chosen, maps, None)


def head_of(trace, stage, head=1, **viewing):
    return map_view(trace, f"{ATTN}.{stage}", head, replace(PLAIN, **viewing))


@pytest.mark.parametrize("stage", STAGES)
def test_every_cell_that_may_be_looked_at_is_the_recorded_number(trace, stage):
    allowed = np.broadcast_to(trace.part("mask"), trace[f"{ATTN}.{stage}"].shape)
    shown = heads_of(trace, stage).stack[allowed]
    np.testing.assert_array_equal(shown, trace[f"{ATTN}.{stage}"][allowed])


@pytest.mark.parametrize("stage", ["masked", "pattern"])
def test_what_is_masked_has_no_value(trace, stage):
    empty = np.isnan(heads_of(trace, stage).stack)
    np.testing.assert_array_equal(empty[0], ~trace.part("mask"))


@pytest.mark.parametrize("stage", ["scores", "scaled"])
def test_before_the_mask_every_cell_has_a_value(trace, stage):
    assert np.isfinite(heads_of(trace, stage).stack).all()


def test_shares_run_from_zero_to_one_whatever_they_are(trace):
    scale = head_of(trace, "pattern").matrix.scale
    assert (scale.kind, scale.limit) == ("share", 1.0)


def test_scores_and_scaled_scores_look_the_same_and_the_mask_changes_no_colour(trace):
    scores, scaled = heads_of(trace, "scores"), heads_of(trace, "scaled")
    assert scores.scale.limit == pytest.approx(np.abs(trace[f"{ATTN}.scores"]).max())
    root = trace.config.d_head**0.5
    assert scaled.scale.limit == pytest.approx(scores.scale.limit / root, rel=1e-6)
    assert heads_of(trace, "masked").scale == scaled.scale


@pytest.mark.parametrize("stage", STAGES)
def test_it_declares_what_it_asks_for(trace, stage):
    declared = {address for address, _ in map_parts(trace, f"{ATTN}.{stage}", 1)}
    expected = {f"{ATTN}.{stage}"} | (
        {f"{ATTN}.scaled"} if stage == "masked" else set()
    )
    assert declared == expected


def test_words_name_layer_head_both_tokens_and_the_value(trace):
    view = head_of(trace, "pattern")
    query, key = (trace.encoding.pieces[place].label for place in (2, 0))
    value = trace[f"{ATTN}.pattern"][1, 2, 0]
    status = view.status(2, 0)
    start = f"layer 2 · head 2 · query {query} (3) → key {key} (1): share = "
    assert status.startswith(start)
    assert float(status.removeprefix(start)) == pytest.approx(float(value), rel=0.01)


def test_masked_cells_say_so(trace):
    assert "masked" in head_of(trace, "masked").value(0, 1)
    assert head_of(trace, "pattern").value(0, 1).startswith("share = 0,")


def test_a_cell_is_found_at_its_head_row_and_column(trace):
    cell = head_of(trace, "scores").matrix.cell(3, 2)
    assert (cell.key, cell.index) == (f"{ATTN}.scores", (1, 3, 2))


def test_a_row_in_every_head_is_that_row(trace):
    row = row_in_heads(trace, f"{ATTN}.pattern", 3, PLAIN)
    np.testing.assert_array_equal(row.values[:, :4], trace[f"{ATTN}.pattern"][:, 3, :4])
    assert row.rows.labels == ("1", "2")


def test_captions_count_from_one_and_tell_the_key_head(trace):
    assert heads_of(trace, "scores").captions == ("1", "2")
    shared = tiny_trace(SENTENCE, n_heads=4, n_kv_heads=2, position="rotary")
    captions = heads_of(shared, "scores").captions
    assert captions == ("1 · key 1", "2 · key 1", "3 · key 2", "4 · key 2")


def test_heads_are_named_once_they_are_scored(trace):
    maps = small_maps(trace, "pattern", PLAIN, heads_of_layer(trace, 1))
    habits = HeadScores({"previous": np.array([[0, 0], [0.9, 0.1]], np.float32)}, {})
    view = grid_view(trace, f"{ATTN}.pattern", PLAIN, maps, habits)
    assert view.captions == ("1 · previous token .90", "2")
    assert "right before" in view.tip(0, 2, 1)


def test_heads_on_their_way_are_empty_and_a_dot_of_many_cells_says_so():
    trace = traced_ids(
        ModelConfig(n_vocab=256, n_ctx=256, d_model=8, n_heads=2), [*range(200)]
    )
    maps = small_maps(trace, "pattern", PLAIN, [(1, 1)])
    view = grid_view(trace, f"{ATTN}.pattern", PLAIN, maps, None)
    assert np.isnan(view.stack[0]).all()
    assert view.status(1, 49, 0).startswith(
        "layer 2 · head 2 · query 197–200 → key 1–4: largest share"
    )
    assert view.value(0, 0, 0) == "no value"


def test_one_token_gives_one_cell():
    trace = tiny_trace("t")
    view = head_of(trace, "pattern")
    np.testing.assert_array_equal(view.matrix.values, np.ones((trace.n, trace.n)))
    assert view.value(0, 0) == "share = 1.000"


def test_a_dimmed_sink_keeps_every_number_and_gives_the_others_the_colours(trace):
    view = head_of(trace, "pattern", sink="dimmed")
    pattern = trace[f"{ATTN}.pattern"][1]
    assert view.matrix.dimmed == (0,)
    assert view.matrix.scale.limit == pattern[:, 1:].max()
    allowed = trace.part("mask")
    np.testing.assert_array_equal(view.matrix.values[allowed], pattern[allowed])
    assert "dimmed" in view.note


def test_without_the_sink_a_cell_tells_its_share_of_the_rest_and_the_recorded(trace):
    view = head_of(trace, "pattern", sink="left out")
    pattern = trace[f"{ATTN}.pattern"][1]
    rest = pattern[4, 2] / (1 - pattern[4, 0])
    assert view.matrix.values[4, 1] == pytest.approx(rest, abs=1e-6)
    assert "left out" in view.note
    tip = view.tip(4, 1).splitlines()
    assert float(tip[2].removeprefix("share of the rest = ")) == pytest.approx(
        rest, abs=1e-3
    )
    assert float(tip[3].removeprefix("recorded: ")) == pytest.approx(
        pattern[4, 2], abs=1e-3
    )
    assert "took it all" in view.value(0, 0) or "masked" in view.value(0, 0)


def test_threshold_and_logarithm_are_said_and_change_no_number(trace):
    view = head_of(trace, "pattern", is_log=True, threshold=0.05)
    assert "logarithm" in view.note
    assert "under 0.05" in view.note
    plain = head_of(trace, "pattern")
    np.testing.assert_array_equal(view.matrix.values, plain.matrix.values)


def test_scores_are_never_coloured_by_their_logarithm(trace):
    scale = head_of(trace, "scores", is_log=True, threshold=0.5).matrix.scale
    assert not scale.is_log
    assert scale.threshold == 0


@pytest.mark.parametrize("sink", ["shown", "dimmed", "left out"])
@pytest.mark.parametrize("whole_words", [False, True])
@pytest.mark.parametrize("stage", STAGES)
def test_the_grid_and_the_map_show_the_same_numbers(trace, stage, sink, whole_words):
    options = {"sink": sink, "whole_words": whole_words}
    heads = heads_of(trace, stage, **options)
    for head in range(2):
        view = head_of(trace, stage, head, **options)
        np.testing.assert_allclose(heads.stack[head], view.matrix.values, atol=1e-6)
        last = len(view.shaping.row_tokens) - 1
        assert heads.status(head, last, 0) == view.status(last, 0)


def test_a_row_in_every_head_is_in_the_shape_of_the_map(trace):
    viewing = replace(PLAIN, sink="left out")
    row = row_in_heads(trace, f"{ATTN}.pattern", 4, viewing)
    heads = heads_of(trace, "pattern", sink="left out")
    np.testing.assert_allclose(row.values, heads.stack[:, 4], atol=1e-6)
