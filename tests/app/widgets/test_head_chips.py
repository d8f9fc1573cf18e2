"""Heads as switches: where they lie, and what they ask for."""

import pytest
from PySide6.QtCore import Qt

from app.widgets.head_chips import MOST_LINES, HeadChips


@pytest.fixture
def chips(qtbot):
    widget = HeadChips(is_coloured=True)
    qtbot.addWidget(widget)
    widget.resize(400, 40)
    widget.show()
    return widget


def test_a_click_or_a_ctrl_click_tells_the_head(chips, qtbot):
    chips.show_heads(12, frozenset({2}), 0)
    told = []
    chips.head_clicked.connect(told.append)
    left, ctrl = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
    none = Qt.KeyboardModifier.NoModifier
    for keys, head in ((none, 3), (ctrl, 2)):
        place = chips.item_rect(head).center().toPoint()
        qtbot.mouseClick(chips.viewport(), left, keys, place)
    assert told == [3, 2]


def test_a_chip_says_in_words_whether_its_head_is_shown(chips):
    chips.show_heads(4, frozenset({2}), 1)
    assert chips.item_text(2) == "layer 2 · head 3\nshown"
    assert chips.item_text(0).endswith("not shown")


def test_every_point_of_a_chip_is_its_own(chips):
    chips.show_heads(30, frozenset(), 0)
    for head in range(30):
        assert chips.item_at(chips.item_rect(head).center()) == head


def test_hundreds_of_heads_take_a_few_lines_and_scroll(chips):
    chips.show_heads(300, frozenset(range(300)), 0)
    line = chips.item_rect(0).height()
    assert chips.sizeHint().height() < (MOST_LINES + 1) * (line + 4)
    assert chips.verticalScrollBar().maximum() > 0
    assert not chips.grab().isNull()


def test_one_head_takes_one_line(chips):
    chips.show_heads(1, frozenset({0}), 0)
    assert chips.sizeHint().height() < 2 * chips.item_rect(0).height()
