"""The residual stream: where stations lie, what they say, how high bars are."""

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from app.style.theme import LIGHT
from app.widgets.canvas import NOTHING
from app.widgets.stream import (
    RULER,
    WITH_CROSS,
    StreamRow,
    StreamView,
    band_outline,
    number,
)

ROW = StreamRow("·cat", (1.0, 3.0, 2.0, 4.0), (5.0, 5.5, 6.0, 7.0, 8.0))
LAYERS = ("layer 1", "layer 2")


@pytest.fixture
def stream(qtbot):
    widget = StreamView()
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    widget.show()
    return widget


def test_the_band_is_as_thick_as_the_norm_between_stations():
    assert band_outline([0, 10, 20], [2, 6]) == [
        (0, -1), (10, -1), (10, -3), (20, -3), (20, 3), (10, 3), (10, 1), (0, 1),
    ]  # fmt: skip


def test_a_station_says_what_it_added_and_the_stream_around_it(stream):
    stream.show_rows((ROW,), LAYERS, 8.0)
    assert stream.item_text(3).splitlines() == [
        "·cat", "layer 2: feed-forward adds 4.00", "stream 7.00 → 8.00",
    ]  # fmt: skip


def test_a_layer_of_a_decoder_has_three_stations(stream):
    row = StreamRow("le", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (1.0,) * 7)
    stream.show_rows((row,), LAYERS, 8.0, WITH_CROSS)
    assert stream.item_count() == 6
    assert "layer 2: cross attention adds 5.00" in stream.item_text(4)
    found = [stream.item_at(stream.item_rect(i).center()) for i in range(6)]
    assert found == list(range(6))
    assert not stream.grab().isNull()


def test_a_click_tells_row_and_station(stream, qtbot):
    stream.show_rows((ROW, ROW), LAYERS, 8.0)
    spot = stream.item_rect(4 + 2).center().toPoint()
    with qtbot.waitSignal(stream.station_clicked) as caught:
        qtbot.mouseClick(stream.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [1, 2]


def test_arrows_stay_in_their_row_and_column(stream, qtbot):
    stream.show_rows((ROW, ROW, ROW), LAYERS, 8.0)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(stream, key)
    assert stream.cursor_index == 2 * 4 + 1
    for _ in range(9):
        qtbot.keyClick(stream, Qt.Key.Key_Right)
    assert stream.cursor_index == 2 * 4 + 3


def test_every_slot_holds_its_own_centre_and_the_labels_hold_none(stream):
    stream.show_rows((ROW, ROW), LAYERS, 8.0)
    found = [stream.item_at(stream.item_rect(i).center()) for i in range(8)]
    assert found == list(range(8))
    assert stream.item_at(QPointF(2, stream.item_rect(0).center().y())) == NOTHING


def test_a_bar_of_half_the_limit_is_half_as_high(stream):
    row = StreamRow("a", (8.0, 4.0), (0.0, 0.0, 0.0))
    stream.show_rows((row,), ("layer 1",), 8.0)
    image = stream.grab().toImage()

    def height_of(role, station):
        x = round(stream.item_rect(station).center().x())
        ys = range(
            round(stream.item_rect(0).top()), round(stream.item_rect(0).bottom())
        )
        return sum(image.pixelColor(x, y) == QColor(role) for y in ys)

    above, below = height_of(LIGHT.pattern, 0), height_of(LIGHT.feed_forward, 1)
    assert above == pytest.approx(2 * below, abs=2)
    assert stream.ruler == pytest.approx(8.0 * RULER / above, rel=0.05)


def test_a_selected_station_far_below_is_scrolled_into_sight(stream):
    stream.show_rows((ROW,) * 300, LAYERS, 8.0)
    stream.set_selected(250, 1)
    box, start = stream.item_rect(250 * 4), stream.verticalScrollBar().value()
    assert start < box.top()
    assert box.bottom() < start + stream.viewport().height()


@pytest.mark.parametrize("rows", [(), (ROW,), (ROW,) * 300])
def test_any_number_of_rows_is_drawn(stream, rows):
    stream.show_rows(rows, LAYERS, 0.0)
    stream.set_selected(None, None)
    assert not stream.grab().isNull()


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (3.456, "3.46"), (123.45, "123.5"), (17471.9, "17,472")],
)
def test_a_length_has_about_four_digits(value, text):
    assert number(value) == text
