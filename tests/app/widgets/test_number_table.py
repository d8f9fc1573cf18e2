"""The number table: where rows lie, what they say, which way bars point."""

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from app.style.theme import LIGHT
from app.widgets.canvas import NOTHING
from app.widgets.number_table import LEAST_GAP, MARGIN, NumberTable, TableRow

ROWS = (
    TableRow("17", ("1.5", "−0.25"), 1.0, "feed_forward", "a note"),
    TableRow("4", ("0.333", "12"), -0.5, "feed_forward"),
)
HEADS = ("hidden", "active")


@pytest.fixture
def table(qtbot):
    widget = NumberTable("numbers")
    qtbot.addWidget(widget)
    widget.resize(400, 160)
    widget.show()
    return widget


def test_a_row_says_its_numbers_by_their_heads(table):
    table.show_rows(ROWS, HEADS, "neuron")
    assert table.item_text(0).splitlines() == [
        "neuron 17", "hidden 1.5", "active −0.25", "a note",
    ]  # fmt: skip


def test_every_row_holds_its_own_centre_and_the_heads_hold_none(table):
    table.show_rows(ROWS, HEADS)
    assert [table.item_at(table.item_rect(i).center()) for i in (0, 1)] == [0, 1]
    assert table.item_at(QPointF(50, 2)) == NOTHING


def test_a_click_tells_the_row(table, qtbot):
    table.show_rows(ROWS, HEADS)
    spot = table.item_rect(1).center().toPoint()
    with qtbot.waitSignal(table.row_clicked) as caught:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [1]


def test_a_negative_bar_points_left_in_the_opposite_colour(table):
    table.show_rows(ROWS, HEADS)
    image = table.grab().toImage()

    def xs(row, colour):
        y = round(table.item_rect(row).center().y())
        return [
            x for x in range(image.width()) if image.pixelColor(x, y) == QColor(colour)
        ]

    right = xs(0, LIGHT.feed_forward)
    left = xs(1, LIGHT.opposite("feed_forward"))
    assert max(left) < min(right) + 2
    assert len(right) == pytest.approx(2 * len(left), abs=3)


def test_a_marked_row_far_below_is_scrolled_into_sight_beneath_the_heads(table):
    table.show_rows(ROWS * 50, HEADS)
    table.set_selected(80)
    box, start = table.item_rect(80), table.verticalScrollBar().value()
    assert start < box.top()
    assert box.bottom() <= start + table.viewport().height()
    table.set_selected(2)
    head = table.item_rect(0).top()
    shown_from = table.verticalScrollBar().value() + head
    assert table.item_rect(2).top() >= shown_from


@pytest.mark.parametrize("width", [60, 160, 900])
@pytest.mark.parametrize("rows", [(), ROWS, ROWS * 200])
def test_any_room_and_any_number_of_rows_is_drawn(table, width, rows):
    table.resize(width, 120)
    table.show_rows(rows, HEADS, "neuron")
    assert not table.grab().isNull()


def test_a_list_longer_than_its_view_ends_with_a_whole_row(table):
    table.show_rows(ROWS * 50, HEADS)
    head, row = table.item_rect(0).top(), table.item_rect(0).height()
    assert (table.viewport().height() - head) % row == 0
    assert table.height() - table.viewport().height() < row


def test_columns_draw_near_before_a_label_is_cut(table):
    table.show_rows((TableRow("534", ("1.51", "−0.084", "−0.12")),), ("a", "b", "c"))
    widths = [width for _, width in table._number_boxes()]
    needed = sum(widths) + table._label_width + 2 * MARGIN + 3 * LEAST_GAP
    table.resize(round(needed) + 1, 160)
    assert table._number_boxes()[0][0] >= MARGIN + table._label_width + LEAST_GAP - 1
