"""The cumulative bar: into which token a draw falls."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.widgets.canvas import NOTHING
from app.widgets.cumulative_bar import CumulativeBar, Segment, segment_at


@pytest.fixture
def bar(qtbot):
    widget = CumulativeBar()
    qtbot.addWidget(widget)
    widget.resize(402, widget.height())
    widget.show()
    return widget


@pytest.mark.parametrize(
    ("draw", "index"), [(0.0, 0), (0.49, 0), (0.5, 1), (0.74, 1), (0.75, 2), (0.99, 2)]
)
def test_a_draw_falls_into_the_first_sum_above_it(draw, index):
    assert segment_at((0.5, 0.25, 0.25), draw) == index


def test_draws_fall_where_numpy_finds_them():
    shares = np.random.default_rng(0).dirichlet(np.ones(30))
    sums = np.cumsum(shares)
    for draw in np.linspace(0, 0.999, 50):
        assert segment_at(tuple(shares), draw) == np.searchsorted(sums, draw, "right")


def test_a_draw_beyond_the_shares_falls_into_the_rest(bar):
    bar.show_segments((Segment("a", 0.5),), 0.7)
    assert bar.drawn_index == NOTHING
    bar.grab()


def test_segments_lie_end_to_end_in_proportion(bar):
    bar.show_segments((Segment("a", 0.5), Segment("b", 0.25)), None)
    first, second = bar.item_rect(0), bar.item_rect(1)
    assert (first.width(), second.width()) == (200, 100)
    assert second.left() == first.right()


def test_a_segment_says_from_where_to_where_it_reaches(bar):
    bar.show_segments((Segment("a", 0.5), Segment("b", 0.25)), 0.6)
    assert "from 0.5000 to 0.7500" in bar.item_text(1)
    assert "the draw falls here" in bar.item_text(1)
    assert "the draw falls here" not in bar.item_text(0)


def test_a_click_tells_which_segment(bar, qtbot):
    bar.show_segments((Segment("a", 0.5), Segment("b", 0.5)), 0.6)
    place = bar.item_rect(1).center().toPoint()
    with qtbot.waitSignal(bar.segment_clicked) as caught:
        qtbot.mouseClick(bar.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [1]
