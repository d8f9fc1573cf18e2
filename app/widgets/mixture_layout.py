"""Where the parts of a weighted sum lie: pure geometry, in logical pixels."""

from dataclasses import dataclass

from app.widgets.cell_layout import CellLayout, snapped, whole

PARTS = ("shares", "rows", "weighted", "total")

MARGIN = 2.0
SIGN = 26.0
"""Between two parts: room for a sign of arithmetic."""
SHARE_WIDTH = 92.0
"""The bar of a share and its number."""
TALLEST_ROW, TOTAL_HEIGHT = 44.0, 28.0
FOOT = 14.0
"""Between the weighted rows and their total."""


@dataclass(frozen=True, slots=True)
class MixtureLayout:
    """The cells of each part; the shares are one column of bars."""

    shares: CellLayout
    rows: CellLayout
    weighted: CellLayout
    total: CellLayout

    def cells(self, part: str) -> CellLayout:
        """Those of one part."""
        found: CellLayout = getattr(self, part)
        return found


def layout_of(
    shape: tuple[int, int],
    size: tuple[float, float],
    label_width: float,
    caption: float,
    ratio: float = 1.0,
) -> MixtureLayout:
    """Fill `size` with [n_rows, n_columns] twice, beside labels and shares.

    `caption` is the height of the line above; `ratio` is device pixels a logical one.
    """
    n_rows, n_columns = shape
    x = snapped(MARGIN + label_width, ratio)
    y = snapped(MARGIN + caption, ratio)
    width = max(2.0, size[0] - x - MARGIN - SHARE_WIDTH - 2 * SIGN) / 2
    height = max(1.0, size[1] - y - MARGIN - FOOT - TOTAL_HEIGHT)
    column = whole(width / n_columns, ratio)
    row = whole(min(TALLEST_ROW, height / n_rows), ratio)
    rows_x = snapped(x + SHARE_WIDTH + SIGN, ratio)
    weighted_x = snapped(rows_x + column * n_columns + SIGN, ratio)
    total_y = snapped(y + row * n_rows + FOOT, ratio)
    return MixtureLayout(
        shares=CellLayout(x, y, SHARE_WIDTH, row, n_rows, 1),
        rows=CellLayout(rows_x, y, column, row, n_rows, n_columns),
        weighted=CellLayout(weighted_x, y, column, row, n_rows, n_columns),
        total=CellLayout(weighted_x, total_y, column, TOTAL_HEIGHT, 1, n_columns),
    )
