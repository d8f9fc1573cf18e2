"""Lines summed into a picture: where they run, how opaque they are, how they mix."""

import numpy as np
import pytest

from app.widgets.line_raster import Lines, rastered

RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
PALETTE = np.array([RED, BLUE], np.float32)


def lines(*rows):
    """Rows of (start, end, opacity, colour)."""
    columns = np.array(rows, np.float32).T
    return Lines(*columns[:3], columns[3].astype(np.intp))


def test_a_level_line_is_one_row_of_its_colour():
    picture = rastered(lines((2, 2, 1, 0)), PALETTE, 6, 5)
    assert picture.shape == (5, 6, 4)
    assert (picture[2] == [255, 0, 0, 255]).all()
    assert not np.delete(picture, 2, axis=0).any()


def test_a_line_between_two_rows_is_shared_by_both():
    picture = rastered(lines((1.25, 1.25, 1, 1)), PALETTE, 4, 4)
    assert picture[1, :, 3].tolist() == [191] * 4
    assert picture[2, :, 3].tolist() == [64] * 4


def test_a_slope_ends_where_it_should():
    picture = rastered(lines((0, 4, 1, 0)), PALETTE, 9, 5)
    assert picture[0, 0, 3] == picture[4, 8, 3] == picture[2, 4, 3] == 255
    assert picture[4, 0, 3] == picture[0, 8, 3] == 0


@pytest.mark.parametrize(("start", "end"), [(-40, 50), (50, -40), (0, 5), (-3, 12)])
def test_a_steep_line_has_no_gaps(start, end):
    picture = rastered(lines((start, end, 1, 0)), PALETTE, 5, 6)
    heights = np.linspace(start, end, 5)
    is_seen = (heights.min() <= np.arange(6)) & (np.arange(6) <= heights.max())
    filled = picture[..., 3].astype(int).sum(axis=1)
    assert (np.abs(filled[is_seen] - 255) <= 2).all()


def test_opacity_is_the_opacity_of_the_pixel():
    picture = rastered(lines((1, 1, 0.25, 0)), PALETTE, 3, 3)
    assert picture[1, 1].tolist() == [64, 0, 0, 64]


def test_lines_that_are_too_much_together_mix_in_their_proportions():
    both = lines((1, 1, 1, 0), (1, 1, 1, 1), (1, 1, 1, 1))
    picture = rastered(both, PALETTE, 3, 3)
    assert picture[1, 0].tolist() == [85, 0, 170, 255]


def test_the_order_of_lines_does_not_matter():
    rng = np.random.default_rng(3)
    n = 40
    some = Lines(
        rng.uniform(-20, 40, n).astype(np.float32),
        rng.uniform(-20, 40, n).astype(np.float32),
        rng.random(n).astype(np.float32),
        rng.integers(0, 2, n),
    )
    turned = Lines(
        *(each[::-1] for each in (some.starts, some.ends, some.opacities, some.colours))
    )
    one = rastered(some, PALETTE, 23, 20).astype(int)
    assert np.abs(one - rastered(turned, PALETTE, 23, 20)).max() <= 1


def test_no_lines_and_lines_outside_paint_nothing():
    none = Lines(*(np.zeros(0, np.float32),) * 3, np.zeros(0, np.intp))
    assert not rastered(none, PALETTE, 4, 4).any()
    assert not rastered(lines((-9, -8, 1, 0), (40, 41, 1, 0)), PALETTE, 4, 4).any()
