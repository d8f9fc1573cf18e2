"""The slim strip of a tall table: where rows lie, and which number a dot stands for."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from app.widgets.table_strip import STRIP_WIDTH, TableStrip
from core.trace.matrix import Axis, Matrix, Scale

N_ROWS, N_COLUMNS = 1000, 64


def matrix():
    values = np.zeros((N_ROWS, N_COLUMNS), np.float32)
    values[700, 40] = -3
    axes = Axis("id", ()), Axis("feature", ())
    return Matrix(values, *axes, Scale("signed", 3.0), "residual")


@pytest.fixture
def strip(qtbot):
    strip = TableStrip()
    qtbot.addWidget(strip)
    strip.resize(strip.width(), 400)
    strip.show_table(matrix(), N_ROWS)
    strip.show_used((3, 700), chosen=1)
    strip.show()
    strip.grab()
    return strip


def test_rows_lie_from_the_top_down_within_the_strip(strip):
    places = [strip.row_middle(row) for row in (0, 500, N_ROWS - 1)]
    assert places == sorted(places)
    area = strip._strip
    assert area.top() < places[0] < places[-1] < area.bottom()


def test_a_dot_stands_for_its_strongest_number(strip):
    across = (40 + 0.5) / N_COLUMNS * STRIP_WIDTH
    point = QPointF(across, strip.row_middle(700))
    assert strip.cell_at(point) == (700, 40)
    assert strip.cell_at(QPointF(STRIP_WIDTH + 20, 200)) is None


def test_a_click_asks_for_that_number(strip, qtbot):
    across = (40 + 0.5) / N_COLUMNS * STRIP_WIDTH
    point = QPointF(across, strip.row_middle(700)).toPoint()
    with qtbot.waitSignal(strip.cell_clicked) as asked:
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=point)
    assert tuple(asked.args) == strip.cell_at(QPointF(point))


def test_a_line_ends_where_it_is_told_to(strip):
    asked = []
    strip.lead_to(asked.append)
    strip.grab()
    assert asked == [0, 1]  # the chosen one last, over the others


def test_in_a_crowd_only_the_chosen_row_is_led(strip):
    asked = []
    strip.lead_to(asked.append)
    strip.show_used(tuple(range(200)), chosen=17)
    strip.grab()
    assert asked == [17]


def test_the_tip_names_the_rows_of_a_dot(strip):
    strip.show_table(matrix(), 2 * N_ROWS, rows_per_band=2)
    strip.grab()
    tip = strip._tip(700, 40)
    first, last = map(int, tip.partition("\n")[0].removeprefix("rows ").split(" to "))
    assert first <= 1400 <= last
    assert "feature 41, -3" in tip
