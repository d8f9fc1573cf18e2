"""Fewer points that draw the same line: the lowest and the highest of each stretch.

Pure numpy. A curve of 100,000 points on 1,000 pixels is one of 2,000 points to the eye,
as long as no peak is lost.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_IN_BUNDLE = 100
"""Points of each line in a crowd."""


def finite(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The points that have a place: [n], [n] -> [m], [m] with m <= n."""
    is_there = np.isfinite(x) & np.isfinite(y)
    return (x, y) if is_there.all() else (x[is_there], y[is_there])


def within(x: Floats, y: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """The points from `low` to `high` and one more at each end; x must rise."""
    first = max(0, int(np.searchsorted(x, low, "left")) - 1)
    last = int(np.searchsorted(x, high, "right")) + 1
    return x[first:last], y[first:last]


def decimated(x: Floats, y: Floats, n_stretches: int) -> tuple[Floats, Floats]:
    """At most two points for each stretch: [n], [n] -> [m], [m].

    The lowest and the highest of each, in their order, so that no peak is lost; first
    and last point stay. y must be finite, and m is about 2 n_stretches at most.
    """
    size = len(x) // max(1, n_stretches)
    if size <= 2:
        return x, y
    n = len(x) // size
    rows = y[: n * size].reshape(n, size)
    pair = np.stack([rows.argmin(axis=1), rows.argmax(axis=1)], axis=1)
    pair.sort(axis=1)
    kept = (pair + size * np.arange(n)[:, None]).ravel()
    kept = np.concatenate([[0], kept, np.arange(n * size, len(x))[-1:], [len(x) - 1]])
    return x[kept], y[kept]


def bundled(x: Floats, y: Floats, n_stretches: int) -> tuple[Floats, Floats]:
    """Many lines as one with gaps: [n], [n, k] -> [m], [m], NaN behind each line.

    A crowd is looked at as a whole: it keeps every so many-th point only.
    """
    if not y.size:
        return np.zeros(0), np.zeros(0)
    every = -(-len(x) // min(n_stretches, MOST_IN_BUNDLE))
    xs, ys = x[::-1][::every][::-1], y[::-1][::every][::-1]  # with the newest point
    gaps = np.full((1, ys.shape[1]), np.nan)
    lines = np.concatenate([ys, gaps])
    places = np.append(xs, np.nan)
    return np.tile(places, ys.shape[1]), lines.T.ravel()
