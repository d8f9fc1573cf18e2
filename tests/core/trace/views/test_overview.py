from dataclasses import replace

import numpy as np
import pytest

from core.analysis.heads import HEAD_SCORES, HeadScores
from core.config import ModelConfig
from core.trace.viewing import PLAIN
from core.trace.views import overview
from core.trace.views.attention_map import map_view
from core.trace.views.overview import (
    all_heads,
    caption_of,
    ordered,
    overview_of,
    small_maps,
    tints,
)
from tests.helpers.bundles import tiny_trace
from tests.helpers.traces import traced_ids

HEADS = ((0, 0), (0, 1), (1, 0), (1, 1))
STAGES = ("scores", "scaled", "masked", "pattern")


@pytest.fixture
def trace():
    return tiny_trace("the cat sat on the mat")


def scores_of(values, name="induction"):
    array = np.array(values, np.float32).reshape(2, 2)
    return HeadScores({name: array}, {})


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("options", [{}, {"sink": "left out", "whole_words": True}])
def test_small_maps_of_a_short_sentence_are_the_maps_themselves(trace, stage, options):
    viewing = replace(PLAIN, **options)
    found = small_maps(trace, stage, viewing, all_heads(trace))
    assert tuple(found) == HEADS
    for (layer, head), values in found.items():
        view = map_view(trace, f"layers.{layer}.attn.{stage}", head, viewing)
        np.testing.assert_allclose(values, view.matrix.values, atol=1e-6)


def test_one_head_alone_is_the_same_as_among_all(trace):
    alone = small_maps(trace, "pattern", PLAIN, [(1, 1)])
    among = small_maps(trace, "pattern", PLAIN, HEADS)
    np.testing.assert_allclose(alone[(1, 1)], among[(1, 1)], atol=1e-6)


def test_a_dot_of_a_long_sentence_is_the_largest_of_its_block():
    config = ModelConfig(n_vocab=256, n_ctx=256, d_model=8, n_heads=2, n_layers=1)
    trace = traced_ids(config, [place % 250 for place in range(200)])
    small = small_maps(trace, "pattern", PLAIN, [(0, 1)])[(0, 1)]
    assert small.shape == (50, 50)
    pattern = trace["layers.0.attn.pattern"][1]
    assert small[40, 3] == pytest.approx(pattern[160:164, 12:16].max(), abs=1e-6)
    note = overview_of(trace, "pattern", PLAIN, {(0, 1): small}).note
    assert "largest of 4 × 4" in note


def test_nothing_of_it_stays_in_the_cache():
    trace = traced_ids(
        ModelConfig(n_vocab=256, d_model=8, n_heads=2, n_layers=2), [1, 2]
    )
    small_maps(trace, "scores", PLAIN, HEADS)
    assert not trace.is_stored("layers.0.attn.scores", (None, None, None))


def test_heads_are_ordered_by_a_score_and_those_without_stand_last():
    scores = scores_of([0.2, np.nan, 0.9, 0.1])
    assert ordered(HEADS, scores, "layer") == HEADS
    assert ordered(HEADS, scores, "induction") == ((1, 0), (0, 0), (1, 1), (0, 1))
    assert ordered(HEADS, None, "induction") == HEADS


def test_a_caption_tells_the_score_that_orders():
    scores = scores_of([0.25, np.nan, 0.9, 1.0])
    assert caption_of((0, 0), scores, "induction") == "L1 H1 .25"
    assert caption_of((0, 1), scores, "induction") == "L1 H2 –"
    assert caption_of((1, 1), scores, "induction") == "L2 H2 1.00"
    assert caption_of((1, 1), scores, "layer") == "L2 H2"


def test_a_bar_is_the_share_itself_or_the_part_of_the_most():
    assert tints(HEADS, scores_of([0.25, np.nan, 0.5, 0]), "induction") == {
        (0, 0): 0.25,
        (1, 0): 0.5,
        (1, 1): 0.0,
    }
    bits = scores_of([1, 2, 4, 0], "entropy")
    assert tints(HEADS, bits, "entropy")[(0, 1)] == 0.5
    assert tints(HEADS, None, "entropy") == {}


def test_a_dimmed_sink_leaves_the_colours_to_the_others(trace):
    viewing = replace(PLAIN, sink="dimmed")
    maps = small_maps(trace, "pattern", viewing, HEADS)
    found = overview_of(trace, "pattern", viewing, maps)
    assert found.dimmed == (0,)
    others = [np.nanmax(values[:, 1:]) for values in maps.values()]
    assert found.scale.limit == pytest.approx(max(others))


def test_every_score_can_order_the_heads():
    for score in HEAD_SCORES:
        assert len(ordered(HEADS, scores_of([1, 2, 3, 4], score.name), score.name)) == 4


def test_no_map_yet_has_a_scale_all_the_same(trace):
    assert overview_of(trace, "scores", PLAIN, {}).scale.kind == "signed"
    assert overview.is_easy(trace)
