"""A table of figures: each number and each row can be asked for, by mouse and keys."""

import pytest
from PySide6.QtCore import Qt

from app.widgets.figure_table import FigureTable
from app.widgets.number_table import TableRow


@pytest.fixture
def table(qtbot):
    table = FigureTable("Lengths")
    qtbot.addWidget(table)
    table.resize(420, 160)
    rows = tuple(TableRow(f"{at}", (f"{at}.5", f"{at}.25"), 0.5) for at in range(3))
    table.show_rows(rows, ("before", "after"), "layer")
    table.show()
    asked = []
    table.row_clicked.connect(asked.append)
    table.number_clicked.connect(lambda *place: asked.append(place))
    table.asked = asked
    return table


def click(qtbot, table, point):
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())


def test_a_click_on_a_number_asks_for_it_and_elsewhere_for_its_row(qtbot, table):
    click(qtbot, table, table._number_rect(1, 0).center())
    click(qtbot, table, table._number_rect(2, 1).center())
    label = table.row_rect(2)
    label.setWidth(20)
    click(qtbot, table, label.center())
    assert table.asked == [(1, 0), (2, 1), 2]


def test_arrows_go_from_number_to_number_and_stay_in_the_row(qtbot, table):
    keys = Qt.Key
    for key in (keys.Key_Down, keys.Key_Right, keys.Key_Right, keys.Key_Right):
        qtbot.keyClick(table, key)
    qtbot.keyClick(table, keys.Key_Return)
    for key in (keys.Key_Home, keys.Key_Return):
        qtbot.keyClick(table, key)
    assert table.asked == [(1, 1), 1]


def test_a_number_says_its_head_and_a_row_all_of_its_numbers(table):
    assert table.item_text(table.item_of(1) + 2) == "layer 1\nafter 1.25"
    assert table.item_text(table.item_of(1)) == "layer 1\nbefore 1.5\nafter 1.25"


def test_every_item_lies_in_its_row(table):
    for item in range(table.item_count()):
        inside = table.row_rect(table.row_of(item)).adjusted(-8, 0, 8, 0)
        assert inside.contains(table.item_rect(item))


def test_a_marked_row_is_marked_and_the_numbers_under_the_mouse_are_drawn(table):
    plain = table.grab().toImage()
    table.set_selected(1)
    table._hover_at(table.item_of(2) + 1)
    assert table.grab().toImage() != plain
