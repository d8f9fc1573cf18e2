"""Several runs side by side in the studio: each watched, steered and left by itself."""

import pytest

from app.dialogs.training.monitor_close import close_question
from app.dialogs.training.setup import DATA
from app.dialogs.training.start_page import sharing_words
from app.dialogs.training.studio import RUN, Studio
from app.settings import ON_CLOSE, RUNS, Settings
from app.workers.runner import stop_runners
from core.training.control import CONTROL_FILE
from tests.helpers.runs import write_run

WAIT_MS = 20_000
STAND_IN = ("-m", "tests.helpers.stand_in_trainer")


@pytest.fixture
def runs(tmp_path):
    return [write_run(tmp_path / name) for name in ("cats", "dogs")]


@pytest.fixture
def studio(qtbot, tmp_path, monkeypatch):
    """A studio whose runs are at work until they are stopped."""
    settings = Settings()
    settings.write(RUNS, str(tmp_path))
    made = Studio(settings)
    monkeypatch.setattr(made.runs, "_program", STAND_IN)

    def stop_all(_: Studio) -> None:
        for page in made.runs.pages:
            page.control.stop()
        qtbot.waitUntil(lambda: not made.runs.at_work, timeout=WAIT_MS)
        made.runs.detach()
        made.setup.rest()

    qtbot.addWidget(made, before_close_func=stop_all)
    made.show()
    yield made
    stop_runners(WAIT_MS)


def state_of(studio, run):
    place = studio.runs.folders.index(run)
    return studio.runs.pages[place].control.state


def start(qtbot, studio, run):
    studio.start_run(run)
    qtbot.waitUntil(lambda: state_of(studio, run) == "running", timeout=WAIT_MS)


def start_both(qtbot, studio, runs):
    for run in runs:
        start(qtbot, studio, run)


def test_while_a_run_goes_on_another_is_set_up_and_started(qtbot, studio, runs):
    start(qtbot, studio, runs[0])
    assert studio.shows_run
    assert not studio.choice.isVisible()
    studio.new_run.click()
    assert studio.steps.checkedId() == DATA
    assert "training" not in studio.setup.obstacle
    assert not studio.new_run.isVisible()
    start(qtbot, studio, runs[1])
    assert state_of(studio, runs[0]) == "running"
    assert studio.runs.at_work == tuple(runs)


def test_the_runs_at_work_are_listed_and_turned_to(qtbot, studio, runs):
    start_both(qtbot, studio, runs)
    choice = studio.choice
    assert choice.isVisible()
    texts = [choice.itemText(place) for place in range(choice.count())]
    assert texts == ["cats · running", "dogs · running"]
    assert choice.currentIndex() == 1
    choice.activated.emit(0)
    assert studio.runs.shown.control.folder == runs[0]
    assert choice.currentIndex() == 0


def test_each_run_has_its_own_control_and_leash(qtbot, studio, runs):
    start_both(qtbot, studio, runs)
    first, second = (page.control for page in studio.runs.pages)
    assert first._leash is not second._leash
    assert None not in (first._leash, second._leash)
    studio.runs.shown.head.pause.click()
    qtbot.waitUntil(lambda: second.state == "paused", timeout=WAIT_MS)
    assert first.state == "running"


def test_a_run_that_has_ended_leaves_when_another_is_opened(qtbot, studio, runs):
    start(qtbot, studio, runs[0])
    studio.runs.shown.control.stop()
    qtbot.waitUntil(lambda: not studio.runs.at_work, timeout=WAIT_MS)
    studio.show_run(runs[1])
    assert studio.runs.folders == (runs[1],)


def test_a_run_that_is_gone_gives_way_to_the_setup(qtbot, studio, runs):
    studio.show_run(runs[0])
    assert studio.steps.button(RUN).isVisible()
    studio.runs.shown.control.discarded.emit(runs[0])
    assert not studio.shows_run
    assert not studio.steps.button(RUN).isVisible()


@pytest.mark.parametrize("answer", ["keep", "stop"])
def test_closing_asks_once_for_all_runs_at_work(qtbot, studio, runs, answer):
    start_both(qtbot, studio, runs)
    studio.new_run.click()
    assert not studio.close()
    assert studio.ask_close.isVisible()
    assert studio.ask_close.question.text() == close_question(["cats", "dogs"])
    studio.ask_close.buttons[answer].click()
    assert not studio.isVisible()
    assert Settings().read(ON_CLOSE) == answer
    controls = [page.control for page in studio.runs.pages]
    assert [each.keeps_running for each in controls] == [answer == "keep"] * 2
    if answer == "stop":
        qtbot.waitUntil(lambda: not studio.runs.at_work, timeout=WAIT_MS)


def test_closing_can_be_taken_back_and_nothing_is_remembered(qtbot, studio, runs):
    start(qtbot, studio, runs[0])
    assert not studio.close()
    studio.ask_close.buttons["cancel"].click()
    assert studio.isVisible()
    assert Settings().read(ON_CLOSE) == "ask"
    assert not (runs[0] / CONTROL_FILE).exists()
    Settings().write(ON_CLOSE, "stop")
    assert studio.close()  # the answer is known: nobody is asked


def test_a_run_that_was_started_elsewhere_does_not_hold_the_window(qtbot, studio, runs):
    start(qtbot, studio, runs[0])
    studio.runs.shown.control.keep_running(True)
    assert studio.may_close()
    assert not studio.ask_close.isVisible()


def test_what_the_menu_says_holds_for_every_run(qtbot, studio, runs):
    start_both(qtbot, studio, runs)
    studio.runs.pages[0].close_chosen.emit("keep")
    assert studio.runs.held == ()


def test_a_renamed_run_is_watched_under_its_new_name(qtbot, studio, runs):
    studio.show_run(runs[0])
    renamed = runs[0].rename(runs[0].with_name("lions"))
    studio.runs.rename(runs[0], renamed)
    assert studio.runs.folders == (renamed,)
    page = studio.runs.shown
    assert page.control.folder == renamed
    qtbot.waitUntil(lambda: page.head.name.text == "lions", timeout=WAIT_MS)


def test_the_question_names_every_run():
    assert close_question(["cats"]).startswith("“cats” is not done.")
    three = close_question(["cats", "dogs", "owls"])
    assert three.startswith("“cats”, “dogs” and “owls” are not done.")


def test_who_shares_the_machine_is_said_before_the_start():
    assert sharing_words([]) == ""
    assert sharing_words(["cats"]).startswith("“cats” is training")
    assert sharing_words(["cats", "dogs"]).startswith("“cats” and 1 more are training")
