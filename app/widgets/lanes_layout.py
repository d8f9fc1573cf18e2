"""Where the lanes of a picture lie: pure geometry, in logical pixels, without Qt."""

from dataclasses import dataclass
from typing import NamedTuple

from app.widgets.cell_layout import CellLayout, snapped, whole

MARGIN = 4.0
GAP = 10.0
"""Between names, lanes and totals."""
LANE_GAP = 8.0
"""Between two lanes."""
WEIGHTS = {"cells": 1.0, "bars": 2.0, "course": 1.6}
"""How lanes share the height."""
LEAST, MOST_CELLS = 10.0, 30.0
"""A lane is never lower; cells are never higher."""
WIDEST = 96.0
"""A column is never wider."""


class Sides(NamedTuple):
    """What is kept free around the lanes."""

    left: float
    right: float
    foot: float


@dataclass(frozen=True, slots=True)
class LanesLayout:
    """Lanes of equal columns below each other."""

    left: float
    cell_width: float
    n_columns: int
    tops: tuple[float, ...]
    """By lane."""
    heights: tuple[float, ...]
    sides: Sides

    @property
    def width(self) -> float:
        """Of all columns together."""
        return self.cell_width * self.n_columns

    @property
    def bottom(self) -> float:
        """The foot of the last lane."""
        return self.tops[-1] + self.heights[-1]

    def cells(self, lane: int) -> CellLayout:
        """One lane as a row of cells."""
        return CellLayout(
            self.left,
            self.tops[lane],
            self.cell_width,
            self.heights[lane],
            n_rows=1,
            n_columns=self.n_columns,
        )


def layout_of(
    kinds: tuple[str, ...],
    n_columns: int,
    size: tuple[float, float],
    sides: Sides,
    ratio: float,
) -> LanesLayout:
    """The lanes as wide and as high as `size` allows.

    `kinds` are keys of `WEIGHTS`; `ratio` is device pixels a logical one.
    """
    left = MARGIN + sides.left + GAP
    room = max(1.0, size[0] - left - GAP - sides.right - MARGIN)
    cell = whole(min(WIDEST, room / n_columns), ratio)
    free = size[1] - 2 * MARGIN - sides.foot - GAP / 2 - LANE_GAP * (len(kinds) - 1)
    heights = lane_heights(kinds, free)
    tops, top = [], MARGIN
    for height in heights:
        tops.append(snapped(top, ratio))
        top += height + LANE_GAP
    return LanesLayout(
        snapped(left, ratio), cell, n_columns, tuple(tops), heights, sides
    )


def lane_heights(kinds: tuple[str, ...], free: float) -> tuple[float, ...]:
    """How high each lane is; what cells do not need goes to the others."""
    unit = free / sum(WEIGHTS[kind] for kind in kinds)
    cells = min(MOST_CELLS, max(LEAST, unit))
    n_cells = sum(kind == "cells" for kind in kinds)
    others = sum(WEIGHTS[kind] for kind in kinds if kind != "cells")
    rest = (free - n_cells * cells) / others if others else 0.0
    return tuple(
        round(cells if kind == "cells" else max(LEAST, rest * WEIGHTS[kind]))
        for kind in kinds
    )
