import numpy as np
import pytest

from core.trace.selection import Selection, at_step, has_numbers
from core.trace.views.step_matrix import shown_part, step_matrix
from tests.helpers.bundles import tiny_tokenizer, tiny_trace

LABEL_OF = tiny_tokenizer().label
PLACE = Selection(query=2, key=1, head=1, feature=3)


def view_of(key, **config):
    return step_matrix(tiny_trace(**config), at_step(PLACE, key), LABEL_OF)


@pytest.mark.parametrize("config", [{}, {"n_kv_heads": 1, "position": "rotary"}])
def test_every_cell_of_every_step_leads_to_its_own_number(config):
    trace = tiny_trace(**config)
    for key in trace.keys:
        step = trace.step(key)
        if not (step.axes and has_numbers(step)):
            continue
        view = step_matrix(trace, at_step(PLACE, key), LABEL_OF)
        row, column = view.selected
        cell = view.cell(row, column)
        shown, value = (
            view.matrix.values[row, column],
            trace.value(cell.key, cell.index),
        )
        assert shown == pytest.approx(value, abs=1e-5)


def test_the_matrix_of_a_pattern_is_the_chosen_heads():
    view = view_of("layers.1.attn.pattern")
    expected = tiny_trace().part("layers.1.attn.pattern", (1,))
    np.testing.assert_array_equal(view.matrix.values, expected)
    assert view.matrix.scale.kind == "share"
    assert (view.matrix.rows.role, view.matrix.columns.role) == ("query", "key")


def test_masked_scores_are_cells_without_a_value():
    values = view_of("layers.0.attn.masked").matrix.values
    assert np.isnan(values[0, 1:]).all()
    assert np.isfinite(values[2]).all()


def test_steps_over_the_vocabulary_show_the_row_of_the_chosen_token():
    view = view_of("output.logits")
    assert view.matrix.values.shape == (1, tiny_trace().config.n_vocab)
    assert view.matrix.rows.labels == ("·sat",)
    assert view.cell(0, 65).index == (2, 65)


def test_only_the_part_that_is_shown_is_asked_for():
    trace = tiny_trace()
    scores = shown_part(trace, at_step(PLACE, "layers.0.attn.scores"))
    assert scores == ("layers.0.attn.scores", (1, None, None))
    logits = shown_part(trace, at_step(PLACE, "output.logits"))
    assert logits == ("output.logits", (2, None))
