"""Thinning a curve loses no peak and keeps its ends."""

import numpy as np

from app.widgets.decimate import MOST_IN_BUNDLE, bundled, decimated, finite, within


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


def test_a_crowd_is_one_line_with_gaps():
    x, y = np.arange(2.0), np.array([[1.0, 3], [2, 4]])
    xs, ys = bundled(x, y, 50)
    assert np.array_equal(xs, [0, 1, np.nan, 0, 1, np.nan], equal_nan=True)
    assert np.array_equal(ys, [1, 2, np.nan, 3, 4, np.nan], equal_nan=True)


def test_a_large_crowd_is_thinned_but_keeps_its_newest_points():
    n = 12 * MOST_IN_BUNDLE + 7
    xs, _ = bundled(np.arange(float(n)), np.zeros((n, 3)), 1000)
    assert len(xs) <= 3 * (MOST_IN_BUNDLE + 1)
    assert np.nanmax(xs) == n - 1


def test_a_crowd_of_nobody_is_nothing():
    assert bundled(np.zeros(0), np.zeros((0, 0)), 9)[0].size == 0
