"""What a picture of numbers is made of: values, two labelled axes, a colour scale.

Views make these from a trace, widgets draw them. Plain data: neither torch nor Qt.
"""

from dataclasses import dataclass
from math import log10
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]

LEAST_SHARE = 1e-4
"""Where a logarithmic ramp begins, as a part of the limit; less has zero's colour."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The address of one number: a step or a weight, and an index into its array."""

    key: str
    index: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of a matrix: what it counts, and a label for each place on it."""

    name: str
    """What runs along it, in words: "query", "key", "feature"."""
    labels: tuple[str, ...]
    role: str = ""
    """The theme colour the axis wears ("query", "key", ...), or "" for plain text."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How values become colour.

    "share": 0 is the surface, `limit` the full colour; for probabilities and norms.
    "signed": 0 is the surface, -limit and +limit the two full colours.
    """

    kind: Literal["share", "signed"]
    limit: float
    is_log: bool = False
    """Whether shares are coloured by their logarithm, from `LEAST_SHARE` to 1."""
    threshold: float = 0.0
    """What is nearer to zero than this wears the colour of zero."""

    def coloured(self, values: FloatArray) -> FloatArray:
        """The values whose colours these get on an even ramp; NaN stays NaN."""
        found = values
        if self.is_log:
            with np.errstate(divide="ignore", invalid="ignore"):
                decades = np.log10(values / np.float32(LEAST_SHARE * self.limit))
            heights = np.maximum(decades, 0) / np.float32(-log10(LEAST_SHARE))
            found = np.asarray(heights * np.float32(self.limit), np.float32)
        if self.threshold > 0:
            is_less = np.abs(values) < np.float32(self.threshold)
            found = np.where(is_less, np.float32(0), found)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A matrix to look at. NaN marks a cell without a value."""

    values: FloatArray
    """[rows, columns], float32, read-only."""
    rows: Axis
    columns: Axis
    scale: Scale
    colour: str
    """Theme colour of positive values: "pattern", "query", "value", "residual", ..."""
    key: str = ""
    """The step or weight the numbers belong to."""
    prefix: tuple[int, ...] = ()
    """What stands before (row, column) in the index, such as the head."""
    dimmed: tuple[int, ...] = ()
    """Columns that are drawn faintly, since they would outshine the others."""

    def cell(self, row: int, column: int) -> Cell:
        """The address of the number at (row, column)."""
        return Cell(self.key, (*self.prefix, row, column))
