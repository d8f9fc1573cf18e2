"""Two heads and their difference, shown and asked for."""

from dataclasses import replace

import numpy as np
import pytest

from app.panels.attention.compare_page import EQUAL, LEAST_MAP, ComparePage
from app.panels.attention.pictures import picture_of
from core.trace.viewing import PLAIN
from tests.helpers.bundles import tiny_trace
from tests.helpers.scenes import scene_of

KEY = "layers.1.attn.pattern"


@pytest.fixture
def page(qtbot):
    page = ComparePage()
    qtbot.addWidget(page)
    page.resize(782, 560)
    return page


def shown(page, **fields):
    scene = replace(scene_of(step=KEY, query=2, key=1), **fields)
    page.display(scene)
    page.grab()
    return scene


def test_the_maps_are_the_two_heads_and_their_difference(page):
    scene = shown(page)
    one, other, difference = (each.matrix.values for each in page._maps)
    pattern = scene.trace[KEY]
    seen = scene.trace.part("mask")
    np.testing.assert_array_equal(one[seen], pattern[0][seen])
    np.testing.assert_array_equal(other[seen], pattern[1][seen])
    np.testing.assert_array_equal(difference[seen], (pattern[0] - pattern[1])[seen])


def test_in_the_least_room_the_maps_are_whole_and_rows_of_the_table_in_sight(qtbot):
    page = picture_of("compare").create()
    qtbot.addWidget(page)
    page.resize(page.least)
    page.show()
    shown(page, beside=tiny_trace("the dog sat"))
    assert all(picture.height() >= LEAST_MAP for picture in page._maps)
    card, picture, bar = page._cards[0], page._maps[0], page._bars[0]
    assert picture.geometry().bottom() < bar.geometry().top()
    assert bar.geometry().bottom() < card.height()
    assert page._table.viewport().height() >= 2 * page._table.item_rect(0).height()


def test_the_other_head_is_asked_for_by_layer_and_number(page, qtbot):
    shown(page)
    with qtbot.waitSignal(page.viewing_requested) as asked:
        page._layer.stepBy(-1)
    assert asked.args[0] == replace(PLAIN, other=(0, 1))


def test_another_sentence_is_asked_for_and_stands_in_the_middle(page, qtbot):
    page._text.setText("the dog sat")
    with qtbot.waitSignal(page.beside_requested) as asked:
        page._text.editingFinished.emit()
    assert asked.args == ["the dog sat"]
    beside = tiny_trace("the dog sat")
    shown(page, beside=beside)
    seen = beside.part("mask")
    other = page._maps[1].matrix.values
    np.testing.assert_array_equal(other[seen], beside[KEY][0][seen])
    assert "agree" in page._largest.note


def test_a_click_on_the_difference_chooses_the_cell_of_the_window(page, qtbot):
    shown(page)
    with qtbot.waitSignal(page.selection_requested) as asked:
        page._maps[2].cell_clicked.emit(2, 0)
    assert (asked.args[0].query, asked.args[0].key) == (2, 0)


def test_a_head_that_the_model_lacks_is_the_last_it_has(page):
    shown(page, viewing=replace(PLAIN, other=(7, 9)))
    assert (page._layer.number, page._head.number) == (2, 2)


def test_one_sentence_is_returned_to_by_a_button(page, qtbot):
    shown(page)
    assert page._alone.isHidden()
    shown(page, beside=tiny_trace("the dog sat"))
    assert not page._alone.isHidden()
    with qtbot.waitSignal(page.beside_requested) as asked:
        page._alone.click()
    assert asked.args == [""]


def test_equal_maps_are_said_to_be_equal(page):
    shown(page, viewing=replace(PLAIN, other=(1, 0)))
    assert page._table.message == EQUAL


def test_the_three_cards_are_equally_wide(page):
    shown(page)
    page.show()
    widths = [card.width() for card in page._cards]
    assert max(widths) - min(widths) <= 1
