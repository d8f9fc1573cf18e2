"""Maps with more cells than pixels: blocks of cells become one dot, none is lost.

Pure numpy. Sampling would drop a lone bright cell; so the strongest of a block stays.
"""

from math import ceil

import numpy as np

from core.trace.matrix import FloatArray


def block_size(n_cells: int, n_pixels: float) -> int:
    """How many cells share a dot so that `n_cells` fit into `n_pixels`; at least 1."""
    return max(1, ceil(n_cells / max(1.0, n_pixels)))


def reduce_by_maximum(values: FloatArray, rows: int, columns: int) -> FloatArray:
    """The value farthest from zero of each block of rows x columns, with its sign.

    [..., n_rows, n_columns] -> [..., ceil(n_rows / rows), ceil(n_columns / columns)].
    NaN cells are passed over; a block of nothing else is NaN. By slices, since
    `reshape(...).max()` takes eight times as long.
    """
    if rows == columns == 1:
        return values
    highest = _over_blocks(values, rows, columns, np.fmax)
    if not np.fmin.reduce(values, axis=None) < 0:
        return highest
    lowest = _over_blocks(values, rows, columns, np.fmin)
    return np.where(highest < -lowest, lowest, highest)


def _over_blocks(
    values: FloatArray, rows: int, columns: int, keep: np.ufunc
) -> FloatArray:
    upright = values[..., ::rows, :].copy()
    for start in range(1, rows):
        part = values[..., start::rows, :]
        covered = upright[..., : part.shape[-2], :]  # the last block may be short
        keep(covered, part, out=covered)
    kept = upright[..., ::columns].copy()
    for start in range(1, columns):
        part = upright[..., start::columns]
        covered = kept[..., : part.shape[-1]]
        keep(covered, part, out=covered)
    return kept


def strongest_in(values: FloatArray, rows: range, columns: range) -> tuple[int, int]:
    """The (row, column) of the value farthest from zero in a block of [rows, columns].

    The block's first cell where it holds no value at all.
    """
    block = np.abs(values[rows.start : rows.stop, columns.start : columns.stop])
    place = int(np.argmax(np.where(np.isnan(block), -1.0, block)))
    row, column = divmod(place, block.shape[1])
    return rows.start + row, columns.start + column


def largest_places(values: FloatArray, n: int) -> tuple[int, ...]:
    """Where the n largest of many values are, the largest first; equal ones in order.

    [size] -> at most n places. No value may be NaN. Without sorting all of them: a
    vocabulary has many tens of thousands.
    """
    n = min(n, len(values))
    if not n:
        return ()
    least = np.partition(values, len(values) - n)[len(values) - n]
    found = np.flatnonzero(values >= least)
    order = np.lexsort((found, -values[found]))[:n]
    return tuple(found[order].tolist())
