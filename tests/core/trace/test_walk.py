"""Link by link from any logit down to weights, ids and the text."""

import math

import numpy as np
import pytest

from core.trace.matrix import Cell
from core.trace.selection import Selection, cell_of, pointed_at
from core.trace.step import name_of
from core.trace.trail import Trail, can_go, followed, moved, stretch
from core.trace.views.inspector import inspector_view
from tests.helpers.bundles import (
    TWO_SIDES,
    encoder_decoder_trace,
    tiny_tokenizer,
    tiny_trace,
)
from tests.helpers.grid import smallest, thin_grid, with_experts
from tests.helpers.traces import traced_ids

IDS = (3, 1, 4, 1, 5)
N_WALKS = 12
TEXT = Cell("tokens.pieces", ())


def links_of(trace, cell):
    view = inspector_view(trace, cell, str)
    assert view.is_proven
    return [link.cell for row in view.rows for link in row.factors if link.cell]


def walk(trace, draw, start):
    """The cells on a random way down, as a reader would click them."""
    way, selection = [start], pointed_at(Selection(), trace, start)
    while name_of(way[-1].key) != TEXT.key:
        links = links_of(trace, way[-1])
        if not links:
            break
        cell = links[int(draw.integers(len(links)))]
        selection = pointed_at(selection, trace, cell)
        is_text = name_of(cell.key) == TEXT.key
        assert cell_of(selection, trace) == (None if is_text else cell)
        way.append(cell)
    return way


CONFIGS = (*thin_grid(), *with_experts(), *smallest())


@pytest.mark.parametrize("number", range(len(CONFIGS)))
def test_every_way_down_from_a_logit_ends_at_a_weight_a_place_or_the_text(number):
    config = CONFIGS[number]
    trace = traced_ids(config, IDS, seed=number)
    draw = np.random.default_rng(number)
    ends = set()
    for _ in range(N_WALKS):
        place = (int(draw.integers(trace.n)), int(draw.integers(config.n_vocab)))
        way = walk(trace, draw, Cell("output.logits", place))
        order = [trace.keys.index(cell.key) for cell in way if cell.key in trace.keys]
        assert order == sorted(order, reverse=True)
        ends.add(way[-1].key)
    for end in ends - {TEXT.key, "positions", "mask"}:
        assert trace.explain(end, (0,) * len(trace.shape(end))).op == "given"
        assert end not in trace.keys


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_of_two_sides_every_way_down_ends_in_a_weight_a_place_or_either_text(kind):
    trace = encoder_decoder_trace(kind)
    draw = np.random.default_rng(0)
    ends = set()
    for _ in range(3 * N_WALKS):
        place = (int(draw.integers(trace.n)), int(draw.integers(trace.config.n_vocab)))
        ends |= {walk(trace, draw, Cell("output.logits", place))[-1].key}
    texts = {"encoder.tokens.pieces", "decoder.tokens.pieces"}
    for end in ends - texts:
        assert trace.explain(end, (0,) * len(trace.shape(end))).op == "given"
        assert end not in trace.keys


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_cross_attention_leads_to_the_text_of_the_source(kind):
    trace = encoder_decoder_trace(kind)
    start = Cell("decoder.layers.0.cross.k", (0, 2, 1))
    assert shortest_way(trace, start, "encoder.tokens.pieces") < 60


def shortest_way(trace, start, goal):
    """The number of links from one cell to the first whose key is the goal."""
    seen, edge, n_links = {start}, [start], 0
    while edge:
        if any(cell.key == goal for cell in edge):
            return n_links
        edge = [link for cell in edge for link in links_of(trace, cell)[:3]]
        edge = [cell for cell in dict.fromkeys(edge) if cell not in seen][:12]
        seen |= set(edge)
        n_links += 1
    return math.inf


@pytest.mark.parametrize("goal", ["embed.W_E", "tokens.ids", "tokens.pieces"])
def test_a_logit_leads_to_the_table_the_id_and_the_text(goal):
    trace = tiny_trace(n_layers=1, tie_embeddings=False)
    assert shortest_way(trace, Cell("output.logits", (2, 40)), goal) < 20


def test_an_embedding_leads_to_the_tokens_id_its_row_and_the_text():
    trace = tiny_trace()
    label_of = tiny_tokenizer().label
    links = links_of(trace, Cell("embed.token", (1, 3)))
    assert links == [Cell("tokens.ids", (1,)), Cell("embed.W_E", (trace.ids[1], 3))]
    assert links_of(trace, links[0]) == [TEXT]
    row = inspector_view(trace, links[1], label_of)
    assert [words.text for words in row.where] == ["W_E", "·cat", "feature 4"]
    assert f"id {trace.ids[1]}" in row.note


# The trail as a value.


def at(feature):
    return Selection(step="embed.sum", feature=feature)


def test_links_that_were_followed_lead_back_and_forward():
    trail = followed(followed(Trail(), at(0), at(1)), at(1), at(2))
    assert stretch(trail, at(2)) == (0, 1, 2)
    back = moved(trail, at(2), -1)
    assert back.present == at(1)
    assert stretch(back, at(1)) == (0, 1)
    assert moved(back, at(1), 1).present == at(2)
    assert not can_go(trail, at(2), 1)
    assert not can_go(moved(back, at(1), -1), at(0), -1)


def test_a_link_from_elsewhere_begins_a_new_stretch_and_back_finds_the_old_one():
    trail = followed(Trail(), at(0), at(1))
    assert stretch(trail, at(7)) == ()
    trail = followed(trail, at(7), at(8))
    assert [trail.stops[i].selection for i in stretch(trail, at(8))] == [at(7), at(8)]
    before = moved(moved(trail, at(8), -1), at(7), -1)
    assert before.present == at(1)
    assert len(stretch(before, at(1))) == 2


def test_back_from_elsewhere_is_back_to_the_trail_with_elsewhere_ahead():
    trail = moved(followed(Trail(), at(0), at(1)), at(7), -1)
    assert trail.present == at(1)
    assert moved(trail, at(1), 1).present == at(7)
    assert not can_go(Trail(), at(7), -1)


def test_following_a_link_forgets_what_was_ahead():
    trail = moved(followed(Trail(), at(0), at(1)), at(1), -1)
    trail = followed(trail, at(0), at(5))
    assert [stop.selection for stop in trail.stops] == [at(0), at(5)]


def test_a_long_trail_forgets_its_beginning():
    trail = Trail()
    for feature in range(300):
        trail = followed(trail, at(feature), at(feature + 1))
    assert len(trail.stops) == 100
    assert trail.present == at(300)
    assert len(stretch(trail, at(300))) == 100
