"""Which lines of attention are drawn, and where they run. Pure arithmetic.

Place: between the numbers of the heads and the picture of their lines. In: shares by
rows or by columns, and the rows and columns in sight. Out: strands (a row, a column, a
map, a share), and the lines of a picture in pixels.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.widgets.line_raster import Floats, Lines
from core.trace.matrix import Scale

MOST_STRANDS = 1200
"""More lines at once are a fog, and would not be painted within a frame."""
THICKER_FROM = (0.3, 0.7)
"""A share of at least so much adds a pixel to the width of its line."""
DIMMED = 0.2
"""What is left of the opacity of lines to a dimmed column."""


class ShareSource(Protocol):
    """Maps of shares that can be cut; NaN where there is none."""

    @property
    def n_rows(self) -> int:
        """Places at the left."""

    @property
    def n_columns(self) -> int:
        """Places at the right."""

    def rows(self, start: int, stop: int) -> Floats:
        """[n_maps, stop - start, n_columns]."""

    def columns(self, start: int, stop: int) -> Floats:
        """[n_maps, n_rows, stop - start]."""


@dataclass(frozen=True, slots=True, eq=False)
class Strands:
    """Pairs that are joined by a line; arrays of [n_strands]."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    maps: NDArray[np.intp]
    shares: Floats

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Rows:
    """Where the rows lie in the picture, the same at both sides."""

    pitch: float
    offset: float
    """How far the picture is scrolled."""
    run: float
    """How far the right side is from the left."""
    pixel: int = 1
    """How large a pixel of the picture is painted; large ones make all lines wide."""
    spread: float = 0.0
    """How far apart the lines of neighbouring maps start."""


def strands_in_sight(
    source: ShareSource, rows: range, columns: range, least: float
) -> Strands:
    """The strongest map of every pair with an end in sight, from share `least` on."""
    upper = _strongest(source.rows(rows.start, rows.stop), least, rows.start, 0)
    block = np.array(source.columns(columns.start, columns.stop))
    block[:, rows.start : rows.stop] = 0  # these are in the first part
    lower = _strongest(block, least, 0, columns.start)
    return _no_fog(_joined(upper, lower))


def strands_of_row(source: ShareSource, row: int, least: float) -> Strands:
    """Every line of one row, each map with its own."""
    values = np.nan_to_num(source.rows(row, row + 1)[:, 0])
    maps, columns = np.nonzero(values >= least)
    shares = values[maps, columns]
    return _no_fog(Strands(np.full(len(maps), row), columns, maps, shares))


def strands_of_column(source: ShareSource, column: int, least: float) -> Strands:
    """Every line to one column, each map with its own."""
    values = np.nan_to_num(source.columns(column, column + 1)[:, :, 0])
    maps, rows = np.nonzero(values >= least)
    shares = values[maps, rows]
    return _no_fog(Strands(rows, np.full(len(maps), column), maps, shares))


def lines_of(
    strands: Strands, at: Rows, n_maps: int, opacity: Scale, dimmed: int | None
) -> Lines:
    """The lines of strands in a picture; stronger ones are a little wider."""
    middle = at.pitch / 2 - at.offset
    shift = (strands.maps - (n_maps - 1) / 2) * at.spread + middle
    starts = (strands.rows * at.pitch + shift).astype(np.float32)
    ends = (strands.columns * at.pitch + shift).astype(np.float32)
    inks = np.array(opacity.coloured(strands.shares), np.float32)
    if dimmed is not None:
        inks[strands.columns == dimmed] *= DIMMED
    copies = [np.arange(len(strands))]
    steps = [np.zeros(len(strands))]
    wider = zip((1.0, -1.0), THICKER_FROM, strict=True)
    for step, least in wider if at.pixel == 1 else ():
        copies.append(np.flatnonzero(strands.shares >= least))
        steps.append(np.full(len(copies[-1]), step))
    which, by = np.concatenate(copies), np.concatenate(steps)
    # A steep line grows wider sideways: there a pixel is so much height.
    by *= np.maximum(1, np.abs(ends - starts)[which] / at.run)
    return Lines(
        starts=((starts[which] + by) / at.pixel).astype(np.float32),
        ends=((ends[which] + by) / at.pixel).astype(np.float32),
        opacities=inks[which],
        colours=strands.maps[which],
    )


def _strongest(
    block: Floats, least: float, first_row: int, first_column: int
) -> Strands:
    """The pairs whose strongest share is enough, each with that share and its map."""
    values = np.nan_to_num(block)
    top = values.max(axis=0)
    rows, columns = np.nonzero(top >= least)
    maps = values[:, rows, columns].argmax(axis=0)
    shares = top[rows, columns]
    return Strands(rows + first_row, columns + first_column, maps, shares)


def _joined(first: Strands, second: Strands) -> Strands:
    return Strands(
        np.concatenate((first.rows, second.rows)),
        np.concatenate((first.columns, second.columns)),
        np.concatenate((first.maps, second.maps)),
        np.concatenate((first.shares, second.shares)),
    )


def _no_fog(strands: Strands) -> Strands:
    if len(strands) <= MOST_STRANDS:
        return strands
    kept = np.argpartition(-strands.shares, MOST_STRANDS)[:MOST_STRANDS]
    return Strands(
        strands.rows[kept],
        strands.columns[kept],
        strands.maps[kept],
        strands.shares[kept],
    )
