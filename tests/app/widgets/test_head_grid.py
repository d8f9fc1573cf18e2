"""The grid paints each head from its own numbers and answers mouse and keys."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt

from app.style.maps import map_colours
from app.style.ramp import levels
from app.style.theme import LIGHT
from app.widgets.head_grid import HeadGrid
from core.trace.matrix import Scale

SHARE = Scale("share", 1.0)


def constant_heads(*values, n=2):
    return np.stack([np.full((n, n), value, np.float32) for value in values])


@pytest.fixture
def grid(qtbot):
    widget = HeadGrid()
    qtbot.addWidget(widget)
    widget.resize(320, 360)
    return widget


def cell_centre(grid, head, row, column):
    left, top, width, height = grid.picture().layout.cells(head).rectangle(row, column)
    return QPointF(left + width / 2, top + height / 2)


def painted(grid, head, row=0, column=0):
    place = cell_centre(grid, head, row, column).toPoint()
    return grid.grab().toImage().pixelColor(place).name()


def expected(value):
    level = int(levels(np.float32([value]), 1.0, signed=False)[0])
    return f"#{map_colours('share', 'pattern').colour_table[level] & 0xFFFFFF:06x}"


def test_each_head_has_the_colour_of_its_values(grid):
    values = (1.0, 0.25, 0.0, 0.5)
    grid.show_heads(constant_heads(*values), SHARE, "pattern")
    assert [painted(grid, head) for head in range(4)] == [expected(v) for v in values]


def test_one_cell_of_one_has_the_full_colour(grid):
    grid.show_heads(np.ones((4, 1, 1), np.float32), SHARE, "pattern")
    assert painted(grid, 2) == LIGHT.pattern.lower()


def test_a_cell_without_a_value_is_sunken(grid):
    stack = constant_heads(0.5, 0.5)
    stack[1, 0, 1] = np.nan
    grid.show_heads(stack, SHARE, "pattern")
    assert painted(grid, 1, 0, 1) == LIGHT.sunken.lower()
    assert painted(grid, 0, 0, 1) == expected(0.5)


def test_rows_run_down_and_columns_run_right(grid):
    stack = np.zeros((2, 2, 2), np.float32)
    stack[1, 0, 1] = 1
    grid.show_heads(stack, SHARE, "pattern")
    assert painted(grid, 1, 0, 1) == expected(1)
    assert painted(grid, 1, 1, 0) == expected(0)


def test_a_click_tells_the_head(grid, qtbot):
    grid.show_heads(constant_heads(0, 0, 0, 0), SHARE, "pattern")
    with qtbot.waitSignal(grid.head_clicked) as told:
        point = cell_centre(grid, 3, 1, 1).toPoint()
        qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=point)
    assert told.args == [3]


def test_hovering_tells_head_row_and_column(grid, qtbot):
    grid.show_heads(constant_heads(0, 0), SHARE, "pattern")
    told = []
    grid.cell_hovered.connect(lambda *spot: told.append(spot))
    grid.show()
    qtbot.mouseMove(grid, cell_centre(grid, 1, 0, 1).toPoint())
    grid.leaveEvent(QEvent(QEvent.Type.Leave))
    assert told == [(1, 0, 1), (-1, -1, -1)]


def test_a_mouse_at_rest_tells_its_spot_again_when_the_numbers_change(grid):
    grid.show_heads(constant_heads(0, 0), SHARE, "pattern")
    told = []
    grid.cell_hovered.connect(lambda *spot: told.append(spot))
    grid.show_heads(constant_heads(1, 1), SHARE, "pattern")
    assert told == []
    grid._hover((1, 0, 1))
    grid.show_heads(constant_heads(0, 1), SHARE, "pattern")
    grid.show_heads(constant_heads(0, 1, n=3), SHARE, "pattern")
    assert told == [(1, 0, 1), (1, 0, 1), (-1, -1, -1)]


def test_hovering_repaints_only_the_heads_concerned(grid, qtbot, monkeypatch):
    grid.show_heads(constant_heads(*[0] * 9), SHARE, "pattern")
    grid.show()
    qtbot.waitExposed(grid)
    grid._hover((0, 0, 0))
    qtbot.wait(20)
    seen = []
    paint = grid._paint_head
    monkeypatch.setattr(
        grid, "_paint_head", lambda p, q, head: (seen.append(head), paint(p, q, head))
    )
    grid._hover((8, 0, 0))
    qtbot.waitUntil(lambda: 8 in seen)
    assert set(seen) == {0, 8}


def test_arrow_keys_walk_over_the_heads(grid, qtbot):
    grid.resize(320, 360)
    grid.show_heads(constant_heads(0, 0, 0, 0), SHARE, "pattern")
    assert grid.picture().layout.n_across == 2
    told = []
    grid.head_clicked.connect(told.append)
    keys = Qt.Key
    for key in (keys.Key_Right, keys.Key_Down, keys.Key_Down, keys.Key_Left):
        qtbot.keyClick(grid, key)
    assert told == [1, 3, 2]


def test_nothing_to_show_is_an_empty_card(grid):
    grid.show_heads(None, SHARE, "pattern")
    assert grid.picture() is None
    assert grid.grab().toImage().pixelColor(100, 100).name() == LIGHT.surface.lower()


def test_many_large_maps_are_reduced_by_their_maximum(grid):
    stack = np.zeros((12, 512, 512), np.float32)
    stack[5, 300, 100] = 1
    grid.show_heads(stack, SHARE, "pattern")
    assert grid.picture().blocks[0] > 1
    assert grid.spot_at(cell_centre(grid, 5, 300, 100)) == (5, 300, 100)


def test_the_object_name_is_the_documented_one(grid):
    assert grid.objectName() == "head.grid"


def test_many_heads_do_without_captions_so_that_their_maps_are_seen(qtbot):
    grid = HeadGrid()
    qtbot.addWidget(grid)
    grid.resize(286, 430)
    stack = np.full((300, 10, 10), 0.5, np.float32)
    grid.show_heads(stack, Scale("share", 1.0), "pattern")
    layout = grid.picture().layout
    assert layout.caption_height == 0
    assert layout.cells(0).height >= 10
    last = layout.cells(299)
    assert last.top + last.height <= 430
    grid.show_heads(stack[:4], Scale("share", 1.0), "pattern")
    assert grid.picture().layout.caption_height > 0


def test_a_single_one_among_a_million_is_seen_and_reached(grid):
    stack = np.zeros((2, 1024, 1024), np.float32)
    stack[1, 777, 333] = 1.0
    grid.show_heads(stack, SHARE, "pattern")
    image, part = grid.picture().image, grid.picture().source(1)
    assert grid.picture().blocks != (1, 1)
    dots = [
        (x, y)
        for y in range(round(part.top()), round(part.bottom()))
        for x in range(image.width())
        if image.pixelColor(x, y).name() == LIGHT.pattern.lower()
    ]
    assert len(dots) == 1
    assert grid.spot_at(cell_centre(grid, 1, 777, 333)) == (1, 777, 333)
