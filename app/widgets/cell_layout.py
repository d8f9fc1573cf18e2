"""Where the cells of a matrix lie: pure geometry, in logical pixels, without Qt."""

from dataclasses import dataclass
from math import floor

LARGEST_SQUARE = 72.0
"""A matrix of one cell fills no card."""
LARGEST_STRIP = 40.0
"""The thick side of a cell where rows and columns are too unlike for squares."""
SQUARE_UP_TO = 2.5
"""Cells are square up to this ratio of rows to columns."""
WHOLE_PIXELS_FROM = 8.0
"""From this size on all cells are equally large; below it filling the room counts."""
LABEL_STEPS = (1, 2, 3, 4, 5, 10, 20, 25, 50, 100, 200, 250, 500)


@dataclass(frozen=True, slots=True)
class CellLayout:
    """A grid of equal cells: its corner, the size of a cell, and how many there are."""

    left: float
    top: float
    cell_width: float
    cell_height: float
    n_rows: int
    n_columns: int

    @property
    def width(self) -> float:
        """From the first column's left edge to the last one's right."""
        return self.cell_width * self.n_columns

    @property
    def height(self) -> float:
        """From the first row's top edge to the last one's bottom."""
        return self.cell_height * self.n_rows

    def rectangle(self, row: int, column: int) -> tuple[float, float, float, float]:
        """Left, top, width and height of one cell."""
        left = self.left + column * self.cell_width
        top = self.top + row * self.cell_height
        return left, top, self.cell_width, self.cell_height

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """The (row, column) under a point, or None outside."""
        row = floor((y - self.top) / self.cell_height)
        column = floor((x - self.left) / self.cell_width)
        is_inside = 0 <= row < self.n_rows and 0 <= column < self.n_columns
        return (row, column) if is_inside else None


def cell_size(
    n_rows: int,
    n_columns: int,
    width: float,
    height: float,
    ratio: float = 1.0,
    *,
    may_be_square: bool = True,
) -> tuple[float, float]:
    """The width and height of a cell, as large as a room of width x height allows.

    Squares where they may be and rows and columns are about as many, else cells that
    fill the room. From WHOLE_PIXELS_FROM on a size is whole in device pixels (`ratio` a
    logical one).
    """
    per_column, per_row = max(1.0, width) / n_columns, max(1.0, height) / n_rows
    is_alike = max(n_rows, n_columns) <= SQUARE_UP_TO * min(n_rows, n_columns)
    if may_be_square and is_alike:
        side = whole(min(per_column, per_row, LARGEST_SQUARE), ratio)
        return side, side
    many_columns = n_columns > n_rows
    widest = LARGEST_SQUARE if many_columns else LARGEST_STRIP
    tallest = LARGEST_STRIP if many_columns else LARGEST_SQUARE
    return whole(min(per_column, widest), ratio), whole(min(per_row, tallest), ratio)


def whole(size: float, ratio: float) -> float:
    """A size cut to whole device pixels, unless it is too small to lose any."""
    return floor(size * ratio) / ratio if size >= WHOLE_PIXELS_FROM else size


def snapped(place: float, ratio: float) -> float:
    """A place moved to the nearest device pixel."""
    return round(place * ratio) / ratio


def label_step(pitch: float, needed: float) -> int:
    """Label every k-th place, so that labels `needed` pixels thick never overlap."""
    wanted = needed / pitch
    return next((step for step in LABEL_STEPS if step >= wanted), LABEL_STEPS[-1])
