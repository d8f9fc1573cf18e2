import pytest

from app.actions import make_actions
from app.frame.step_slider import StepSlider
from app.frame.stepper import Stepper, check_text, check_tip
from core.config import ModelConfig
from core.trace.steps import steps_for
from core.trace.views.check import Check


@pytest.fixture
def stepper(qtbot, empty_session):
    stepper = Stepper(empty_session, play_pause_ms=5)
    qtbot.addWidget(stepper)
    actions = make_actions(stepper)
    actions["step.next"].triggered.connect(empty_session.next_step)
    actions["step.previous"].triggered.connect(empty_session.previous_step)
    actions["layer.next"].triggered.connect(empty_session.next_layer)
    stepper.use_actions(actions)
    stepper.resize(1280, 46)
    stepper.show()
    empty_session.open()
    empty_session.read("the cat sat")
    return stepper


def test_the_place_among_all_steps_is_told(stepper, empty_session):
    n_steps = len(empty_session.trace.keys)
    assert stepper.place.text() == f"step 1 of {n_steps}"
    empty_session.go_to("output.pick")
    assert stepper.place.text() == f"step {n_steps} of {n_steps}"
    assert stepper.slider.value() == n_steps - 1


def test_the_slider_goes_to_a_step_and_has_a_tick_for_each_layer(
    stepper, empty_session
):
    stepper.slider.setValue(5)
    keys = empty_session.trace.keys
    assert empty_session.selection.step == keys[5]
    firsts = [keys[place] for place in stepper.slider.ticks]
    assert firsts == ["layers.0.resid_in", "layers.1.resid_in"]


def test_next_and_back_step_and_are_off_where_there_is_no_way(stepper, empty_session):
    assert not stepper.previous.isEnabled()
    stepper.next.click()
    assert empty_session.selection.step == "tokens.merges"
    stepper.previous.click()
    assert empty_session.selection.step == "tokens.pieces"


def test_at_the_last_step_next_is_called_append(stepper, empty_session):
    assert stepper.next.text() == "Next"
    empty_session.go_to("output.pick")
    assert stepper.next.text() == "Append"


def test_playing_walks_to_the_end_and_stops_without_appending(
    stepper, empty_session, qtbot
):
    empty_session.go_to("output.logits")
    stepper.play.click()
    assert stepper.is_playing
    assert stepper.play.text() == "Pause"
    qtbot.waitUntil(lambda: not stepper.is_playing)
    assert empty_session.selection.step == "output.pick"
    assert empty_session.text == "the cat sat"
    assert stepper.play.text() == "Play"


def test_playing_can_be_paused(stepper, empty_session):
    stepper.play.click()
    stepper.play.click()
    assert not stepper.is_playing


def test_the_check_is_made_once_the_reader_rests(stepper, empty_session, qtbot):
    empty_session.go_to("layers.0.attn.scores")
    assert stepper.check.text() == ""
    qtbot.waitUntil(lambda: bool(stepper.check.text()))
    assert stepper.check.text().startswith("checked: largest difference")


def test_a_difference_of_zero_is_said_only_of_equal_numbers():
    assert check_text(Check(0.0, 9, True)).endswith("difference 0")
    assert check_text(Check(3e-8, 9, True)).endswith("difference 3e−08")


def test_the_tip_says_whether_the_pass_kept_what_is_compared():
    assert "pass kept" in check_tip(Check(0.0, 9, True))
    assert "follows from what the pass kept" in check_tip(Check(0.0, 9, False))


def test_device_and_time_of_the_trace_are_told(stepper, empty_session):
    assert stepper.timing.text() == "CPU · 1.5 ms"


def test_before_a_model_is_open_nothing_can_be_stepped(qtbot, empty_session):
    stepper = Stepper(empty_session, play_pause_ms=5)
    qtbot.addWidget(stepper)
    for widget in (stepper.next, stepper.previous, stepper.play, stepper.slider):
        assert not widget.isEnabled()


def test_of_two_sides_a_tick_says_whose_layer_begins(qtbot):
    slider = StepSlider()
    qtbot.addWidget(slider)
    steps = steps_for(ModelConfig(n_layers=2, n_encoder_layers=3))
    slider.show_steps(steps)
    assert list(slider.ticks.values()) == ["E1", "E2", "E3", "D1", "D2"]
    firsts = [steps[place].key for place in slider.ticks]
    assert firsts[0] == "encoder.layers.0.resid_in"
    assert firsts[-1] == "decoder.layers.1.resid_in"
