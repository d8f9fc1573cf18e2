"""What the window opens about models, and the progress of a long opening."""

import pytest
from PySide6.QtWidgets import QWidget

from app.model_windows import RENEWAL_PAUSE_MS, ModelWindows
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


def test_an_open_card_speaks_of_the_model_that_is_opened_next(windows, qtbot):
    before = windows.open_card()
    before.setGeometry(30, 40, 500, 400)
    session = windows._session
    session.open(n_layers=1)
    qtbot.waitUntil(lambda: windows._card is not before)
    assert windows._card._card is session.model
    assert (windows._card.width(), windows._card.height()) == (500, 400)


def test_a_card_that_was_closed_stays_closed_when_a_model_is_opened(windows, qtbot):
    windows.open_card().close()
    windows._session.open(n_layers=1)
    qtbot.wait(2 * RENEWAL_PAUSE_MS)
    assert windows._card is None


def test_an_open_card_takes_the_badge_of_a_check(windows, qtbot):
    before = windows.open_card()
    session = windows._session
    session.note_badge(session.bundle, "checked against transformers 5: 0")
    qtbot.waitUntil(lambda: windows._card is not before)
    assert windows._card._card.badge == session.model.badge
