"""The time bar, over a real run of five checkpoints and a session with its threads."""

from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from app.frame.recent import name_in
from app.settings import RECENT_MODELS, Settings
from core.bundle import open_bundle
from core.pipeline import run_trace
from core.training.runs import run_info
from tests.helpers.bundles import save_tiny
from tests.helpers.desk import Desk
from tests.helpers.runs import trained_run

SENTENCE = "the cat sat"
WAIT_MS = 20_000


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return trained_run(tmp_path_factory.mktemp("runs") / "small run", n_steps=7)


@pytest.fixture
def desk(qtbot, qapp, run):
    """The third of five checkpoints open, a sentence traced with it."""
    desk = Desk(qtbot, run / "checkpoints" / "step-00000004")
    desk.read(SENTENCE)
    qtbot.waitUntil(lambda: desk.session.timeline is not None, timeout=WAIT_MS)
    yield desk
    desk.close()


def wait_for(desk, step, run="small run"):
    """Wait until the sentence is shown with a checkpoint's weights."""
    name = f"{run}, step {step}"
    desk.qtbot.waitUntil(lambda: desk.session.model.name == name, timeout=WAIT_MS)
    desk.wait()


def test_a_checkpoint_brings_the_bar_with_its_step_and_loss(desk):
    bar = desk.bench.time
    assert bar.isVisible()
    assert "The 5 checkpoints of small run." in bar.toolTip()
    assert "validation text" in bar.toolTip()
    assert (bar.slider.value(), bar.slider.maximum()) == (2, 4)
    loss = desk.session.timeline.moments[2].loss
    assert bar.words.text() == f"step 4 of 7 · tested loss {loss:.2f}"


@pytest.mark.qt_log_ignore("does not support raise", extend=True)
def test_an_open_checkpoint_goes_with_its_run_to_a_new_name(qtbot, qapp, run, tmp_path):
    own = copytree(run, tmp_path / "small run")
    desk = Desk(qtbot, own / "checkpoints" / "step-00000004")
    try:
        desk.read(SENTENCE)
        runs = desk.bench.runs.open_runs()
        runs.add_folder(own)
        runs.list.rename_requested.emit(run_info(own), "great run")
        wait_for(desk, 4, "great run")
        assert desk.shell.windowTitle().startswith("great run, step 4")
        timeline_is_there = lambda: desk.session.timeline is not None  # noqa: E731
        qtbot.waitUntil(timeline_is_there, timeout=WAIT_MS)
        assert desk.session.timeline.name == "great run"
        newest = Settings().read(RECENT_MODELS)[0]
        assert Path(newest) == tmp_path / "great run/checkpoints/step-00000004"
        assert name_in(Path(newest)) == "great run, step 4"
        desk.bench.time.slider.setValue(0)
        wait_for(desk, 0, "great run")
    finally:
        desk.close()


def test_a_model_of_no_run_has_no_bar(desk, qtbot, tmp_path):
    desk.session.open_model(save_tiny(tmp_path / "tiny"))
    qtbot.waitUntil(lambda: desk.session.model.name == "tiny", timeout=WAIT_MS)
    desk.wait()
    assert not desk.bench.time.isVisible()
    assert not desk.bench.actions_by_id["time.play"].isEnabled()


def test_moving_shows_the_same_place_with_the_checkpoints_weights(desk, run):
    desk.session.go_to("layers.0.attn.pattern")
    chosen = desk.session.selection
    desk.bench.time.slider.setValue(4)
    wait_for(desk, 7)
    assert desk.session.selection == chosen
    assert desk.session.text == SENTENCE
    alone = run_trace(open_bundle(run / "checkpoints" / "step-00000007"), SENTENCE)
    for key in ("layers.0.attn.pattern", "output.logits"):
        np.testing.assert_array_equal(desk.session.trace[key], alone[key])
    assert "step 7 of 7" in desk.bench.time.words.text()
    assert desk.shell.windowTitle().startswith("small run, step 7")


def test_while_dragging_the_newest_wish_wins(desk):
    names = []
    desk.session.model_changed.connect(lambda card: names.append(card.name))
    for place in (1, 2, 3, 4, 3, 1):
        desk.bench.time.slider.setValue(place)
    assert "step 2 of 7" in desk.bench.time.words.text()  # the words run ahead
    wait_for(desk, 2)
    assert len(names) <= 2
    assert desk.bench.time.slider.value() == 1


def test_each_trace_comes_with_its_own_model(desk):
    pairs = []
    desk.session.scene_changed.connect(lambda scene: pairs.append(scene.trace))
    desk.bench.time.slider.setValue(3)
    wait_for(desk, 6)
    assert len(pairs) == 1  # nothing is drawn twice on the way


def test_typing_while_a_checkpoint_opens_ends_with_the_new_text(desk):
    desk.bench.time.slider.setValue(1)
    desk.paste("the dog")
    wait_for(desk, 2)
    assert desk.session.trace.text == "the dog"


def test_earlier_and_later_stop_at_the_ends(desk):
    actions = desk.bench.actions_by_id
    actions["time.previous"].trigger()
    wait_for(desk, 2)
    actions["time.previous"].trigger()
    wait_for(desk, 0)  # before any learning
    assert not actions["time.previous"].isEnabled()
    actions["time.next"].trigger()
    wait_for(desk, 2)
    assert actions["time.previous"].isEnabled()


def test_playing_goes_through_all_later_checkpoints_and_stops(desk, qtbot):
    names = []
    desk.session.model_changed.connect(lambda card: names.append(card.name))
    bar, play = desk.bench.time, desk.bench.actions_by_id["time.play"]
    bar._clock.setInterval(1)
    play.trigger()
    qtbot.waitUntil(lambda: not bar.is_playing, timeout=WAIT_MS)
    assert names == ["small run, step 6", "small run, step 7"]
    play.trigger()  # from the end it begins anew
    wait_for(desk, 0)
    play.trigger()
    assert not bar.is_playing


def test_new_checkpoints_appear_while_the_run_goes_on(desk, qtbot, run):
    from shutil import copytree, rmtree

    desk.session._watch._timer.setInterval(1)
    desk.session._watch._timer.start()
    new = run / "checkpoints" / "step-00000009"
    copytree(run / "checkpoints" / "step-00000007", new)
    slider = desk.bench.time.slider
    qtbot.waitUntil(lambda: slider.maximum() == 5, timeout=WAIT_MS)
    rmtree(new)
    qtbot.waitUntil(lambda: slider.maximum() == 4, timeout=WAIT_MS)
    assert slider.value() == 2


def test_a_checkpoint_that_is_gone_leaves_what_is_shown(desk, qtbot, run):
    gone = run / "checkpoints" / "step-00000006"
    hidden = gone.rename(run / "hidden")
    with qtbot.waitSignal(desk.session.failed, timeout=WAIT_MS):
        desk.bench.time.slider.setValue(3)
    hidden.rename(gone)
    assert desk.session.model.name == "small run, step 4"
    assert desk.bench.time.slider.value() == 2


def test_the_menu_of_models_has_a_run_once(desk, qtbot):
    desk.bench.time.slider.setValue(4)
    wait_for(desk, 7)
    folders = desk.bench.sentence._recent.folders
    assert [f.name for f in folders if f.parent.name == "checkpoints"] == [
        "step-00000007"
    ]
