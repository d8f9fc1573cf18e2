"""Which lines of attention are drawn, and where they run. Pure arithmetic.

Place: between the numbers of the heads and the picture of their lines. In: shares by
rows or by columns, and the rows and columns in sight. Out: strands (a row, a column, a
map, a share), their strokes in pixels, and the lines of a raster.
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
    spread: float = 0.0
    """How far apart the lines of neighbouring maps start."""


@dataclass(frozen=True, slots=True, eq=False)
class Strokes:
    """Lines from the left side to the right one, in pixels; arrays of [n_strands]."""

    starts: Floats
    """Height of its middle at the left side; it may lie outside the picture."""
    ends: Floats
    """Height of its middle at the right side."""
    widths: Floats
    opacities: Floats
    """0 to 1."""
    colours: NDArray[np.intp]
    """Which map each is of."""

    def __len__(self) -> int:
        return len(self.starts)


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


def strokes_of(
    strands: Strands, at: Rows, n_maps: int, opacity: Scale, dimmed: int | None
) -> Strokes:
    """The lines of strands in a picture; stronger ones are a little wider."""
    middle = at.pitch / 2 - at.offset
    shift = (strands.maps - (n_maps - 1) / 2) * at.spread + middle
    inks = np.array(opacity.coloured(strands.shares), np.float32)
    if dimmed is not None:
        inks[strands.columns == dimmed] *= DIMMED
    return Strokes(
        starts=(strands.rows * at.pitch + shift).astype(np.float32),
        ends=(strands.columns * at.pitch + shift).astype(np.float32),
        widths=np.float32(1)
        + np.searchsorted(THICKER_FROM, strands.shares, "right").astype(np.float32),
        opacities=inks,
        colours=strands.maps,
    )


def lines_of(strokes: Strokes, run: float, grain: float) -> Lines:
    """The strokes as lines a dot wide, for a raster of `grain` dots a pixel.

    `run` is how far the right side is from the left, in pixels. A wide stroke is some
    lines, each a dot lower than the one before; none is narrower than a dot.
    """
    n_dots = np.maximum(1, (strokes.widths * grain).astype(np.intp))
    which = np.repeat(np.arange(len(n_dots)), n_dots)
    firsts = np.repeat(np.cumsum(n_dots) - n_dots + (n_dots - 1) // 2, n_dots)
    # A steep line grows wider sideways: there a dot is so much height.
    steepness = np.maximum(1, np.abs(strokes.ends - strokes.starts) / run)
    by = (np.arange(len(which)) - firsts) * steepness[which]
    return Lines(
        starts=(strokes.starts[which] * grain + by).astype(np.float32),
        ends=(strokes.ends[which] * grain + by).astype(np.float32),
        opacities=strokes.opacities[which],
        colours=strokes.colours[which],
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
