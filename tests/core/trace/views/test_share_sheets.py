"""The numbers of lines and shaded text: the program beside them makes the same."""

import numpy as np
import pytest

from core.trace.sheet import Sheet
from core.trace.trace import Trace
from core.trace.viewing import Viewing
from core.trace.views.attention_lines import lines_view
from core.trace.views.attention_text import text_heads, text_view
from core.trace.views.share_sheets import lines_sheets, text_sheets
from tests.helpers.bundles import tiny_trace

TEXT = "the cat sat on the mat"
VIEWINGS = (
    Viewing(),
    Viewing(looks_back=True, joining="mean"),
    Viewing(sink="left out", whole_words=True, joining="largest"),
    Viewing(sink="left out", whole_words=True, joining="mean", looks_back=True),
)


def made(sheet: Sheet, trace: Trace) -> np.ndarray:
    """What the sheet's own code makes."""
    names: dict[str, object] = {"trace": trace, "np": np}
    exec("\n".join(sheet.code), names)
    return names["values"]


@pytest.mark.parametrize("viewing", VIEWINGS)
def test_the_shares_of_all_lines_leave_as_they_are_shaped(viewing):
    trace = tiny_trace(TEXT)
    view = lines_view(trace, 1, (0, 1), viewing)
    alone, every = lines_sheets(view, viewing, (viewing.looks_back, 2))
    assert every.values.shape == (2, view.shares.n_rows, view.shares.n_columns)
    assert every.axis_names == ("head", "query", "key")
    for sheet in (alone, every):
        np.testing.assert_array_equal(made(sheet, trace), sheet.values)
    of_token = every.values[:, :, 2] if viewing.looks_back else every.values[:, 2]
    np.testing.assert_array_equal(alone.values, of_token)


def test_plain_lines_are_the_recorded_pattern_without_masked_cells():
    trace = tiny_trace(TEXT)
    (every,) = lines_sheets(lines_view(trace, 0, (1,), Viewing()), Viewing(), None)
    expected = np.where(trace.part("mask"), trace["layers.0.attn.pattern"][1], np.nan)
    np.testing.assert_array_equal(every.values[0], expected)
    assert every.axes[0].labels == ("2",)


@pytest.mark.parametrize("viewing", VIEWINGS)
def test_the_shades_leave_as_they_are_joined_and_looked_at(viewing):
    trace = tiny_trace(TEXT)
    view = text_view(trace, text_heads(viewing, 1, 0, 2), viewing)
    shown, every = text_sheets(view, 3)
    np.testing.assert_array_equal(shown.values, view.shades(3))
    for item in range(len(view.items)):
        np.testing.assert_array_equal(every.values[item], view.shades(item))
    for sheet in (shown, every):
        np.testing.assert_array_equal(made(sheet, trace), sheet.values)
    roles = ("key", "query") if viewing.looks_back else ("query", "key")
    assert every.axis_names == roles
    assert shown.axis_names == roles[1:]


def test_without_a_chosen_token_all_shades_are_there():
    view = text_view(tiny_trace(TEXT), ((0, 0),), Viewing())
    assert len(text_sheets(view, None)) == 1
