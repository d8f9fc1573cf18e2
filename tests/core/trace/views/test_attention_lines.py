"""The lines of some heads: which heads, what is not drawn, and what is said of them."""

import numpy as np
import pytest

from core.trace.viewing import Viewing
from core.trace.views.attention_lines import lines_heads, lines_view
from tests.helpers.bundles import tiny_trace

TEXT = "the cat sat"


def view_of(heads=(0, 1), viewing=None):
    return lines_view(tiny_trace(TEXT), 1, heads, viewing or Viewing())


def test_the_gathered_heads_of_the_layer_are_shown_else_the_selected_one():
    gathered = Viewing(gathered=((0, 1), (1, 2), (1, 0)))
    assert lines_heads(gathered, 1, head=3) == (0, 2)
    assert lines_heads(gathered, 2, head=3) == (3,)


def test_the_maps_are_the_recorded_patterns_of_the_heads():
    view = view_of()
    pattern = tiny_trace(TEXT)["layers.1.attn.pattern"]
    for place, head in enumerate(view.heads):
        np.testing.assert_array_equal(view.shares.maps[place], pattern[head])


def test_what_is_not_drawn_is_said():
    assert "lines under 0.5 % are not drawn" in view_of().note
    assert (
        "lines under 20 % are not drawn" in view_of((0,), Viewing(threshold=0.2)).note
    )
    words = view_of((0,), Viewing(whole_words=True, sink="left out")).note
    assert "the first token is left out" in words


def test_a_masked_pair_is_no_share_of_zero():
    assert view_of().pair(0, 1).endswith("head 1: masked\nhead 2: masked")


def test_the_logarithm_makes_opacities_where_it_was_chosen():
    plain, log = view_of(), view_of(viewing=Viewing(is_log=True))
    share = np.array([0.01], np.float32)
    assert plain.scale.coloured(share) == share
    assert log.scale.coloured(share)[0] == pytest.approx(0.5)
    assert "opacity is the logarithm of the share" in log.note


def test_a_pair_tells_the_share_of_every_head():
    view = view_of()
    query, first, second = view.pair(2, 1).splitlines()
    assert query.startswith("query ")
    assert "(3) → key " in query
    pattern = tiny_trace(TEXT)["layers.1.attn.pattern"]
    assert first.startswith("head 1: ")
    assert f"{100 * pattern[0, 2, 1]:.0f}"[:1] in first
    assert second.startswith("head 2: ")


def test_the_strongest_lines_of_a_token_come_first():
    view = view_of((0,))
    pattern = tiny_trace(TEXT)["layers.1.attn.pattern"][0]
    labels = view.shares.shaping.columns.labels
    best = int(pattern[2].argmax())
    told = view.told(False, 2)
    assert f"looks at {labels[best]} ({best + 1}) " in told
    looking = int(pattern[:, 1].argmax())
    assert f"is looked at by {labels[looking]} ({looking + 1}) " in view.told(True, 1)


def test_a_token_that_is_left_out_has_no_column_but_a_row():
    view = view_of((0,), Viewing(sink="left out"))
    assert view.place_of(False, 0) == 0
    assert view.place_of(True, 0) is None
    assert view.place_of(True, 2) == 1
    assert view.token_of(True, 1) == 2
    assert view.place_of(False, None) is None
    assert view.dimmed is None
    assert view_of((0,), Viewing(sink="dimmed")).dimmed == 0
