"""The monitor page: what it shows of a run, and what its buttons ask for."""

from pathlib import Path

import numpy as np
import pytest

from app.dialogs.training import monitor_head
from app.dialogs.training.monitor import TWO_COLUMNS, Monitor
from app.dialogs.training.monitor_close import discard_question
from app.dialogs.training.monitor_export import with_ending
from app.dialogs.training.monitor_head import STATES
from app.settings import ON_CLOSE, Settings
from app.workers.curve_files import WRITERS
from app.workers.run_control import RunControl
from app.workers.run_states import WISHES, State
from core.files import held_alone
from core.training.control import CONTROL_FILE
from core.training.events import (
    Evaluated,
    EventLog,
    HeadsScored,
    Probed,
    Sampled,
    Saved,
    Stopped,
    Warned,
)
from tests.helpers.runs import write_run
from tests.helpers.told import started, stepped

WAIT_MS = 10_000
TOKENS = ["The", " cat", " sat"]


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path / "cats")


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def page(qtbot, settings):
    control = RunControl()
    page = Monitor(control, settings)
    qtbot.addWidget(page)
    page.resize(1100, 720)
    page.show()
    yield page
    control.keep_running(True)
    control.detach()


@pytest.fixture
def live(run):
    """The run, with somebody at work on it."""
    with held_alone(run / "lock"):
        yield run


def tell(folder, *events):
    log = EventLog(folder)
    for event in events:
        log.write(event)
    log.close()


def a_look(folder, step, share=1.0):
    """The events of one look at sentence and heads."""
    patterns = np.zeros((1, 2, 3, 3), np.float16)
    patterns[0, 1] = np.tril(np.full((3, 3), share))
    (folder / "probes").mkdir(exist_ok=True)
    file = f"probes/step-{step:08d}.npy"
    np.save(folder / file, patterns)
    return (
        Probed(
            step=step,
            tokens=TOKENS,
            top=[" on", "."],
            probabilities=[0.75, 0.25],
            file=file,
        ),
        HeadsScored(step=step, previous=[[0.9, 0.1]], induction=[[0.0, 0.2]]),
    )


def show(qtbot, page, folder, state):
    page.control.attach(folder)
    words = STATES[state].words
    qtbot.waitUntil(lambda: page.head.state.text() == words, timeout=WAIT_MS)
    page._show_record()


def test_a_run_is_told_from_its_first_event_on(qtbot, page, live):
    tell(
        live,
        started(n_steps=100),
        *map(stepped, range(1, 51)),
        Evaluated(step=50, train_loss=1.5, valid_loss=2.25, perplexity=9),
        Sampled(step=50, prompt="A", text=" cat"),
        *a_look(live, 50),
    )
    show(qtbot, page, live, "running")
    assert page.head.name.text == "cats"
    assert page.head.state.text() == "running"
    assert "step 50 of 100" in page.head.figures.text
    assert "best tested loss 2.250 at step 50" in page.head.figures.text
    assert page.head.progress.value() == 500
    names = [each.name for each in page.loss.plot.series]
    assert names == ["each step", "training", "validation"]
    assert len(page.loss.plot.series[0].x) == 50
    assert page.samples.texts.toPlainText() == "step 50\nA cat"
    assert "Previous token: layer 1 head 1 (0.90, since step 50)." in page.figures.note
    assert page.probe.heading.text() == "what it expects at step 50"


def test_the_line_of_a_model_that_knows_nothing_is_drawn(qtbot, page, live):
    tell(live, started(), stepped(1))
    show(qtbot, page, live, "running")
    assert page.loss.plot._levels[0].y == pytest.approx(np.log(3))


def test_a_loss_that_is_not_a_number_stays_off_the_scale(qtbot, page, live):
    tell(live, started(), stepped(1), stepped(2, loss=float("nan")), stepped(3))
    show(qtbot, page, live, "running")
    assert page.loss.plot.series[0].x.tolist() == [1, 3]


def test_a_text_with_nothing_to_learn_is_said_so_and_draws(qtbot, page, live):
    tell(live, started(), stepped(1, loss=0.0), stepped(2, loss=0.0))
    show(qtbot, page, live, "running")
    assert "nothing to learn" in page.loss.note
    assert not page.loss.plot.grab().isNull()


def test_pause_answers_at_once_and_asks_once(qtbot, page, live):
    tell(live, started())
    show(qtbot, page, live, "running")
    page.head.pause.click()
    assert page.head.state.text() == "pausing after this step…"
    assert (live / CONTROL_FILE).read_text() == "pause"


