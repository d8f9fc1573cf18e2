"""The bar shows the colours of its scale and writes the range beside it."""

import pytest

from app.style.theme import LIGHT
from app.widgets.colour_bar import HALF_WIDTH, LEAST_HALF, ColourBar
from core.trace.matrix import Scale


@pytest.fixture
def bar(qtbot):
    widget = ColourBar()
    qtbot.addWidget(widget)
    return widget


def colours_along(bar):
    bar.resize(bar.sizeHint())
    return strip_of(bar)


def strip_of(bar):
    picture = bar.grab().toImage()
    middle = picture.height() // 2
    return [picture.pixelColor(x, middle).name() for x in range(picture.width())]


@pytest.mark.parametrize(
    ("scale", "text"),
    [
        (Scale("share", 1.0), "0 … 1"),
        (Scale("share", 0.0312), "0 … 0.0312"),
        (Scale("signed", 4.234), "−4.23 … 0 … +4.23"),
    ],
)
def test_the_range_is_written(bar, scale, text):
    bar.show_scale(scale, "pattern")
    assert bar.text() == text


def test_a_share_bar_ends_in_its_colour(bar):
    bar.show_scale(Scale("share", 1.0), "pattern")
    assert LIGHT.pattern.lower() in colours_along(bar)


def test_a_signed_bar_has_both_colours_negative_first(bar):
    bar.show_scale(Scale("signed", 1.0), "query")
    seen = colours_along(bar)
    negative, positive = LIGHT.opposite("query").lower(), LIGHT.query.lower()
    assert seen.index(negative) < seen.index(positive)


def test_without_a_scale_nothing_is_painted(bar):
    bar.show_scale(None, "pattern")
    assert bar.text() == ""
    bar.grab()


def test_a_logarithmic_bar_tells_its_least_its_middle_and_its_limit(bar):
    bar.show_scale(Scale("share", 1.0, is_log=True), "pattern")
    assert bar.text() == "0.0001 … 0.01 … 1"


def test_in_little_room_the_bar_is_shorter_and_every_number_whole(bar):
    bar.show_scale(Scale("signed", 4.234), "query")
    shorter = bar.sizeHint().width() - bar.minimumSizeHint().width()
    assert shorter == 2 * (HALF_WIDTH - LEAST_HALF)
    bar.resize(bar.minimumSizeHint())
    assert LIGHT.query.lower() in strip_of(bar)
