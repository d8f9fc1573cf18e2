"""The birth of a share is the trace's own numbers, each following from those before."""

from dataclasses import replace

import numpy as np
import pytest

from core.trace.matrix import Cell
from core.trace.views.attention_birth import birth_parts, birth_view
from core.trace.views.attention_map import stages_of
from tests.helpers.bundles import tiny_trace

ATTN = "layers.1.attn"
ROTARY = {"position": "rotary", "n_heads": 4, "n_kv_heads": 2}


def born(query=4, key=2, head=1, text="the cat sat on the mat", **config):
    trace = tiny_trace(text, **config)
    return birth_view(trace, ATTN, head, query, key), trace


@pytest.mark.parametrize("config", [{}, ROTARY])
def test_the_products_add_up_to_the_recorded_score(config):
    view, trace = born(head=1, **config)
    score = trace.value(f"{ATTN}.scores", (1, 4, 2))
    assert view.products.sum() == pytest.approx(score, abs=1e-5)
    assert view.running[-1] == pytest.approx(score, abs=1e-5)


def test_each_stage_is_the_recorded_number():
    view, trace = born()
    for stage in stages_of(trace, ATTN):
        recorded = trace[f"{ATTN}.{stage}"][1, 4]
        np.testing.assert_allclose(view.rows[stage], recorded, rtol=1e-5)


def test_exponents_over_their_sum_are_the_shares_shifted_or_not():
    view, _ = born()
    shares = view.rows["pattern"]
    for powers in (view.powers, view.plain_powers):
        np.testing.assert_allclose(powers / powers.sum(), shares, atol=1e-6)


def test_the_largest_number_of_the_row_has_the_exponent_one():
    view, _ = born()
    assert view.powers[view.largest_at] == 1
    assert view.powers.max() == 1


def test_rotated_vectors_are_the_turned_ones_and_say_so():
    view, trace = born(head=3, **ROTARY)
    np.testing.assert_array_equal(view.q, trace[f"{ATTN}.q_rotated"][3, 4])
    np.testing.assert_array_equal(view.k, trace[f"{ATTN}.k_rotated"][1, 2])
    assert view.vector_names == ("q turned", "k turned · key head 2")
    assert "turned by their positions" in view.reading


def test_grouped_queries_say_which_key_head_is_used():
    view, _ = born(head=3, **ROTARY)
    assert view.key_head == 1
    assert "Query heads 3, 4 use key head 2." in view.reading
    assert view.vector_cell(1, 0) == Cell(f"{ATTN}.k_rotated", (1, 2, 0))


def test_a_masked_key_has_a_score_and_no_share():
    view, trace = born(query=1, key=3)
    assert view.is_masked
    numbers = [stage.number for stage in view.stages]
    assert numbers[2] == "−∞"
    assert float(numbers[-1]) == 0 == trace.value(f"{ATTN}.pattern", (1, 1, 3))
    assert numbers[0] not in ("−∞", "0")
    assert "masked" in view.row_tip(0, 3)


def test_every_stage_leads_to_a_number_of_the_trace():
    view, trace = born()
    for stage in view.stages:
        assert trace.has(stage.cell.key, stage.cell.index)


def test_one_token_takes_all_of_its_attention():
    view, _ = born(0, 0, text="t")
    assert view.stages[-1].number == "1.000"
    assert "1.000" in view.row_reading


def test_one_dimension_is_one_product():
    view, _ = born(d_model=2)
    assert len(view.q) == 1
    assert view.stages[0].note == "one product"


def test_an_exponent_too_large_for_a_number_is_told_as_such():
    view, _ = born()
    view.plain_powers[view.largest_at] = np.inf
    assert "too large for a number" in view.row_reading


def test_it_declares_what_it_asks_for():
    trace = tiny_trace("the cat sat on the mat")
    parts = birth_parts(trace, ATTN, 1, 4, 2)
    assert all(trace.has(*part) for part in parts)
    assert {key for key, _ in parts} >= {
        f"{ATTN}.{stage}" for stage in stages_of(trace, ATTN)
    }


def test_a_number_that_is_none_is_short_on_the_way_and_told_below():
    view, _ = born()
    row = np.full_like(view.rows["masked"], np.nan)
    broken = replace(view, rows=dict.fromkeys(view.rows, row))
    assert broken.stages[0].number == broken.stages[-1].number == "NaN"
    assert "is not a number" in broken.row_reading
