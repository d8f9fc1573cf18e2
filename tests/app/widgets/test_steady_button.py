import pytest
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.widgets.steady_button import SteadyButton


@pytest.fixture
def desk(qtbot):
    """A button and a field beside it, in a window that has the keyboard."""
    desk = QWidget()
    row = QHBoxLayout(desk)
    desk.button, desk.field = SteadyButton("Go"), QLineEdit("20")
    row.addWidget(desk.button)
    row.addWidget(desk.field)
    qtbot.addWidget(desk)
    desk.show()
    desk.activateWindow()
    qtbot.waitUntil(desk.isActiveWindow)
    return desk


def test_a_pressed_button_keeps_the_focus_while_it_is_of_no_use(desk):
    desk.button.setFocus()
    desk.button.set_usable(False)
    assert desk.button.hasFocus()
    assert not desk.button.is_usable
    desk.button.set_usable(True)
    assert desk.button.hasFocus()


def test_it_is_disabled_once_the_focus_has_left(desk):
    desk.button.setFocus()
    desk.button.set_usable(False)
    desk.field.setFocus()
    assert desk.field.hasFocus()
    assert not desk.button.isEnabled()


def test_without_the_focus_it_is_disabled_at_once(desk):
    desk.field.setFocus()
    desk.button.set_usable(False)
    assert not desk.button.isEnabled()
