"""Thinning a curve loses no peak and keeps its ends."""

import numpy as np

from app.widgets.decimate import decimated, finite, within


def test_a_peak_of_one_sample_survives():
    x = np.arange(100_000.0)
    y = np.zeros(100_000)
    y[12_345], y[77_777] = 9, -7
    xs, ys = decimated(x, y, 500)
    assert len(xs) <= 1010
    assert (xs[ys.argmax()], ys.max()) == (12_345, 9)
    assert (xs[ys.argmin()], ys.min()) == (77_777, -7)


def test_what_is_kept_rises_and_keeps_both_ends():
    x = np.arange(1003.0)
    y = np.random.default_rng(1).normal(size=1003)
    xs, ys = decimated(x, y, 100)
    assert (np.diff(xs) >= 0).all()
    assert (xs[0], xs[-1]) == (0, 1002)
    assert np.array_equal(ys, y[xs.astype(int)])


def test_a_short_curve_is_left_as_it_is():
    x = np.arange(10.0)
    assert decimated(x, x, 5)[0] is x


def test_only_points_with_a_place_are_drawn():
    x, y = np.arange(4.0), np.array([1, np.nan, np.inf, 2])
    xs, ys = finite(x, y)
    assert xs.tolist() == [0, 3]
    assert ys.tolist() == [1, 2]


def test_a_part_has_one_neighbour_at_each_end():
    x = np.arange(10.0)
    xs, _ = within(x, x, 3.5, 5.5)
    assert xs.tolist() == [3, 4, 5, 6]