def test_stop_answers_at_once(qtbot, page, live):
    tell(live, started())
    show(qtbot, page, live, "running")
    page.head.keep.trigger()
    assert "with a checkpoint" in page.head.state.text()
    assert not page.head.stop.isEnabled()
    assert (live / CONTROL_FILE).read_text() == "stop"


def test_discarding_is_asked_back(qtbot, page, run, monkeypatch):
    asked = []
    monkeypatch.setattr(page.control, "stop_and_discard", lambda: asked.append(1))
    tell(run, started(), Stopped(step=3, message="Stopped."))
    show(qtbot, page, run, "stopped")
    page.head.discard.trigger()
    assert page.ask_discard.isVisible()
    assert "cats, with nothing saved" in page.ask_discard.question.text()
    page.ask_discard.buttons["cancel"].click()
    assert asked == []
    page.head.discard.trigger()
    page.ask_discard.buttons["discard"].click()
    assert asked == [1]
    assert page.ask_discard.isHidden()


def test_a_warning_is_a_line_until_it_is_closed(qtbot, page, live):
    tell(live, started(), Warned(step=4, kind="stuck", message="It is stuck."))
    show(qtbot, page, live, "running")
    qtbot.waitUntil(lambda: page.words.sentence == "Step 4: It is stuck.")
    page.words._on_close_clicked()
    page._show_record()
    assert page.words.sentence == ""


def test_a_crash_is_told_and_offers_to_go_on(qtbot, page, run):
    tell(run, started(), stepped(1))
    show(qtbot, page, run, "crashed")
    assert "ended unexpectedly" in page.words.sentence
    assert page.head.pause.text() == "Go on"


def test_best_and_newest_checkpoint_are_offered(qtbot, page, run):
    for step, loss in ((1, 2.0), (2, 3.0)):
        (run / f"c{step}").mkdir()
        tell(
            run,
            Evaluated(step=step, train_loss=9, valid_loss=loss, perplexity=1),
            Saved(step=step, folder=f"c{step}"),
        )
    tell(run, Stopped(step=2, message=""))
    show(qtbot, page, run, "stopped")
    page.head._offer_checkpoints()
    actions = page.head.open.menu().actions()
    assert [action.text() for action in actions] == [
        "The newest: step 2, loss 3.000",
        "The best: step 1, loss 2.000",
    ]
    with qtbot.waitSignal(page.open_requested) as told:
        page.head._checkpoints.triggered.emit(actions[1])
    assert told.args == [run / "c1"]


def test_going_further_is_asked_for_with_the_run(qtbot, page, run):
    tell(run, Stopped(step=2, message=""))
    show(qtbot, page, run, "stopped")
    actions = page.head.more.menu().actions()[:2]
    for action, signal in zip(
        actions, (page.continue_requested, page.new_run_requested), strict=True
    ):
        with qtbot.waitSignal(signal) as told:
            action.trigger()
        assert told.args == [run]


# The sentence.


def test_the_slider_goes_back_in_time_and_new_looks_do_not_pull_it_on(
    qtbot, page, live
):
    tell(live, started(), *a_look(live, 10, 0.5), *a_look(live, 20, 0.25))
    show(qtbot, page, live, "running")
    probe = page.probe
    choose_head(probe, 1)
    assert probe.map.matrix.values[1, 0] == 0.25
    probe.slider.position_requested.emit(1)
    assert probe.heading.text() == "what it expects at step 10"
    assert probe.map.matrix.values[1, 0] == 0.5
    tell(live, *a_look(live, 30))
    qtbot.waitUntil(lambda: len(probe._probes) == 3, timeout=WAIT_MS)
    assert probe.heading.text() == "what it expects at step 10"


def choose_head(probe, place):
    """As a person does, by the list."""
    probe.heads.setCurrentIndex(place)
    probe.heads.activated.emit(place)


def scored(step, previous, induction):
    return HeadsScored(step=step, previous=[previous], induction=[induction])


def test_the_head_that_has_taken_its_part_best_is_shown_and_says_why(qtbot, page, live):
    tell(live, started(), a_look(live, 10)[0], scored(10, [0.1, 0.5], [0.2, 0.3]))
    show(qtbot, page, live, "running")
    heads = page.probe.heads
    assert heads.currentText() == "layer 1, head 1"  # none has
    tell(live, a_look(live, 20)[0], scored(20, [0.6, 0.1], [0.0, 0.62]))
    qtbot.waitUntil(lambda: heads.currentIndex() == 1, timeout=WAIT_MS)
    assert heads.currentText() == "layer 1, head 2 · induction 0.62"
    assert heads.itemText(0) == "layer 1, head 1 · previous token 0.60"
    assert page.probe.map.matrix.values[1, 0] == 1


