"""Strips of cells: which cell lies where, also when cells are more than pixels."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from app.widgets.canvas import NOTHING, grid_step
from app.widgets.strip import Group, VectorStrip
from core.trace.matrix import Axis, Matrix, Scale


def matrix_of(values, labels=()):
    array = np.asarray(values, np.float32)
    rows, columns = Axis("token", labels), Axis("feature", ())
    return Matrix(array, rows, columns, Scale("signed", 2.0), "value")


@pytest.fixture
def strip(qtbot):
    widget = VectorStrip("Test vectors")
    qtbot.addWidget(widget)
    widget.resize(400, 120)
    widget.show()
    return widget


def test_a_cell_says_its_row_group_column_and_value(strip):
    values = np.arange(8).reshape(2, 4)
    strip.show_vectors(matrix_of(values, ("a", "<b>")), (Group("head 2", 2, 4),))
    assert strip.item_text(7) == "<b>, head 2, feature 3\n7"
    assert strip.item_text(1) == "a, feature 1\n1"


def test_a_click_tells_row_and_column(strip, qtbot):
    strip.show_vectors(matrix_of(np.zeros((2, 4)), ("a", "b")))
    spot = strip.item_rect(6).center().toPoint()
    with qtbot.waitSignal(strip.cell_clicked) as caught:
        qtbot.mouseClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [1, 2]


def test_of_cells_that_share_a_dot_the_strongest_is_pointed_at(strip):
    values = np.zeros((1, 4000))
    values[0, 1234] = -1.5
    strip.show_vectors(matrix_of(values))
    assert strip.item_at(strip.item_rect(1234).center()) == 1234
    near = strip.item_rect(1232).center() + QPointF(0, 1)
    assert strip.item_at(near) in (1232 - 1232 % 11, 1234)


def test_a_lone_value_among_thousands_is_painted(strip):
    strip.show_vectors(matrix_of(np.zeros((1, 4000))))
    blank = strip.grab().toImage()
    values = np.zeros((1, 4000))
    values[0, 777] = 2.0
    strip.show_vectors(matrix_of(values))
    assert strip.grab().toImage() != blank


def test_between_the_rows_there_is_no_cell(strip):
    strip.show_vectors(matrix_of(np.zeros((2, 4))))
    below = QPointF(strip.item_rect(0).center().x(), strip.item_rect(0).bottom() + 2)
    assert strip.item_at(below) == NOTHING


def test_all_rows_fit_where_they_can(strip):
    strip.show_vectors(matrix_of(np.zeros((3, 4)), ("a", "b", "c")))
    assert strip.verticalScrollBar().maximum() == 0
    strip.show_vectors(matrix_of(np.zeros((30, 4))))
    assert strip.verticalScrollBar().maximum() > 0


@pytest.mark.parametrize(
    ("key", "expected"),
    [("Left", 4), ("Right", 5), ("Up", 0), ("Down", 8), ("Home", 4), ("End", 7)],
)
def test_keys_move_within_row_and_column(key, expected):
    assert grid_step(4, getattr(Qt.Key, f"Key_{key}"), 3, 4) == expected


@pytest.mark.parametrize("shape", [(0, 4), (1, 1), (300, 3), (2, 3000)])
def test_any_shape_is_drawn(strip, shape):
    strip.show_vectors(matrix_of(np.full(shape, np.nan)))
    assert not strip.grab().isNull()
    strip.show_vectors(None)
    assert not strip.grab().isNull()
