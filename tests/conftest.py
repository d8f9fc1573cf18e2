"""Every test: Qt off screen, our own type, fresh settings, no thread left behind."""

import gc
import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny models; two threads only spin

from collections.abc import Iterator
from itertools import count
from weakref import WeakSet

import pytest
from PySide6.QtCore import QSettings, QThread
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.style.theme import LIGHT, apply_theme

THREAD_END_MS = 5000
NUMBERS = count()
"""Of the tests, for folders."""


def pytest_configure(config: pytest.Config) -> None:
    """Let Qt's off-screen windows say what they cannot do; other warnings fail."""
    config.addinivalue_line("qt_log_ignore", "does not support propagateSizeHints")


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The application of all tests, in the light theme with its fonts registered."""
    apply_theme(qapp, LIGHT)
    return qapp


@pytest.fixture(autouse=True)
def _garbage_is_collected_in_the_main_thread() -> Iterator[None]:
    """Let no thread that sets formulas find the widgets of a test and delete them."""
    gc.disable()
    yield
    gc.collect(1)


@pytest.fixture(autouse=True)
def _fresh_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder of its own for each test; most never write one, so none is made."""
    place = tmp_path_factory.getbasetemp() / "settings" / str(next(NUMBERS))
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
        QSettings.setPath(QSettings.Format.IniFormat, scope, str(place))


@pytest.fixture(autouse=True)
def _no_thread_left_running(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that leaves a QThread running: pytest passes, then Qt aborts."""
    started: WeakSet[QThread] = WeakSet()
    start = QThread.start

    def noted_start(self: QThread, *priority: QThread.Priority) -> None:
        started.add(self)
        start(self, *priority)

    monkeypatch.setattr(QThread, "start", noted_start)
    yield
    left = [thread for thread in started if isValid(thread) and thread.isRunning()]
    for thread in left:
        thread.requestInterruption()
        thread.quit()
        thread.wait(THREAD_END_MS)
    assert not left, f"left running: {left}"