def test_the_title_keeps_its_letters_beside_a_long_choice_of_heads(qtbot, page, live):
    tell(live, started(), *a_look(live, 10), scored(10, [0.6, 0.1], [0.0, 0.62]))
    page.resize(970, 700)
    show(qtbot, page, live, "running")
    qtbot.waitUntil(page.probe.heads.isVisible, timeout=WAIT_MS)
    title = page.probe._title
    assert title.width() >= title.fontMetrics().horizontalAdvance(title.text)


def test_the_head_that_a_person_chose_stays(qtbot, page, live):
    tell(live, started(), *a_look(live, 10))
    show(qtbot, page, live, "running")
    choose_head(page.probe, 1)
    tell(live, *a_look(live, 20))
    qtbot.waitUntil(lambda: len(page.probe._probes) == 2, timeout=WAIT_MS)
    assert page.probe.heads.currentIndex() == 1


# Heads.


@pytest.mark.parametrize("place", range(3))
def test_every_figure_is_drawn(qtbot, page, live, place):
    tell(live, started(), stepped(1), stepped(2), *a_look(live, 2))
    show(qtbot, page, live, "running")
    page.figures.segments.choose(place)
    assert any(len(each.x) for each in page.figures.plot.series)


def test_the_answer_can_be_changed_in_a_menu(qtbot, page, live, settings):
    tell(live, started())
    show(qtbot, page, live, "running")
    settings.write(ON_CLOSE, "stop")
    menu = page._close_menu
    menu.aboutToShow.emit()
    assert [a.data() for a in menu.actions() if a.isChecked()] == ["stop"]
    with qtbot.waitSignal(page.close_chosen) as told:
        menu.actions()[1].trigger()
    assert settings.read(ON_CLOSE) == "keep"
    assert told.args == ["keep"]


# Tables and files.


def test_every_state_of_a_run_has_its_look():
    assert set(STATES) == set(State.__args__)
    assert set(WISHES.values()) < set(STATES)


@pytest.mark.parametrize("state", STATES)
def test_every_state_can_be_shown(page, state):
    page.head.show_state(state)
    assert page.head.state.text() == STATES[state].words


@pytest.mark.parametrize("ending", WRITERS)
def test_the_curve_is_exported_by_the_ending(qtbot, page, live, tmp_path, ending):
    tell(live, started(), *map(stepped, range(1, 9)))
    show(qtbot, page, live, "running")
    path = tmp_path / f"curve{ending}"
    page.loss.export(path)
    assert not page.loss._export_button.isEnabled()
    qtbot.waitUntil(page.loss._export_button.isEnabled, timeout=WAIT_MS)
    starts = {".png": b"\x89PNG", ".svg": b"<svg", ".csv": b"step,"}
    assert path.read_bytes().startswith(starts[ending])


def test_a_curve_that_cannot_be_written_is_told(qtbot, page, live, tmp_path):
    tell(live, started())
    show(qtbot, page, live, "running")
    page.loss.export(tmp_path / "gone" / "curve.svg")
    qtbot.waitUntil(page.loss._export_button.isEnabled, timeout=WAIT_MS)
    assert "could not be written" in page.words.sentence


def test_a_name_gets_the_ending_that_was_chosen():
    assert with_ending(Path("a"), "Table (*.csv)") == Path("a.csv")
    assert with_ending(Path("a.SVG"), "Table (*.csv)") == Path("a.SVG")


def test_the_question_counts_what_would_be_lost():
    assert discard_question("cats", 1) == (
        "Move the run cats, with its checkpoint, to the trash?"
    )
    assert "its 3 checkpoints" in discard_question("cats", 3)


def test_a_narrow_page_has_one_column(page):
    page.resize(TWO_COLUMNS - 50, 600)
    direction = page._columns.direction()
    page.resize(TWO_COLUMNS + 50, 600)
    assert page._columns.direction() != direction


def test_checkpoint_words_leave_out_what_was_not_tested(tmp_path):
    words = monitor_head.checkpoint_words(monitor_head.Checkpoint(1200, tmp_path, None))
    assert words == "step 1,200"
