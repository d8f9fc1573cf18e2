"""A layer with experts as it is shown: who was asked, what their answers make."""

import numpy as np
import pytest

from core.trace.views.experts import experts_view
from core.trace.views.places import place_text
from tests.helpers.bundles import tiny_trace

FFN = "layers.0.ffn"


@pytest.mark.parametrize("n_chosen", [1, 2, 4])
def test_the_answers_by_their_weights_are_the_output(n_chosen):
    trace = tiny_trace("the cat sat", n_experts=4, n_experts_per_token=n_chosen)
    for query in range(trace.n):
        view = experts_view(trace, FFN, query)
        weights = [e.weight for e in view.experts if e.is_chosen]
        assert len(weights) == n_chosen
        assert sum(weights) == pytest.approx(1, abs=1e-6)
        assert sum(e.share for e in view.experts) == pytest.approx(1, abs=1e-6)
        *answers, total = view.answers.values
        by_weight = sorted(weights, reverse=True)
        parts = [w * row for w, row in zip(by_weight, answers, strict=True)]
        np.testing.assert_allclose(sum(parts), total, atol=1e-5)
        assert view.note.endswith("of 4")


def test_every_number_of_the_answers_is_where_its_cell_says():
    trace = tiny_trace("the cat sat", n_experts=3, n_experts_per_token=2)
    view = experts_view(trace, FFN, 2)
    for row, values in enumerate(view.answers.values):
        cell = view.cell(row, 4)
        assert trace.value(cell.key, cell.index) == pytest.approx(values[4], rel=1e-5)
    words = place_text(trace, view.cell(0, 4), str)
    assert "expert" in words
    assert "feature 5" in words


def test_a_weight_of_an_expert_says_whose_it_is():
    trace = tiny_trace("the cat sat", n_experts=3)
    explained = trace.explain(f"{FFN}.hidden", (2, 0, 5))
    weight = explained.blocks[1].operand(7)
    assert weight.index == (2, 7, 5)
    note = trace.explain(weight.address, weight.index).note
    assert note.endswith("What feature 8 of the row adds to neuron 6. Of expert 3.")
    router = trace.explain(f"{FFN}.W_R", (7, 2)).note
    assert router.endswith("adds to the score of expert 3.")
