"""The score table sorts, tells rows by their own places, and says what is missing."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.widgets.score_table import BAR_ROLE, FIRST, NAME, ScoreTable

LABELS = ("L1 · H1", "L1 · H2", "L2 · H1", "L2 · H2")
NAMES = ("", "previous-token head", "", "induction head")


@dataclass(frozen=True)
class Column:
    title: str
    values: np.ndarray
    limit: float = 1.0
    stands_out_from: float = 0.5
    tip: str = (
        "a score\nWhat it is, in a sentence that is longer than a tooltip's line."
    )
    lack: str = "needs 3 tokens"


def column(title, *values, **fields):
    return Column(title, np.array(values, np.float32), **fields)


@pytest.fixture
def table(qtbot):
    table = ScoreTable("heads")
    qtbot.addWidget(table)
    table.resize(500, 300)
    columns = (
        column("previous", 0.1, 0.9, math.nan, 0.3),
        column("entropy", 2.0, 1.0, 4.0, 3.0, limit=4.0, stands_out_from=math.inf),
    )
    table.show_table(LABELS, NAMES, columns, ("Head", "Named"))
    table.show()
    return table


def click(qtbot, table, row):
    place = table.visualRect(table.model().index(row, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_rows_stand_as_given_until_they_are_sorted(table):
    assert table.rows == (0, 1, 2, 3)
    cells = [table.model().index(1, place).data() for place in range(4)]
    assert cells == ["L1 · H2", "previous-token head", "0.90", "1.00"]


def test_what_has_no_value_stands_last_either_way(table):
    table.sort_by(0)
    assert table.rows == (1, 3, 0, 2)
    table.sort_by(0, is_down=False)
    assert table.rows == (0, 3, 1, 2)
    table.sort_by(-1)
    assert table.rows == (0, 1, 2, 3)


def test_named_rows_come_first_in_the_order_of_names(table):
    table.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    assert table.rows == (3, 1, 0, 2)


def test_a_first_click_on_a_head_puts_the_largest_on_top(qtbot, table):
    head = table.horizontalHeader()
    x = head.sectionViewportPosition(FIRST + 1) + 10
    spot = QPoint(x, head.height() // 2)
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert table.rows == (2, 3, 0, 1)
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert table.rows == (1, 0, 3, 2)


def test_a_click_tells_the_row_by_its_own_place(qtbot, table):
    table.sort_by(0)
    with qtbot.waitSignal(table.row_clicked) as heard:
        click(qtbot, table, 1)
    assert heard.args == [3]


def test_enter_tells_the_row_of_the_cursor(qtbot, table):
    table.sort_by(0)
    table.setCurrentIndex(table.model().index(2, 0))
    with qtbot.waitSignal(table.row_clicked) as heard:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert heard.args == [0]


def test_the_marked_row_stays_marked_when_rows_are_sorted(table):
    table.set_selected(3)
    table.sort_by(1)
    (row,) = {index.row() for index in table.selectedIndexes()}
    assert table.rows[row] == 3
    table.set_selected(None)
    assert table.selectedIndexes() == []


def test_other_numbers_keep_the_order_that_was_asked_for(table):
    table.sort_by(0)
    table.show_table(LABELS, NAMES, (column("previous", 0.4, 0.3, 0.2, 0.5),) * 2)
    assert table.rows == (3, 0, 1, 2)


def test_a_missing_number_says_why_and_has_no_bar(table):
    cell = table.model().index(2, FIRST)
    assert cell.data() == "–"
    assert "needs 3 tokens" in cell.data(Qt.ItemDataRole.ToolTipRole)
    assert cell.data(BAR_ROLE) is None


def test_bars_end_at_the_limit_of_their_column(table):
    bars = [table.model().index(row, FIRST + 1).data(BAR_ROLE) for row in range(4)]
    assert bars == [0.5, 0.25, 1.0, 0.75]


def test_a_head_has_its_definition_for_a_tip(table):
    tip = table.model().headerData(
        FIRST, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    )
    assert "What it is" in tip
    assert "<br>" in tip


def test_it_is_drawn_with_nothing_and_with_one_row(qtbot):
    table = ScoreTable("heads")
    qtbot.addWidget(table)
    assert not table.grab().isNull()
    table.show_table(("L1 · H1",), ("",), (column("previous", math.nan),))
    table.set_selected(0)
    assert not table.grab().isNull()
