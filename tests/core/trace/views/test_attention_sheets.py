"""The numbers of the attention pictures: the program beside them makes the same."""

import numpy as np
import pytest

from core.analysis.rollout import rollout
from core.trace.sheet import Sheet
from core.trace.trace import Trace
from core.trace.viewing import Viewing
from core.trace.views.attention_compare import compare_view
from core.trace.views.attention_effect import weighted_view
from core.trace.views.attention_map import map_view
from core.trace.views.attention_rollout import rollout_view
from core.trace.views.attention_sheets import (
    compare_sheets,
    every_head_sheet,
    map_sheets,
    rollout_sheet,
    viewing_code,
    weighted_sheet,
)
from core.trace.views.overview import all_heads, small_maps
from tests.helpers.bundles import tiny_trace

KEY = "layers.1.attn.pattern"
VIEWINGS = (Viewing(), Viewing(whole_words=True), Viewing(sink="left out", is_log=True))


def made(sheet: Sheet, trace: Trace) -> np.ndarray:
    """What the sheet's own code makes."""
    names: dict[str, object] = {"trace": trace, "np": np}
    exec("\n".join(sheet.code), names)
    return names["values"]


@pytest.mark.parametrize("viewing", VIEWINGS)
@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "pattern"])
def test_a_map_leaves_as_it_is_shaped(viewing, stage):
    trace, key = tiny_trace("the cat sat on"), f"layers.1.attn.{stage}"
    one, row, every = map_sheets(trace, key, 1, 2, viewing)
    shown = map_view(trace, key, 1, viewing).matrix
    np.testing.assert_array_equal(one.values, shown.values)
    np.testing.assert_array_equal(made(one, trace), shown.values)
    for sheet in (row, every):
        np.testing.assert_array_equal(made(sheet, trace), sheet.values)
    np.testing.assert_array_equal(every.values[1], shown.values)
    assert every.axis_names == ("head", "query", "key")


@pytest.mark.parametrize("viewing", VIEWINGS)
def test_all_heads_leave_as_their_small_maps_are_shaped(viewing):
    trace = tiny_trace("the cat sat on")
    sheet = every_head_sheet(trace, "masked", viewing)
    np.testing.assert_array_equal(made(sheet, trace), sheet.values)
    assert sheet.axis_names == ("layer", "head", "query", "key")
    for head, values in small_maps(trace, "masked", viewing, all_heads(trace)).items():
        np.testing.assert_array_equal(sheet.values[head], values)


@pytest.mark.parametrize("viewing", VIEWINGS)
def test_a_weighted_map_and_a_rollout_are_made_again(viewing):
    trace = tiny_trace("the cat sat on")
    weighted = weighted_sheet(weighted_view(trace, KEY, 1, viewing), viewing)
    np.testing.assert_array_equal(made(weighted, trace), weighted.values)
    view = rollout_view(trace, rollout(trace, "largest"), 1, "largest", viewing)
    rolled = rollout_sheet(view, "largest", viewing)
    np.testing.assert_array_equal(made(rolled, trace), view.matrix.values)


def test_a_difference_comes_with_both_maps():
    trace, viewing = tiny_trace("the cat sat on"), Viewing()
    heads = (0, 1), (1, 0)
    view = compare_view((trace, heads[0]), (trace, heads[1]), "pattern", viewing)
    sheets = compare_sheets(trace, view, heads, is_one_sentence=True, viewing=viewing)
    for sheet in sheets:
        np.testing.assert_array_equal(made(sheet, trace), sheet.values)
    beside = compare_sheets(trace, view, heads, is_one_sentence=False, viewing=viewing)
    assert [bool(sheet.code) for sheet in beside] == [False, True, False]


def test_only_what_is_chosen_is_said_of_a_viewing():
    assert viewing_code(Viewing()) == "Viewing()"
    assert viewing_code(Viewing(sink="dimmed")) == "Viewing(sink='dimmed')"
