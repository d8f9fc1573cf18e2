"""What one lane of numbers holds: a number a column, and how they are drawn."""

from dataclasses import dataclass
from typing import Literal

from core.trace.matrix import FloatArray, Scale


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """One number a column."""

    name: str
    values: FloatArray
    """[n_columns]; NaN where there is none."""
    scale: Scale
    colour: str
    """Theme colour of positive values."""
    kind: Literal["cells", "bars", "course"]
    total: str = ""
    """What stands behind the lane: its sum, its range."""
