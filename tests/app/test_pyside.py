"""Guards against known faults of the Qt binding."""

import sys

from PySide6.QtWidgets import QWidget


def test_pyside_does_not_eat_none(qtbot):
    """PySide6 6.12.0 on Python 3.11 does, and the process dies after 5,000 calls."""
    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for _ in range(1000):
        widget.setVisible(False)
    assert sys.getrefcount(None) > before - 500
