"""The chips of the sentence: where they lie, what they ask for, what they show."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from app.style.theme import LIGHT, theme
from app.widgets.canvas import NOTHING
from app.widgets.chip import (
    GAP,
    GAP_IN_BRACKET,
    MARGIN,
    Chip,
    bracket_runs,
    chip_edges,
)
from app.widgets.token_strip import TokenStrip


@pytest.fixture
def strip(qtbot):
    widget = TokenStrip()
    qtbot.addWidget(widget)
    widget.resize(600, widget.height())
    widget.show()
    return widget


def chips(n):
    return tuple(Chip(f"·w{i}", str(i)) for i in range(n))


def middle(strip, index):
    centre = strip.item_rect(index).center().toPoint()
    return centre - QPoint(strip.horizontalScrollBar().value(), 0)


def test_chips_of_one_character_stand_closer_together():
    lefts, rights = chip_edges([30, 40, 40, 20], [None, 1, 1, 2])
    assert lefts[0] == MARGIN
    gaps = [left - right for left, right in zip(lefts[1:], rights, strict=False)]
    assert gaps == [GAP, GAP_IN_BRACKET, GAP]


def test_a_bracket_spans_neighbours_with_one_number():
    assert bracket_runs([None, 1, 1, 1, 2, None, 3]) == [(1, 3), (4, 4), (6, 6)]
    assert bracket_runs([]) == []


def test_a_click_asks_for_the_query_and_a_ctrl_or_right_click_for_the_key(strip, qtbot):
    strip.show_chips(chips(4))
    queries, keys = [], []
    strip.query_requested.connect(queries.append)
    strip.key_requested.connect(keys.append)
    left, right = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
    ctrl = Qt.KeyboardModifier.ControlModifier
    qtbot.mouseClick(strip.viewport(), left, pos=middle(strip, 2))
    qtbot.mouseClick(strip.viewport(), left, ctrl, middle(strip, 1))
    qtbot.mouseClick(strip.viewport(), right, pos=middle(strip, 0))
    assert (queries, keys) == ([2], [1, 0])


def test_enter_asks_for_the_query_and_shift_enter_for_the_key(strip, qtbot):
    strip.show_chips(chips(4))
    queries, keys = [], []
    strip.query_requested.connect(queries.append)
    strip.key_requested.connect(keys.append)
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    qtbot.keyClick(strip, Qt.Key.Key_Return)
    qtbot.keyClick(strip, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert (queries, keys) == ([1], [1])


def test_the_gap_between_chips_belongs_to_none(strip):
    strip.show_chips(chips(3))
    beside = strip.item_rect(0).center()
    beside.setX(strip.item_rect(0).right() + GAP / 2)
    assert strip.item_at(beside) == NOTHING


def test_the_query_is_scrolled_into_sight(strip):
    strip.show_chips(chips(1024))
    strip.set_marks(900, None)
    start = strip.horizontalScrollBar().value()
    box = strip.item_rect(900)
    assert start < box.left()
    assert box.right() < start + strip.viewport().width()


def test_the_height_never_changes(strip):
    before = strip.height()
    strip.show_chips(chips(300))
    strip.set_marks(200, 1)
    assert strip.height() == before
    assert strip.minimumHeight() == strip.maximumHeight() == before


def test_a_long_token_is_cut_and_its_tip_says_all_of_it(strip):
    token = "x" * 400
    strip.show_chips((Chip(token, "7", note="from the sentence"),))
    assert strip.item_rect(0).width() <= 184
    assert token in strip.item_text(0)
    assert "from the sentence" in strip.item_text(0)


def test_a_chip_says_in_words_what_its_colour_says(strip):
    strip.show_chips((Chip("a", "1"), Chip("b", "99", state="bad")))
    strip.set_marks(0, 0)
    assert strip.item_text(0).splitlines() == [
        "a", "token 1 of 2", "id 1", "query", "key",
    ]  # fmt: skip
    assert "cannot be used" in strip.item_text(1)


def test_the_query_chip_wears_the_query_colour(strip):
    strip.show_chips(chips(2))
    strip.set_marks(1, None)
    image = QImage(strip.size(), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    strip.render(image)
    x = round(strip.item_rect(1).right() - 6)
    assert image.pixelColor(x, strip.height() // 2).name().upper() == LIGHT.query_soft


def test_fewer_chips_than_marks_is_no_error(strip):
    strip.show_chips(chips(5))
    strip.set_marks(4, 3)
    strip.show_chips(())
    strip.grab()
    assert strip.item_count() == 0


def test_turning_the_page_keeps_what_was_at_the_edge(strip, qtbot):
    strip.show_chips(chips(300))
    edge = QPoint(strip.viewport().width() - 4, strip.height() // 2)
    queries = []
    strip.query_requested.connect(queries.append)
    qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=edge)
    assert 0 < strip.horizontalScrollBar().value() < strip.viewport().width()
    assert queries == []


def test_chips_that_are_pointed_at_elsewhere_are_underlined(qtbot):
    strip = TokenStrip()
    qtbot.addWidget(strip)
    strip.resize(300, strip.height())
    strip.show_chips((Chip("the", "1"), Chip("cat", "2")))
    plain = strip.grab().toImage()
    strip.set_pointed(1, 0)
    pointed = strip.grab().toImage()
    y = round(strip.item_rect(0).bottom()) + 2
    roles = []
    for index in range(2):
        x = round(strip.item_rect(index).center().x())
        assert plain.pixelColor(x, y) != pointed.pixelColor(x, y)
        roles.append(pointed.pixelColor(x, y))
    assert roles == [theme().colour("key"), theme().colour("query")]
    strip.set_pointed(None, None)
    assert strip.grab().toImage() == plain
