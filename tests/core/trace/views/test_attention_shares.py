"""Rows and columns cut out of shaped maps are those of the whole shaped map."""

from dataclasses import replace

import numpy as np
import pytest

from core.trace.viewing import Viewing
from core.trace.views.attention_shares import (
    counted_heads,
    numbered,
    percent,
    renumbered,
    share_parts,
    shares_of,
    why_none,
)
from core.trace.views.shaping import shaped
from tests.helpers.bundles import tiny_trace

VIEWINGS = (
    Viewing(),
    Viewing(whole_words=True),
    Viewing(sink="left out"),
    Viewing(sink="left out", whole_words=True, hides_specials=True),
)
TEXT = "a dogs cat saw the mat"


@pytest.mark.parametrize("viewing", VIEWINGS)
def test_parts_of_a_shape_are_parts_of_the_whole_shaped_map(viewing):
    trace = tiny_trace(TEXT)
    shares = shares_of(trace, ((1, 0), (1, 1)), viewing)
    pattern = np.where(shares.mask, np.stack(shares.maps), np.float32(np.nan))
    whole = shaped(pattern, shares.shaping)
    assert whole.shape == (2, shares.n_rows, shares.n_columns)
    for start, stop in ((0, 1), (1, 3), (0, shares.n_rows)):
        cut = shares.rows(start, stop)
        np.testing.assert_allclose(cut, whole[:, start:stop], rtol=1e-6)
    for start, stop in ((0, 1), (1, 3), (0, shares.n_columns)):
        cut = shares.columns(start, stop)
        np.testing.assert_allclose(cut, whole[:, :, start:stop], rtol=1e-6)


def test_rows_and_columns_need_not_be_equally_many():
    shares = shares_of(tiny_trace(TEXT), ((0, 0),), Viewing())
    n = shares.n_rows
    wide = replace(
        shares,
        maps=(shares.maps[0][:3],),
        mask=shares.mask[:3],
        shaping=replace(shares.shaping, row_tokens=shares.shaping.row_tokens[:3]),
    )
    assert wide.rows(0, 3).shape == (1, 3, n)
    assert wide.columns(n - 1, n).shape == (1, 3, 1)


def test_what_the_mask_forbids_is_no_share_of_zero():
    shares = shares_of(tiny_trace(TEXT), ((0, 0),), Viewing())
    assert np.isnan(shares.rows(0, 1)[0, 0, 1:]).all()
    assert shares.rows(0, 1)[0, 0, 0] == 1


def test_it_is_told_why_there_is_no_share():
    shares = shares_of(tiny_trace(TEXT), ((0, 0),), Viewing())
    assert why_none(shares, 0, 1) == "masked"
    broken = replace(shares, maps=(np.full_like(shares.maps[0], np.nan),))
    assert why_none(broken, 1, 0) == "not a number"
    rest = shares_of(tiny_trace(TEXT), ((0, 0),), Viewing(sink="left out"))
    first_only = np.eye(1, len(rest.maps[0]), dtype=np.float32).repeat(6, axis=0)
    taken = replace(rest, maps=(np.resize(first_only, rest.maps[0].shape),))
    assert np.isnan(taken.rows(2, 3)).all()
    assert why_none(taken, 2, 0) == "nothing: the first token took it all"


def test_many_heads_are_asked_for_at_once():
    trace = tiny_trace(TEXT)
    assert share_parts(trace, ((0, 1),)) == (("layers.0.attn.pattern", (1,)),)
    three = ((0, 0), (0, 1), (1, 0))
    keys = ("layers.0.attn.pattern", "layers.1.attn.pattern")
    assert share_parts(trace, three) == tuple((key, ()) for key in keys)


def test_runs_are_renumbered_in_the_row_of_their_places():
    tokens, runs = renumbered([(4, 5), (7,)])
    assert tokens.tolist() == [4, 5, 7]
    assert runs == ((0, 1), (2,))


def test_shares_heads_and_tokens_are_told_as_a_person_counts():
    told = [percent(share) for share in (0.0, 0.0004, 0.057, 0.0999, 0.57, 1.0)]
    assert told == ["0 %", "<0.1 %", "5.7 %", "10 %", "57 %", "100 %"]
    assert percent(float("nan")) == "not a number"
    assert numbered(("a", "b"), 1) == "b (2)"
    assert counted_heads(((0, 2),), 4) == "layer 1 · head 3"
    assert counted_heads(((0, 0), (0, 1)), 2) == "layer 1 · all 2 heads"
    assert (
        counted_heads(((1, 0), (0, 2), (0, 0)), 4)
        == "layer 1 · heads 1, 3 + layer 2 · head 1"
    )
