"""Where the three matrices of a product lie: pure geometry, in logical pixels.

The right factor above the result, the left one beside it. The corner between them has
words, and below these a chart of the products, column over column of the left factor.
"""

from dataclasses import dataclass
from typing import NamedTuple

from app.widgets.cell_layout import CellLayout, snapped, whole

FACTORS = ("left", "right", "result")

GAP = 18.0
"""Between the left factor and the result, and below the right one."""
MARGIN = 2.0
NARROWEST, WIDEST = 0.36, 0.5
"""The result's share of the width."""
TALLEST_ROW = 26.0
MOST_HEIGHT = 0.5
"""The result's largest share of the height."""
CHART_HEIGHT = 84.0
CHART_FROM = 190.0
"""The chart needs a corner of this height."""

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


class Margins(NamedTuple):
    """Room for words; all 0 in a picture without any."""

    labels: float
    """Beside the rows."""
    caption: float
    """One line and the gap below it, above each matrix and the chart."""
    groups: float
    """Names of groups, at the left of the right factor."""
    group_line: float
    """Names of groups, above the left factor."""


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
    def chart(self) -> Box | None:
        """Where the chart lies; None where it has no room."""
        if not self.margins.caption or self.right.height < CHART_FROM:
            return None
        bottom = self.right.top + self.right.height
        left = self.left
        return left.left, bottom - CHART_HEIGHT, left.width, CHART_HEIGHT

    @property
    def corner(self) -> Box:
        """What is free for words."""
        width = self.right.left - GAP - self.margins.groups - MARGIN
        bottom = self.right.top + self.right.height
        if self.chart is not None:
            bottom = self.chart[1] - self.margins.caption
        return MARGIN, MARGIN, max(0.0, width), max(0.0, bottom - MARGIN)


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
    between = margins.caption + margins.group_line + GAP / 2
    gap = GAP + margins.groups
    width = max(3.0, size[0] - 2 * MARGIN - margins.labels - gap)
    height = max(3.0, size[1] - 2 * MARGIN - margins.caption - between)
    share = min(max(n_columns / (n_inner + n_columns), NARROWEST), WIDEST)
    row = whole(min(TALLEST_ROW, MOST_HEIGHT * height / n_rows), ratio)
    column = whole(share * width / n_columns, ratio)
    inner_width = whole((width - column * n_columns) / n_inner, ratio)
    inner_height = whole((height - row * n_rows) / n_inner, ratio)
    x = snapped(MARGIN + margins.labels, ratio)
    y = snapped(MARGIN + margins.caption, ratio)
    right_x = snapped(x + inner_width * n_inner + gap, ratio)
    low_y = snapped(y + inner_height * n_inner + between, ratio)
    return ProductLayout(
        left=CellLayout(x, low_y, inner_width, row, n_rows, n_inner),
        right=CellLayout(right_x, y, column, inner_height, n_inner, n_columns),
        result=CellLayout(right_x, low_y, column, row, n_rows, n_columns),
        margins=margins,
    )
