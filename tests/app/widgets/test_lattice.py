"""The lattice of a word: lanes, the border, and what a click tells."""

import pytest
from PySide6.QtCore import Qt

from app.widgets.lattice import Lattice, LatticeBox, lanes_of

BOXES = (
    LatticeBox("a", 0, 1, "one", True, False),
    LatticeBox("ab", 0, 2, "two", True, True),
    LatticeBox("b", 1, 2, "three", False, False),
    LatticeBox("bc", 1, 3, "four", False, False),
    LatticeBox("c", 2, 3, "five", True, True),
)


@pytest.fixture
def lattice(qtbot):
    widget = Lattice()
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    widget.show()
    widget.show_word(("a", "b", "c"), BOXES, ("0.00", "-1.00", "-2.00", "-3.00"))
    return widget


def test_no_box_lies_over_another(lattice):
    assert lanes_of(BOXES) == (0, 1, 0, 2, 0)
    rects = [lattice.item_rect(index) for index in range(len(BOXES))]
    assert not any(a.intersects(b) for n, a in enumerate(rects) for b in rects[n + 1 :])


def test_a_click_leads_to_where_the_box_ends(lattice, qtbot):
    place = lattice.item_rect(3).center().toPoint()
    with qtbot.waitSignal(lattice.box_clicked) as caught:
        qtbot.mouseClick(lattice.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [2]


def test_behind_the_last_letter_is_the_path(lattice):
    lattice.set_position(2)
    assert not lattice.is_at_end
    lattice.set_position(3)
    assert lattice.is_at_end
    lattice.grab()


def test_a_box_says_its_token_and_its_sum(lattice):
    assert lattice.item_text(1) == "ab\ntwo"


def test_a_long_word_scrolls(lattice):
    letters = tuple("a" * 200)
    boxes = tuple(LatticeBox("a", n, n + 1, "", True, True) for n in range(200))
    lattice.show_word(letters, boxes, ("0",) * 201)
    lattice.set_position(199)
    assert lattice.horizontalScrollBar().value() > 0
