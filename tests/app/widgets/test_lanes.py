"""Lanes lie below each other, and a point in one means its lane and column."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from app.widgets.lane import Lane
from app.widgets.lanes import Lanes
from app.widgets.lanes_layout import lane_heights
from core.trace.matrix import Axis, Scale

KINDS = ("cells", "bars", "course")


def lanes_of(n, values=None):
    values = np.linspace(-1, 1, n, dtype=np.float32) if values is None else values
    scale = Scale("signed", 1.0)
    return tuple(Lane(kind, values, scale, "pattern", kind, "= 1") for kind in KINDS)


def axis_of(n):
    return Axis("token", tuple(f"<b>{place}" for place in range(n)), "key")


@pytest.fixture
def lanes(qtbot):
    lanes = Lanes("lanes")
    qtbot.addWidget(lanes)
    lanes.resize(600, 160)
    return lanes


@pytest.mark.parametrize("n", [1, 8, 64, 1024])
def test_any_number_of_columns_is_drawn(lanes, n):
    lanes.show_lanes(lanes_of(n), axis_of(n))
    assert not lanes.grab().isNull()
    picture = lanes.picture
    assert picture.layout.left + picture.layout.width <= lanes.width()


def test_numbers_that_are_none_leave_a_gap(lanes):
    values = np.array([1, np.nan, np.inf, -np.inf], dtype=np.float32)
    lanes.show_lanes(lanes_of(4, values), axis_of(4))
    assert not lanes.grab().isNull()


def test_a_point_in_a_lane_means_its_column(lanes):
    lanes.show_lanes(lanes_of(8), axis_of(8))
    for lane in range(3):
        box = lanes.picture.layout.cells(lane).rectangle(0, 5)
        point = QPointF(box[0] + box[2] / 2, box[1] + box[3] / 2)
        assert lanes.spot_at(point) == ("lane", lane, 5)


def test_of_columns_that_share_a_dot_the_strongest_is_meant(lanes):
    values = np.zeros(2000, dtype=np.float32)
    values[777] = 1
    lanes.show_lanes(lanes_of(2000, values), axis_of(2000))
    cells = lanes.picture.layout.cells(1)
    x = cells.left + 777.5 * cells.cell_width
    assert lanes.spot_at(QPointF(x, cells.top + 2)) == ("lane", 1, 777)
    assert max(lanes.picture.values[0]) == 1


def test_the_keys_walk_over_lanes_and_columns(lanes, qtbot):
    lanes.show_lanes(lanes_of(8), axis_of(8))
    with qtbot.waitSignal(lanes.cell_clicked) as heard:
        qtbot.keyClick(lanes, Qt.Key.Key_Down)
    assert heard.args == [1, 0]


def test_what_cells_do_not_need_goes_to_the_other_lanes():
    heights = lane_heights(("cells", "cells", "bars"), 400)
    assert sum(heights) == pytest.approx(400, abs=3)
    assert heights[2] > 10 * heights[0]


def test_nothing_to_show_is_no_picture(lanes):
    assert lanes.picture is None
    assert not lanes.grab().isNull()


def test_columns_that_share_a_dot_leave_room_to_say_so(lanes):
    lanes.show_lanes(lanes_of(2000), axis_of(2000))
    picture = lanes.picture
    assert picture.block > 1
    few = lanes_of(8)
    before = picture.layout.sides.right
    lanes.show_lanes(few, axis_of(8))
    assert lanes.picture.block == 1
    assert lanes.picture.layout.sides.right < before
