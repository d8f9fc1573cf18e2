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
"""So many columns are summed together: they fill the lines of the processor's cache."""
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
    covered = np.zeros((len(palette), height, width), np.float32)
    flat, steep = _kept(lines, ~is_steep), _kept(lines, is_steep)
    slopes = rises[~is_steep] / run
    across = covered.transpose(0, 2, 1)
    sweep(flat, lines.starts[~is_steep], slopes, across)
    slopes = run / rises[is_steep]
    sweep(steep, -lines.starts[is_steep] * slopes, slopes, covered)
    return mixed(covered, palette)


def mixed(covered: Floats, palette: Floats) -> Bytes:
    """How much of each colour a pixel has, as a picture.

    [n_colours, height, width] -> [height, width, 4]; plane by plane, since four numbers
    side by side take five times as long.
    """
    n_colours, height, width = covered.shape
    inks = np.vstack([palette.astype(np.float32).T, np.ones(n_colours, np.float32)])
    planes = inks @ covered.reshape(n_colours, -1)
    planes *= 255 / np.maximum(planes[3], 1.0)
    planes += 0.5
    pixels = np.empty((height * width, 4), np.uint8)
    for place, plane in enumerate(planes):
        pixels[:, place] = plane
    return pixels.reshape(height, width, 4)


Ink = tuple[Floats, NDArray[np.intp]]


def _kept(lines: Lines, which: NDArray[np.bool_]) -> Ink:
    return lines.opacities[which], lines.colours[which]


def sweep(ink: Ink, firsts: Floats, slopes: Floats, covered: Floats) -> None:
    """Add lines at `firsts + slopes * place` for every place along the sweep.

    `ink` is each line's opacity and colour; `covered` is what they are added to:
    [n_colours, places, pixels across].
    """
    n_colours, n, across = covered.shape
    bins = across + OUTSIDE
    if not len(firsts):
        return
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
        covered[:, begin : begin + len(places)] += block.transpose(1, 0, 2)
