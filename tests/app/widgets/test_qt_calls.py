"""A fault in a method that Qt calls is told at once, and Qt goes on."""

import sys

import pytest
from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.widgets.qt_calls import tells_faults


@tells_faults
class Faulty(QWidget):
    """Fails in every way, in the middle of it."""

    def paintEvent(self, event):
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), "red")
            raise ZeroDivisionError("while painting")

    def resizeEvent(self, event):
        raise ZeroDivisionError("while arranging")

    def sizeHint(self):
        raise ZeroDivisionError("while measuring")

    def event(self, event):
        if event.type() == QEvent.Type.User:
            raise ZeroDivisionError("while listening")
        return super().event(event)

    def ask(self):
        raise ZeroDivisionError("while asked")


@pytest.fixture
def told(monkeypatch):
    found = []
    monkeypatch.setattr(sys, "excepthook", lambda _, error, __: found.append(error))
    return found


@pytest.fixture
def faulty(qtbot, told):
    widget = Faulty()
    qtbot.addWidget(widget)
    return widget


def test_each_fault_is_told_once_and_nothing_is_left_for_the_next_call(faulty, told):
    faulty.resize(30, 20)
    faulty.show()
    assert not faulty.grab().isNull()
    assert QLabel("another widget").text() == "another widget"
    assert {str(error) for error in told} == {"while arranging", "while painting"}
    assert all("Error calling" not in str(error) for error in told)


def test_qt_gets_an_answer_all_the_same(faulty, told):
    assert faulty.sizeHint() == QSize()
    assert not QApplication.sendEvent(faulty, QEvent(QEvent.Type.User))
    assert [str(error) for error in told] == ["while measuring", "while listening"]


def test_a_method_that_python_calls_raises_as_ever(faulty, told):
    with pytest.raises(ZeroDivisionError, match="while asked"):
        faulty.ask()
    assert told == []
