"""The histogram: true counts, nothing too small to be seen, marks where values are."""

import numpy as np
import pytest

from app.widgets.histogram import LEAST_HEIGHT, Histogram, Mark

EDGES = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])
COUNTS = np.array([1, 0, 5000, 40])


@pytest.fixture
def chart(qtbot):
    widget = Histogram("Logits")
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    widget.show()
    widget.show_counts(EDGES, COUNTS, (Mark(2.5, "·cat"),), "tokens")
    return widget


def test_each_bin_says_its_range_and_its_count(chart):
    assert chart.item_count() == 4
    assert chart.item_text(2) == "1 to 2\ntokens: 5,000"
    assert chart.item_text(0).endswith("tokens: 1")


def test_bins_lie_side_by_side_over_the_axis(chart):
    boxes = [chart.item_rect(index) for index in range(4)]
    assert [box.left() for box in boxes[1:]] == pytest.approx(
        [box.right() for box in boxes[:-1]]
    )
    assert boxes[3].center().x() == pytest.approx(chart._x(2.5))


def test_a_bin_with_one_value_can_be_seen_and_an_empty_one_cannot(chart):
    image = chart.grab().toImage()
    ground = image.pixelColor(5, 5)

    def is_painted(index):
        box = chart.item_rect(index)
        x, y = int(box.center().x()), int(box.bottom() - LEAST_HEIGHT / 2)
        return image.pixelColor(x, y) != ground

    assert [is_painted(index) for index in range(4)] == [True, False, True, True]


def test_one_value_is_enough(chart):
    chart.show_counts(np.array([-0.5, 0.5]), np.array([3]), (Mark(0.0, "a"),))
    assert not chart.grab().isNull()


def test_a_cleared_chart_says_why(chart):
    chart.set_message("not a number")
    chart.clear()
    assert chart.item_count() == 0
    assert not chart.grab().isNull()


@pytest.mark.parametrize("width", [60, 1500])
def test_it_is_drawn_at_any_width(chart, width):
    chart.resize(width, 120)
    assert not chart.grab().isNull()
