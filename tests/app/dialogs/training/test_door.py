"""How the studio is reached from the main window, and what its end means for it."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.main_window import MainWindow
from app.settings import Settings
from app.workbench import Workbench
from app.workers.runner import stop_runners
from tests.helpers.sessions import ShownSession

WAIT_MS = 20_000


@pytest.fixture
def session():
    return ShownSession()


@pytest.fixture
def window(qtbot, session):
    shell = MainWindow(Settings())
    bench = Workbench(session, Settings())
    shell.furnish(bench)
    qtbot.addWidget(shell)
    shell.show()
    yield shell
    shell.close()
    stop_runners(WAIT_MS)


def test_the_train_button_opens_one_studio_however_often_it_is_pressed(window):
    button = window.bench.sentence.train_button
    assert button.objectName() == "training.open"
    for _ in range(2):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    studio = window.bench.open_studio()
    assert studio.isVisible()
    assert studio.objectName() == "training.window"
    assert window.bench.open_studio() is studio


def test_the_window_closes_only_once_the_run_has_its_answer(window, monkeypatch):
    studio = window.bench.open_studio()
    monkeypatch.setattr(studio, "may_close", lambda: False)
    assert not window.close()
    assert window.isVisible()
    monkeypatch.setattr(studio, "may_close", lambda: True)
    assert window.close()
    assert not studio.isVisible()


def test_a_window_that_was_to_close_does_so_once_the_run_has_its_answer(
    window, monkeypatch
):
    studio = window.bench.open_studio()
    answered = studio.ask_close.answered
    monkeypatch.setattr(studio, "may_close", lambda: False)
    assert not window.close()
    answered.emit("cancel")
    assert window.isVisible()
    assert not window.close()
    monkeypatch.setattr(studio, "may_close", lambda: True)
    answered.emit("keep")
    assert not window.isVisible()


def test_the_studio_makes_room_for_the_model_that_it_opens(
    window, session, monkeypatch
):
    opened = []
    monkeypatch.setattr(session, "open_model", opened.append)
    studio = window.bench.open_studio()
    studio.open_requested.emit(Path("step-00000100"))
    assert opened == [Path("step-00000100")]
    assert not studio.isVisible()
    monkeypatch.setattr(studio, "may_close", lambda: False)
    assert not window.close()
    assert studio.isVisible()  # the question must be seen
    monkeypatch.setattr(studio, "may_close", lambda: True)
