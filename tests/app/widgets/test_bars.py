"""Bars of the likeliest tokens: alignment, the cut, the pick."""

import pytest
from PySide6.QtCore import Qt

from app.style.fonts import mono
from app.widgets.bars import Bar, Bars, column_widths, first_cut, split_at_point
from app.widgets.label import advance

BARS = (
    Bar("·time", ("12.50", "0.8"), 1.0),
    Bar("<b>", ("-1.5", "0.15"), 0.2, "a tag", "picked"),
    Bar("·of", ("-3.25", "0.05"), 0.06, state="cut"),
)


@pytest.fixture
def bars(qtbot):
    widget = Bars("Top tokens")
    qtbot.addWidget(widget)
    widget.resize(500, 300)
    widget.show()
    return widget


@pytest.mark.parametrize(
    ("number", "parts"),
    [("-1.25", ("-1", ".25")), ("7", ("7", "")), ("1.2e-09", ("1", ".2e-09"))],
)
def test_a_number_is_split_at_its_point(number, parts):
    assert split_at_point(number) == parts


def test_a_column_is_as_wide_as_its_widest_parts(qapp):
    before, after = column_widths(["-12.5", "3.125"], mono())
    assert before == advance("-12", mono())
    assert after == advance(".125", mono())


def test_the_line_of_the_cut_makes_room_above_the_first_bar_that_is_cut(bars):
    bars.show_bars(BARS, ("logit", "probability"), "top-k 2")
    kept_gap = bars.item_rect(1).top() - bars.item_rect(0).bottom()
    cut_gap = bars.item_rect(2).top() - bars.item_rect(1).bottom()
    assert (first_cut(BARS), kept_gap) == (2, 0)
    assert cut_gap > 0


def test_without_a_cut_there_is_no_line(bars):
    bars.show_bars(BARS[:2], ("logit", "probability"), "top-k 5")
    assert bars.item_rect(1).top() == bars.item_rect(0).bottom()


def test_a_bar_says_its_numbers_and_its_state(bars):
    bars.show_bars(BARS, ("logit", "probability"))
    assert bars.item_text(1).splitlines() == [
        "<b>", "logit -1.5", "probability 0.15", "picked", "a tag",
    ]  # fmt: skip
    assert "cannot be picked" in bars.item_text(2)


def test_a_click_tells_which_bar(bars, qtbot):
    bars.show_bars(BARS, ("logit", "probability"), "top-k 2")
    place = bars.item_rect(2).center().toPoint()
    with qtbot.waitSignal(bars.bar_clicked) as caught:
        qtbot.mouseClick(bars.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [2]


@pytest.mark.parametrize("width", [60, 200, 1200])
def test_bars_are_drawn_at_any_width(bars, width):
    bars.show_bars(BARS, ("logit", "probability"), "top-k 2")
    bars.resize(width, 120)
    assert not bars.grab().isNull()
