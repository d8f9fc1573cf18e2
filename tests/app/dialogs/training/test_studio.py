"""The studio around its pages: one window for setting up and for watching runs."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.dialogs.training.longer import lengthen
from app.dialogs.training.place import runs_folder
from app.dialogs.training.setup import BEGIN, DATA, MODEL
from app.dialogs.training.studio import LEAST_SIZE, RUN, Studio
from app.settings import RUNS, Settings
from app.style.contrast import contrast
from app.style.theme import DARK, LIGHT, apply_theme
from app.workers.runner import stop_runners
from core.checkpoints.native import CONFIG_FILE as MODEL_FILE
from core.errors import ConfigError, TrainingError
from core.training.config import CONFIG_FILE, config_text, read_config
from core.training.sources import StorySource
from tests.helpers.runs import trained_run

WAIT_MS = 20_000
ENDS_AT_ONCE = ("-c", "raise SystemExit(0)")


@pytest.fixture
def studio(qtbot, tmp_path, monkeypatch):
    """A studio whose trainer is a program that does nothing."""
    settings = Settings()
    settings.write(RUNS, str(tmp_path / "runs"))
    made = Studio(settings)
    monkeypatch.setattr(made.runs, "_program", ENDS_AT_ONCE)
    qtbot.addWidget(made)
    made.show()
    yield made
    made.runs.detach()
    made.setup.rest()
    stop_runners(WAIT_MS)


def started(studio, qtbot):
    """Start a run from a few stories, as a person does."""
    studio.setup.plan.add_sources((StorySource(seed=3, n_characters=20_000),))
    qtbot.waitUntil(lambda: not studio.setup.plan.is_looking, timeout=WAIT_MS)
    studio.steps.button(BEGIN).click()
    QTest.mouseClick(studio.setup.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: studio.shows_run, timeout=WAIT_MS)
    return studio.runs.shown.control.folder


def test_it_opens_on_the_data_with_the_run_still_to_come(studio):
    assert studio.objectName() == "training.window"
    assert studio.steps.checkedId() == DATA
    assert not studio.steps.button(RUN).isVisible()
    assert (studio.minimumWidth(), studio.minimumHeight()) == LEAST_SIZE
    assert studio.isModal() is False


def test_a_folder_that_is_only_written_waits_to_be_started(studio, qtbot):
    studio.setup.plan.add_sources((StorySource(seed=3, n_characters=20_000),))
    qtbot.waitUntil(lambda: not studio.setup.plan.is_looking, timeout=WAIT_MS)
    studio.steps.button(BEGIN).click()
    QTest.mouseClick(studio.setup.begin.write, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: studio.shows_run, timeout=WAIT_MS)
    shown = studio.runs.shown
    qtbot.waitUntil(lambda: shown.control.state == "idle", timeout=WAIT_MS)
    assert (shown.head.state.text(), shown.head.pause.text()) == (
        "not started",
        "Start",
    )
    assert not studio.runs.at_work


def test_the_question_how_long_goes_with_its_run(studio, qtbot):
    folder = started(studio, qtbot)
    studio.longer.ask(folder)
    assert studio.longer.isVisible()
    studio.steps.button(MODEL).click()
    assert not studio.longer.isVisible()


def test_a_start_writes_the_run_where_it_was_asked_and_shows_it(studio, qtbot):
    folder = started(studio, qtbot)
    assert folder == runs_folder(Settings()) / "my model"
    assert (folder / CONFIG_FILE).exists()
    assert studio.steps.checkedId() == RUN
    studio.steps.button(MODEL).click()
    assert not studio.shows_run
    studio.steps.button(RUN).click()
    assert studio.shows_run


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_enter_and_escape_in_a_field_neither_press_a_button_nor_close(studio, key):
    studio.steps.button(BEGIN).click()
    QTest.keyClick(studio.setup.begin.name, key)
    assert studio.isVisible()
    assert studio.steps.checkedId() == BEGIN


def test_its_size_is_kept_for_the_next_time(studio, qtbot):
    studio.resize(900, 690)  # no wider than the screen
    studio.close()
    again = Studio(Settings())
    qtbot.addWidget(again)
    assert (again.width(), again.height()) == (900, 690)


def test_a_run_can_be_given_more_steps_and_nothing_else_changes(studio, qtbot):
    folder = started(studio, qtbot)
    before = read_config(folder)
    studio.longer.ask(folder)
    assert studio.longer.n_steps.number == 2 * before.training.n_steps
    lengthen(folder, 5000)
    longer = replace(before, training=replace(before.training, n_steps=5000))
    assert read_config(folder) == longer


def test_a_run_cannot_be_given_fewer_steps_than_it_has_done(tmp_path):
    folder = trained_run(tmp_path / "birds", n_steps=5)
    with pytest.raises(TrainingError, match="has done 5 steps already"):
        lengthen(folder, 5)
    assert read_config(folder).training.n_steps == 5
    lengthen(folder, 6)
    assert read_config(folder).training.n_steps == 6


def test_a_run_without_a_file_is_told_and_not_continued(studio, tmp_path):
    studio.longer.ask(tmp_path / "nothing")
    assert "config.toml" in studio.setup.message.sentence
    assert not studio.longer.isVisible()
    with pytest.raises(ConfigError):
        lengthen(tmp_path / "nothing", 10)


def test_a_run_without_a_checkpoint_lends_no_weights(studio, qtbot):
    folder = started(studio, qtbot)
    studio.set_up_from(folder)
    assert "checkpoint" in studio.setup.message.sentence
    assert studio.setup.plan.draft.origin is None


def with_checkpoint(folder: Path, step: int) -> None:
    """Something that looks like a checkpoint, as far as its name is asked."""
    checkpoint = folder / "checkpoints" / f"step-{step:08d}"
    checkpoint.mkdir(parents=True)
    (checkpoint / MODEL_FILE).write_text("{}")


def test_a_new_run_from_here_keeps_the_text_and_offers_the_settings(studio, qtbot):
    folder = started(studio, qtbot)
    config = read_config(folder)
    changed = replace(config, training=replace(config.training, n_steps=123))
    (folder / CONFIG_FILE).write_text(config_text(changed))
    with_checkpoint(folder, 40)
    studio.set_up_from(folder)
    setup = studio.setup
    assert setup.plan.draft.origin.step == 40
    assert setup.plan.draft.training.n_steps == 123
    assert setup.origin.isVisible()
    assert setup.page == MODEL
    assert not studio.steps.button(DATA).isEnabled()
    assert not setup.model.presets.isEnabled()  # the weights bring their shape
    qtbot.waitUntil(lambda: not studio.runs.at_work, timeout=WAIT_MS)
    assert setup.obstacle == ""
    setup.origin.dropped.emit()
    assert setup.plan.draft.origin is None
    assert setup.model.presets.isEnabled()
    assert studio.steps.checkedId() == DATA


@pytest.mark.thorough
@pytest.mark.parametrize("chosen", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_words_can_be_read_in_both_themes(studio, chosen):
    app = QApplication.instance()
    apply_theme(app, chosen)
    try:
        for ink in ("text", "muted", "error", "warning", "accent"):
            for ground in ("surface", "window"):
                shade = chosen.ink(ink).name()
                assert contrast(shade, getattr(chosen, ground)) >= 4.5
        image = studio.grab().toImage()
        assert image.pixelColor(3, image.height() - 3) == chosen.colour("surface")
    finally:
        apply_theme(app, LIGHT)
