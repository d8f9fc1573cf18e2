"""The shades of a text: whose shares they are, how joined, and what is not seen."""

import numpy as np
import pytest

from core.trace.viewing import Viewing
from core.trace.views.attention_shares import numbered
from core.trace.views.attention_text import label_in_text, text_heads, text_view
from tests.helpers.bundles import tiny_trace

TEXT = "the cat sat on"
HEADS = ((1, 0), (1, 1))


def pattern():
    return tiny_trace(TEXT)["layers.1.attn.pattern"]


def view_of(text=TEXT, heads=HEADS, **viewing):
    return text_view(tiny_trace(text), heads, Viewing(**viewing))


def test_one_head_is_the_selected_one_and_a_set_is_what_was_gathered():
    gathered = ((0, 1), (2, 3))
    assert text_heads(Viewing(gathered=gathered), 1, 2, 4) == ((1, 2),)
    assert text_heads(Viewing(gathered=gathered, joining="mean"), 1, 2, 4) == gathered
    assert text_heads(Viewing(joining="mean"), 1, 2, 3) == ((1, 0), (1, 1), (1, 2))


@pytest.mark.parametrize(
    ("joining", "joined"), [("mean", np.mean), ("largest", np.max)]
)
def test_shades_are_a_row_looking_on_and_a_column_looking_back(joining, joined):
    row = view_of(joining=joining).shades(2)
    np.testing.assert_allclose(row[:3], joined(pattern()[:, 2, :3], axis=0), rtol=1e-6)
    assert np.isnan(row[3:]).all()
    column = view_of(joining=joining, looks_back=True).shades(2)
    expected = joined(pattern()[:, 2:, 2], axis=0)
    np.testing.assert_allclose(column[2:], expected, rtol=1e-6)
    assert np.isnan(column[:2]).all()


def test_what_is_left_out_has_no_shade_and_its_share_is_said():
    view = view_of(heads=((1, 0),), sink="left out")
    shades = view.shades(3)
    rest = pattern()[0, 3, 1:4] / (1 - pattern()[0, 3, 0])
    assert np.isnan(shades[0])
    np.testing.assert_allclose(shades[1:4], rest, rtol=1e-5)
    (said,) = view.unseen(3)
    assert said.startswith("first token ")
    assert said.endswith("left out")
    assert said in view.told(3, shades)
    back = view_of(heads=((1, 0),), sink="left out", looks_back=True)
    assert np.isnan(back.shades(0)).all()


def test_the_full_colour_stands_at_a_round_share_above_the_largest():
    view = view_of()
    for largest, limit in ((0.004, 0.01), (0.13, 0.2), (0.5, 0.5), (0.51, 1.0)):
        shades = np.array([0.001, largest, np.nan], np.float32)
        assert view.scale(np.minimum(shades, np.float32(limit))).limit == limit
    dimmed = view_of(sink="dimmed")
    assert dimmed.scale(np.array([0.9, 0.04], np.float32)).limit == 0.05


def test_a_pair_says_who_looks_at_whom_in_both_directions():
    assert view_of().pair(3, 1, 0.25).endswith(": 25 %")
    onward, back = view_of().pair(3, 1, 0.25), view_of(looks_back=True).pair(1, 3, 0.25)
    assert onward == back
    assert view_of().pair(1, 3, float("nan")).endswith(": masked")
    without = view_of(sink="left out")
    assert without.pair(3, 0, float("nan")).endswith(": left out")


def test_words_stay_together_and_a_space_stands_before_them():
    items = view_of("the dogs\nran").items
    labels = [item.label for item in items]
    assert "".join(labels).startswith("the dogs")
    assert not items[0].is_glued
    breaks = [item.label for item in items if item.ends_line]
    assert breaks == ["↵"]


def test_tokens_of_one_character_are_bracketed_and_leftward_words_known():
    items = view_of("\U0001f642 a").items
    assert {item.bracket for item in items[:4]} == {0}
    assert all(item.is_glued for item in items[1:4])
    assert not items[0].is_leftward
    (joined,) = view_of("שלום", whole_words=True).items
    assert joined.label == "שלום"
    assert joined.is_leftward


@pytest.mark.parametrize(
    ("data", "label"),
    [(b" cat", " cat"), (b" ", "·"), (b"  ", "··"), (b"\n", "↵"), (b"<b>", "<b>")],
)
def test_only_the_space_before_a_word_is_a_true_one(data, label):
    assert label_in_text(data) == label


def test_every_item_has_its_token_when_words_are_joined():
    view = view_of("the dogs ran", whole_words=True)
    for item in range(len(view.items)):
        assert view.item_of(view.token_of(item)) == item
    assert view.item_of(None) is None


def test_a_leftward_label_does_not_turn_the_words_around_it():
    labels = ("cat", "שלום")
    assert numbered(labels, 0) == "cat (1)"
    assert numbered(labels, 1) == "\u2068שלום\u2069 (2)"
