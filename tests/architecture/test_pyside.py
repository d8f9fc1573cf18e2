"""Why PySide6 is held below 6.12: the trap it must not fall into again."""

import sys

from PySide6.QtWidgets import QWidget


def test_qt_calls_that_return_nothing_leave_none_alone(qtbot):
    # PySide6 6.12.0 on Python 3.11 takes a reference to None with each such call and
    # ends the process after some 5,000 of them.
    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for _ in range(1000):
        widget.setVisible(False)
    assert sys.getrefcount(None) > before - 500
