"""A room gives its content what there is, and scrolls it below its least size."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.widgets.room import Room, scrolled

LEAST = QSize(300, 200)


def shown(qtbot, width, height):
    content = QWidget()
    text = QLabel("words that wrap " * 200)
    text.setWordWrap(True)
    QVBoxLayout(content).addWidget(text)
    room = Room(content)
    room.set_least(LEAST)
    area = scrolled(room)
    qtbot.addWidget(area)
    area.resize(width, height)
    area.show()
    return content, area


def test_content_fills_the_room_however_high_its_text_would_like_to_be(qtbot):
    content, area = shown(qtbot, 400, 250)
    assert content.size() == area.viewport().size() == QSize(400, 250)


def test_in_less_room_than_it_needs_it_is_scrolled(qtbot):
    content, area = shown(qtbot, 200, 100)
    assert content.size() == LEAST
    assert area.verticalScrollBar().maximum() > 0


def test_a_minimum_set_for_the_content_is_followed(qtbot):
    content, area = shown(qtbot, 400, 250)
    content.setMinimumHeight(700)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() >= 450)
    assert content.height() == 700
