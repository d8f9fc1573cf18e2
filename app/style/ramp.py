"""From values to colours: levels, look-up tables, and the ink that is read on them.

In: float arrays and colours. Out: one byte per cell and a table of 256 colours. Pure
numpy. A map is never levelled by its own contents: the same value has the same colour
in every picture of one scale, also where all values are equal.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.style.contrast import (
    BLACK,
    EASY,
    LIGHT_SHARES,
    WHITE,
    channels,
    contrast,
    luminance,
)

ByteArray = NDArray[np.uint8]

TOP = 254
"""The level of the limit. Signed maps have zero at TOP / 2, where the halves meet."""
EMPTY = 255
"""The level of a cell without a value."""
FAINT, LIFT = 1e-30, 2.0**64
"""Below this limit values are lifted by this factor before they are coloured."""

# Linear sRGB to OKLab, in which equal steps look equal (Bjoern Ottosson, 2020).
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)

# Viridis as polynomials of degree six, lowest power first (Matt Zucker's fit, CC0).
VIRIDIS = np.array(
    [
        [0.2777273272, 0.0054073445, 0.3340998053],
        [0.1050930431, 1.4046135299, 1.3845901627],
        [-0.3308618287, 0.2148475595, 0.0950951630],
        [-4.6342304984, -5.7991009730, -19.3324409563],
        [6.2282699363, 14.1799333668, 56.6905526007],
        [4.7763849978, -13.7451453777, -65.3530326334],
        [-5.4354558559, 4.6458526122, 26.3124352496],
    ]
)


def levels(values: NDArray[np.float32], limit: float, *, signed: bool) -> ByteArray:
    """The level of every cell: 0 to TOP along the ramp, EMPTY where there is no value.

    [..., rows, columns] float -> the same shape, uint8. Values beyond the limit get the
    full colour; a limit of zero or less counts as one.
    """
    limit = limit if limit > 0 else 1.0
    if limit < FAINT:  # else the factor below would be infinite in float32
        values, limit = values * np.float32(LIFT), limit * LIFT
    middle = TOP / 2 if signed else 0.0
    heights = values * np.float32((TOP - middle) / limit)
    heights += np.float32(middle + 0.5)  # the cast below rounds down
    np.clip(heights, 0, TOP, out=heights)
    np.putmask(heights, np.isnan(heights), EMPTY)
    return heights.astype(np.uint8)


def ramp(colour: str, negative: str | None, surface: str, empty: str) -> ByteArray:
    """The colours of all levels: surface to `colour`, or `negative` to it by surface.

    "#RRGGBB" -> [256, 3] uint8; the last row is `empty`, the colour of no value.
    """
    stops = [surface, colour] if negative is None else [negative, surface, colour]
    return _with_empty(_between(stops, TOP + 1), empty)


def viridis(empty: str) -> ByteArray:
    """The viridis ramp: [256, 3] uint8, the last row `empty`."""
    powers = np.linspace(0, 1, TOP + 1)[:, None] ** np.arange(len(VIRIDIS))
    return _with_empty(powers @ VIRIDIS, empty)


def _with_empty(table: NDArray[np.float64], empty: str) -> ByteArray:
    full = np.vstack([table, channels(empty)])
    rounded: ByteArray = np.round(255 * np.clip(full, 0, 1)).astype(np.uint8)
    return rounded


def _between(stops: Sequence[str], n: int) -> NDArray[np.float64]:
    """`n` colours from the first stop to the last, evenly spaced to the eye: [n, 3]."""
    labs = _to_oklab(np.array([channels(stop) for stop in stops]))
    places = np.linspace(0, len(stops) - 1, n)
    mixed = [np.interp(places, np.arange(len(stops)), lab) for lab in labs.T]
    return _from_oklab(np.stack(mixed, axis=1))


def _to_oklab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.cbrt(_to_light(rgb) @ TO_CONES.T) @ TO_LAB.T)


def _to_light(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """The light that sRGB channels (0 to 1) stand for."""
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _from_oklab(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    light = (lab @ np.linalg.inv(TO_LAB).T) ** 3 @ np.linalg.inv(TO_CONES).T
    light = np.clip(light, 0, 1)
    dark = light <= 0.0031308
    return np.where(dark, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def text_on(background: str, preferred: str = BLACK) -> str:
    """The ink for text on `background`: `preferred` where it is easy to read.

    Else black or white, whichever stands out more: that is at least 4.5 everywhere.
    """
    if contrast(preferred, background) >= EASY:
        return preferred
    return max((WHITE, BLACK), key=lambda ink: contrast(ink, background))


def inks(table: ByteArray, preferred: str) -> tuple[str, ...]:
    """The ink for text on each of the 256 colours of `table`, as `text_on` chooses.

    All at once: a first picture in new colours must not wait for its inks.
    """
    light = luminances(table)
    candidates = (preferred, WHITE, BLACK)
    contrasts = [contrasts_of(light, luminance(ink)) for ink in candidates]
    is_easy = contrasts[0] >= EASY
    is_white = contrasts[1] >= contrasts[2]
    chosen = np.where(is_easy, 0, np.where(is_white, 1, 2))
    return tuple(candidates[place] for place in chosen.tolist())


def luminances(table: ByteArray) -> NDArray[np.float64]:
    """How light colours are to the eye: [n, 3] -> [n]; see `contrast.luminance`."""
    return np.asarray(_to_light(table / 255) @ LIGHT_SHARES)


def contrasts_of(light: NDArray[np.float64], other: float) -> NDArray[np.float64]:
    """The contrast ratios of luminances with another one."""
    low, high = np.minimum(light, other), np.maximum(light, other)
    return np.asarray((high + 0.05) / (low + 0.05))
