"""How the studio is reached from the main window, and what its end means for it."""

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
def window(qtbot):
    shell = MainWindow(Settings())
    bench = Workbench(ShownSession(), Settings())
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
    monkeypatch.setattr(studio.monitor, "may_close", lambda: False)
    assert not window.close()
    assert window.isVisible()
    assert studio.shows_run
    monkeypatch.setattr(studio.monitor, "may_close", lambda: True)
    assert window.close()
    assert not studio.isVisible()
