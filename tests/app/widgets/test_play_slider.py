"""The slider with play: it asks, and stands where it is told to."""

import pytest

from app.widgets.play_slider import PlaySlider


@pytest.fixture
def slider(qtbot):
    slider = PlaySlider("merges")
    qtbot.addWidget(slider)
    slider._timer.setInterval(1)
    slider.show()
    slider.show_position(0, 3)
    return slider


def test_being_told_a_position_asks_for_nothing(slider, qtbot):
    with qtbot.assertNotEmitted(slider.position_requested):
        slider.show_position(2, 3)
    assert slider.position == 2


def test_playing_walks_to_the_last_step_and_stops_there(slider, qtbot):
    asked = []
    slider.position_requested.connect(asked.append)
    slider.position_requested.connect(lambda at: slider.show_position(at, 3))
    slider._play.setChecked(True)
    qtbot.waitUntil(lambda: not slider.is_playing, timeout=2000)
    assert asked == [1, 2, 3]


def test_playing_from_the_end_begins_anew(slider, qtbot):
    slider.show_position(3, 3)
    with qtbot.waitSignal(slider.position_requested) as asked:
        slider._play.setChecked(True)
    assert asked.args == [0]
    slider.stop()


def test_what_is_hidden_plays_no_further(slider):
    slider._play.setChecked(True)
    slider.hide()
    assert not slider.is_playing


def test_without_steps_there_is_nothing_to_play(slider):
    slider.show_position(0, 0)
    assert not slider.isEnabled()
