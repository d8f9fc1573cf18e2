"""The rollout map shows the rolled numbers, shaped and told like any attention map."""

import numpy as np
import pytest

from core.analysis.rollout import rollout
from core.trace.viewing import Viewing
from core.trace.views.attention_rollout import rollout_view
from tests.helpers.bundles import tiny_trace

SENTENCE = "the cat sat on the mat"
PLAIN = Viewing()


@pytest.fixture
def trace():
    return tiny_trace(SENTENCE)


def view_of(trace, layer=1, joining="mean", viewing=PLAIN):
    maps = rollout(trace, joining)
    return rollout_view(trace, maps, layer, joining, viewing)


@pytest.mark.parametrize("layer", [0, 1])
def test_every_cell_that_may_be_looked_at_is_the_rolled_number(trace, layer):
    allowed = trace.part("mask")
    values = view_of(trace, layer).matrix.values
    np.testing.assert_array_equal(
        values[allowed], rollout(trace, "mean")[layer][allowed]
    )
    assert np.isnan(values[~allowed]).all()


def test_words_name_the_layers_both_tokens_and_the_share(trace):
    view = view_of(trace)
    labels = [piece.label for piece in trace.encoding.pieces]
    status = view.status(2, 0)
    start = f"through layers 1 to 2 · {labels[2]} (3) ← {labels[0]} (1): share = "
    assert status.startswith(start)
    share = float(status.removeprefix(start))
    assert share == pytest.approx(float(view.matrix.values[2, 0]), abs=1e-3)
    assert "the token comes later" in view.tip(0, 2)
    assert view.title == "Attention rolled out through layers 1 to 2"
    assert view_of(trace, 0).title == "Attention rolled out through layer 1"


def test_it_says_what_it_is_not_and_how_heads_were_joined(trace):
    assert "not: a measurement" in view_of(trace).about
    assert "the mean of its heads" in view_of(trace).about
    assert "the largest of its heads" in view_of(trace, joining="largest").about


def test_without_the_first_token_a_row_that_is_all_of_it_says_so(trace):
    view = view_of(trace, viewing=Viewing(sink="left out"))
    assert view.matrix.values.shape == (trace.n, trace.n - 1)
    rows = view.matrix.values[1:]
    np.testing.assert_allclose(np.nansum(rows, axis=1), 1, rtol=1e-5)
    assert "the first token is left out" in view.note
    assert "rows sum to 1" not in view.note


def test_one_token_comes_from_itself():
    view = view_of(tiny_trace("t"))
    np.testing.assert_array_equal(view.matrix.values, [[1]])
