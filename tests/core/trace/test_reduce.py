"""A map with more cells than pixels loses no bright cell."""

import numpy as np
import pytest

from core.trace.reduce import (
    block_size,
    largest_places,
    reduce_by_maximum,
    strongest_in,
)


def test_a_lone_bright_cell_stays():
    cells = np.zeros((1024, 1024), np.float32)
    cells[517, 803] = 1
    reduced = reduce_by_maximum(cells, 4, 4)
    assert reduced.shape == (256, 256)
    assert np.argwhere(reduced == 1).tolist() == [[517 // 4, 803 // 4]]


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (1, 4), (5, 1), (9, 9)])
def test_each_dot_is_the_strongest_of_its_block(rows, columns):
    cells = np.random.default_rng(0).normal(size=(2, 7, 9)).astype(np.float32)
    reduced = reduce_by_maximum(cells, rows, columns)
    for head, i, j in np.ndindex(reduced.shape):
        block = cells[head, i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
        assert reduced[head, i, j] == block.ravel()[np.abs(block).argmax()]


def test_the_sign_of_the_strongest_is_kept():
    cells = np.array([[1, -5], [2, 3]], np.float32)
    assert reduce_by_maximum(cells, 2, 2).tolist() == [[-5]]


def test_masked_cells_are_passed_over_and_a_masked_block_stays_masked():
    cells = np.array([[np.nan, np.nan, np.nan, -0.5]], np.float32)
    reduced = reduce_by_maximum(cells, 1, 2)
    assert np.isnan(reduced[0, 0])
    assert reduced[0, 1] == -0.5


def test_blocks_of_one_cell_are_the_cells():
    cells = np.eye(3, dtype=np.float32)
    assert reduce_by_maximum(cells, 1, 1) is cells


def test_the_values_stay_as_they_are():
    cells = np.eye(8, dtype=np.float32)
    cells.flags.writeable = False
    reduce_by_maximum(cells, 3, 3)
    assert (cells == np.eye(8)).all()


@pytest.mark.parametrize(
    ("n_cells", "n_pixels", "size"),
    [(6, 500, 1), (500, 500, 1), (501, 500, 2), (9, 0, 9)],
)
def test_a_block_is_as_small_as_the_pixels_allow(n_cells, n_pixels, size):
    assert block_size(n_cells, n_pixels) == size


def test_the_strongest_cell_of_a_block_is_found():
    cells = np.array([[0, 0, 0], [0, np.nan, -2], [0, 1, 0]], np.float32)
    assert strongest_in(cells, range(1, 3), range(1, 3)) == (1, 2)


def test_a_block_without_values_is_its_first_cell():
    cells = np.full((4, 4), np.nan, np.float32)
    assert strongest_in(cells, range(2, 4), range(2, 4)) == (2, 2)


@pytest.mark.parametrize("n", [0, 1, 3, 7, 50])
def test_the_largest_places_are_those_of_a_stable_sort(n):
    draws = np.random.default_rng(n)
    for values in (
        draws.normal(size=40).astype(np.float32),
        draws.integers(0, 4, 40).astype(np.float32),
        np.zeros(40, np.float32),
    ):
        expected = np.argsort(-values, kind="stable")[:n]
        assert largest_places(values, n) == tuple(expected.tolist())


def test_of_no_values_none_is_the_largest():
    assert largest_places(np.zeros(0, np.float32), 3) == ()
