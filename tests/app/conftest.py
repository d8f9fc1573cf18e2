"""A window in its usual size, whose session answers at once and starts no thread."""

import pytest

from app.main_window import MainWindow
from app.settings import Settings
from app.workbench import Workbench
from tests.helpers.sessions import ShownSession


@pytest.fixture
def session(qapp):
    session = ShownSession()
    yield session
    session.close()


@pytest.fixture
def window(session, qtbot):
    window = MainWindow(Settings())
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.furnish(Workbench(session, Settings()))
    window.show()
    return window
