"""Rows of texts: columns, brackets, what is hit under heads that stay."""

import pytest
from PySide6.QtCore import QPointF

from app.widgets.canvas import NOTHING
from app.widgets.rows import HEAD_HEIGHT, Column, Row, Rows

COLUMNS = (
    Column("place", is_number=True),
    Column("bytes", gives=True),
    Column("part"),
)
ROWS = tuple(Row((str(i), "61 62 63 64 65 66", "")) for i in range(40))


@pytest.fixture
def rows(qtbot):
    rows = Rows("tokens", COLUMNS)
    qtbot.addWidget(rows)
    rows.resize(300, 200)
    rows.show()
    rows.show_rows(ROWS)
    return rows


def test_rows_lie_below_the_heads_and_each_other(rows):
    assert rows.item_rect(0).top() == HEAD_HEIGHT
    assert rows.item_at(QPointF(10, HEAD_HEIGHT - 1)) == NOTHING
    assert rows.item_at(rows.item_rect(3).center()) == 3


def test_a_chosen_row_is_never_hidden_under_the_heads(rows):
    rows.set_chosen(30)
    rows.set_chosen(12)
    assert rows.item_rect(12).top() - rows.offset().y() >= HEAD_HEIGHT


def test_a_column_without_texts_takes_no_room(rows):
    assert rows._widths[2] == 0
    rows.show_rows((Row(("1", "61", "byte 1 of 4")),))
    assert rows._widths[2] > 0


def test_the_column_that_gives_gets_narrower_before_anything_scrolls(rows):
    wide = rows._boxes(0, 10)[1].width()
    rows.resize(150, 200)
    assert rows._boxes(0, 10)[1].width() < wide
    rows.resize(60, 200)
    assert rows.horizontalScrollBar().maximum() > 0


def test_the_tip_names_each_text_and_leaves_out_the_empty_ones(rows):
    rows.show_rows((Row(("1", "61", ""), note="the first"),))
    assert rows.item_text(0) == "place 1\nbytes 61\nthe first"
