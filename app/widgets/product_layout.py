"""Where the three matrices of a product lie: pure geometry, in logical pixels.

The right factor above the result, the left one beside it; the corner between them is
free for words.
"""

from dataclasses import dataclass
from typing import NamedTuple

from app.widgets.cell_layout import CellLayout, snapped, whole

FACTORS = ("left", "right", "result")

GAP = 18.0
"""Between the left factor and the result."""
MARGIN = 2.0
NARROWEST, WIDEST = 0.36, 0.5
"""The result's share of the width."""
TALLEST_ROW = 26.0
MOST_HEIGHT = 0.5
"""The result's largest share of the height."""


class Margins(NamedTuple):
    """Room for words: beside the rows, above each matrix, and beside the right one."""

    labels: float
    caption: float
    groups: float
    """Width of the group names at the left of the right factor."""


@dataclass(frozen=True, slots=True)
class ProductLayout:
    """The cells of the three matrices."""

    left: CellLayout
    right: CellLayout
    result: CellLayout
    margins: Margins

    def cells(self, factor: str) -> CellLayout:
        """Those of one matrix."""
        found: CellLayout = getattr(self, factor)
        return found

    @property
    def corner(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the free corner."""
        right, left = self.right, self.left
        width = right.left - GAP - self.margins.groups - MARGIN
        height = left.top - self.margins.caption - GAP / 2 - MARGIN
        return MARGIN, MARGIN, max(0.0, width), max(0.0, height)


def layout_of(
    shape: tuple[int, int, int],
    size: tuple[float, float],
    margins: Margins,
    ratio: float = 1.0,
) -> ProductLayout:
    """Fill `size` with [n_rows, n_inner] x [n_inner, n_columns].

    `shape` is (n_rows, n_inner, n_columns); `ratio` is device pixels a logical one.
    """
    n_rows, n_inner, n_columns = shape
    width = max(3.0, size[0] - 2 * MARGIN - margins.labels - GAP)
    height = max(3.0, size[1] - 2 * MARGIN - 2 * margins.caption - GAP / 2)
    share = min(max(n_columns / (n_inner + n_columns), NARROWEST), WIDEST)
    row = whole(min(TALLEST_ROW, MOST_HEIGHT * height / n_rows), ratio)
    column = whole(share * width / n_columns, ratio)
    inner_width = whole((width - column * n_columns) / n_inner, ratio)
    inner_height = whole((height - row * n_rows) / n_inner, ratio)
    x = snapped(MARGIN + margins.labels, ratio)
    y = snapped(MARGIN + margins.caption, ratio)
    right_x = snapped(x + inner_width * n_inner + GAP, ratio)
    low_y = snapped(y + inner_height * n_inner + margins.caption + GAP / 2, ratio)
    return ProductLayout(
        left=CellLayout(x, low_y, inner_width, row, n_rows, n_inner),
        right=CellLayout(right_x, y, column, inner_height, n_inner, n_columns),
        result=CellLayout(right_x, low_y, column, row, n_rows, n_columns),
        margins=margins,
    )
