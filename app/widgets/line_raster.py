"""Many straight lines between two edges, painted at once: thousands in a few ms.

Place: below the lines of attention. In: where each line starts at the left edge and
ends at the right one, its opacity and its colour. Out: one picture. Qt's painter takes
about 40 us a line; here all of them are summed column by column (row by row where they
are steep), each sample shared between the two pixels it lies between (X. Wu, 1991).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

BLOCK = 16
"""So many columns are summed together: their samples stay in the processor's cache."""
OUTSIDE = 3
"""Bins a column has beside its pixels: one before them and two behind."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines from the left edge of a picture to its right edge; arrays of [n_lines]."""

    starts: Floats
    """Height at the left edge in pixels from the top; it may lie outside."""
    ends: Floats
    """Height at the right edge."""
    opacities: Floats
    """0 to 1."""
    colours: NDArray[np.intp]
    """Which row of the palette each line wears."""

    def __len__(self) -> int:
        return len(self.starts)


def rastered(lines: Lines, palette: Floats, width: int, height: int) -> Bytes:
    """The lines as a picture; `palette` [n_colours, 3] is red, green, blue, 0 to 1.

    Where opacities add up to more than one, colours are mixed in their proportions: the
    order of the lines does not matter. -> [height, width, 4] uint8: red, green, blue,
    each already times the opacity, and the opacity.
    """
    run = max(1, width - 1)
    rises = lines.ends - lines.starts
    is_steep = np.abs(rises) > run
    is_flat = ~is_steep
    ones = np.ones((len(palette), 1), np.float32)
    inks: Floats = np.hstack([palette.astype(np.float32), ones])
    slopes = rises[is_flat] / run
    flat = _kept(lines, is_flat)
    swept_across = swept(flat, lines.starts[is_flat], slopes, inks, (width, height))
    sums: Floats = swept_across.transpose(1, 0, 2)
    if is_steep.any():
        slopes = run / rises[is_steep]
        firsts = -lines.starts[is_steep] * slopes
        steep = _kept(lines, is_steep)
        sums = sums + swept(steep, firsts, slopes, inks, (height, width))
    levels = sums * (255 / np.maximum(sums[..., 3:], 1.0)) + 0.5
    return np.ascontiguousarray(levels, np.uint8)


Ink = tuple[Floats, NDArray[np.intp]]


def _kept(lines: Lines, which: NDArray[np.bool_]) -> Ink:
    return lines.opacities[which], lines.colours[which]


def swept(
    ink: Ink, firsts: Floats, slopes: Floats, inks: Floats, size: tuple[int, int]
) -> Floats:
    """Inks summed at `firsts + slopes * place` for every place along the sweep.

    `ink` is each line's opacity and colour, `inks` [n_colours, 4], `size` how many
    places and how many pixels across. -> [n, across, 4]
    """
    n, across = size
    bins, n_colours = across + OUTSIDE, len(inks)
    sums = np.zeros((n, across, inks.shape[1]), np.float32)
    if not len(firsts):
        return sums
    opacities = ink[0][:, None]
    for begin in range(0, n, BLOCK):
        places = np.arange(begin, min(n, begin + BLOCK), dtype=np.float32)
        at = firsts[:, None] + slopes[:, None] * places
        at += 1
        np.clip(at, 0, across + 1, out=at)
        lower = at.astype(np.int32)
        upper_share = (at - lower) * opacities
        lower_share = opacities - upper_share
        lower += (bins * n_colours * np.arange(len(places), dtype=np.int32))[None]
        lower += (bins * ink[1].astype(np.int32))[:, None]
        flat, n_bins = lower.ravel(), bins * n_colours * len(places)
        total = np.bincount(flat, lower_share.ravel(), n_bins)
        total[1:] += np.bincount(flat, upper_share.ravel(), n_bins)[:-1]
        block = total.reshape(len(places), n_colours, bins)[:, :, 1 : across + 1]
        seen = block.astype(np.float32).transpose(0, 2, 1)
        sums[begin : begin + len(places)] = seen @ inks
    return sums
