"""Cells are as large as the room allows and lie where a click finds them."""

import pytest

from app.widgets.cell_layout import (
    LARGEST_SQUARE,
    LARGEST_STRIP,
    CellLayout,
    cell_size,
    label_step,
)
from app.widgets.tile_layout import GAP, tiles_in


def test_one_cell_fills_no_card():
    assert cell_size(1, 1, 500, 500) == (LARGEST_SQUARE, LARGEST_SQUARE)


def test_square_cells_take_the_shorter_side():
    assert cell_size(6, 6, 600, 300) == (50, 50)


def test_a_strip_of_features_fills_the_width():
    width, height = cell_size(6, 192, 480, 400)
    assert width == 2.5
    assert height == LARGEST_STRIP


def test_cells_that_may_not_be_square_fill_the_room_both_ways():
    assert cell_size(30, 48, 480, 240, may_be_square=False) == (10, 8)
    assert cell_size(30, 48, 480, 240) == (8, 8)


def test_large_cells_are_whole_device_pixels():
    assert cell_size(6, 6, 350, 350) == (58, 58)
    assert cell_size(6, 6, 351, 351, ratio=2) == (58.5, 58.5)


def test_small_cells_use_all_the_room():
    assert cell_size(256, 256, 500, 500) == (500 / 256, 500 / 256)


def test_every_point_of_a_cell_is_found_in_it():
    layout = CellLayout(10, 20, 5, 7, 3, 4)
    for row in range(3):
        for column in range(4):
            left, top, width, height = layout.rectangle(row, column)
            for x, y in (
                (0.1, 0.1),
                (width / 2, height / 2),
                (width - 0.1, height - 0.1),
            ):
                assert layout.cell_at(left + x, top + y) == (row, column)


@pytest.mark.parametrize("point", [(9, 21), (11, 19), (31, 21), (11, 42)])
def test_points_outside_are_in_no_cell(point):
    assert CellLayout(10, 20, 5, 7, 3, 4).cell_at(*point) is None


@pytest.mark.parametrize("pitch", [0.4, 1, 2.7, 5, 9, 14, 40])
def test_labels_never_overlap(pitch):
    assert label_step(pitch, 14) * pitch >= 14


def test_every_place_is_labelled_where_there_is_room():
    assert label_step(20, 14) == 1


@pytest.mark.parametrize("n_heads", [1, 2, 4, 6, 12, 16])
@pytest.mark.parametrize("size", [(300, 500), (900, 200), (400, 400)])
def test_no_other_arrangement_has_larger_maps(n_heads, size):
    layout = tiles_in(n_heads, (32, 32), size, caption_height=20)
    for across in range(1, n_heads + 1):
        down = -(-n_heads // across)
        room_x = (size[0] - 4 - (across - 1) * GAP) / across
        room_y = (size[1] - 4 - (down - 1) * GAP) / down - 20
        other = min(room_x, room_y) / 32
        assert layout.cell[0] >= min(other, LARGEST_SQUARE) - 1


@pytest.mark.parametrize("n_heads", [1, 4, 7, 12])
def test_maps_lie_apart_and_inside(n_heads):
    layout = tiles_in(n_heads, (16, 16), (420, 380), caption_height=20)
    seen = set()
    for head in range(n_heads):
        cells = layout.cells(head)
        assert cells.left >= 0
        assert cells.left + cells.width <= 420
        assert cells.top + cells.height <= 380
        middle = cells.left + cells.width / 2, cells.top + cells.height / 2
        assert layout.tile_at(*middle) == head
        seen.add((cells.left, cells.top))
    assert len(seen) == n_heads
    assert layout.tile_at(-5, 10) is None
