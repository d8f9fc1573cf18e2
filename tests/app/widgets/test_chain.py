"""A chain of numbers keeps them in a row and tells which one was clicked."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt

from app.widgets.chain import Chain, Link

LINKS = tuple(
    Link(f"sign {i}" if i else "", f"head {i}", f"{i}.5", "note") for i in range(5)
)


@pytest.fixture
def chain(qtbot):
    chain = Chain("chain")
    qtbot.addWidget(chain)
    chain.resize(640, chain.height())
    chain.show_links(LINKS)
    return chain


@pytest.mark.parametrize("width", [120, 400, 640, 1400])
def test_numbers_never_overlap(chain, width):
    chain.resize(width, chain.height())
    assert not chain.grab().isNull()
    boxes = [chain.item_rect(place) for place in range(5)]
    assert all(a.right() < b.left() for a, b in pairwise(boxes))


def test_a_click_tells_which_number(chain, qtbot):
    chain.grab()
    with qtbot.waitSignal(chain.link_clicked) as heard:
        point = chain.item_rect(3).center().toPoint()
        qtbot.mouseClick(chain.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert heard.args == [3]


def test_a_link_in_words_says_what_was_done_and_what_came_of_it(chain):
    assert chain.item_text(2) == "sign 2\nhead 2\n2.5\nnote"
