"""What the window opens about models, and the progress of a long opening."""

import pytest
from PySide6.QtWidgets import QWidget

from app.model_windows import ModelWindows
from app.settings import Settings
from app.workers.tracing import OpenRequest
from tests.helpers.sessions import session_showing


@pytest.fixture
def windows(qtbot, qapp):
    parent = QWidget()
    qtbot.addWidget(parent)
    windows = ModelWindows(session_showing("the cat sat"), Settings(), parent)
    yield windows
    windows.close_down()


def test_progress_follows_the_opening_and_cancel_stops_it(windows, tmp_path):
    request = OpenRequest(tmp_path / "big")
    windows._session.opening_progressed.emit(request, (3, 10))
    assert (windows._progress.value(), windows._progress.maximum()) == (3, 10)
    assert "big" in windows._progress.labelText()
    windows._progress.canceled.emit()
    assert request.stop.is_set()


def test_an_opening_that_ended_is_not_cancelled_later(windows, tmp_path):
    request = OpenRequest(tmp_path / "big")
    windows._session.opening_progressed.emit(request, (3, 10))
    windows._progress.show()
    windows._session.model_changed.emit(windows._session.model)
    windows._progress.canceled.emit()
    assert not request.stop.is_set()
    assert not windows._progress.isVisible()


def test_the_card_of_the_open_model_has_its_name(windows):
    card = windows.open_card()
    assert card._card is windows._session.model
    card.close()
    assert windows._card is None
