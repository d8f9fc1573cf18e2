"""Where many maps of one shape lie: pure geometry, in logical pixels, without Qt."""

from dataclasses import dataclass
from math import floor

from app.widgets.cell_layout import CellLayout, cell_size, snapped

GAP, LEAST_GAP = 12.0, 4.0
"""Between two maps, and between maps so many that they have no captions."""
MARGIN = 2.0
"""Around all of them, for outlines."""
CAPTION_WIDTH = 116.0
"""A caption gets this much where there is room, however small its map."""

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


@dataclass(frozen=True, slots=True)
class TileLayout:
    """Equal maps in rows, each with a caption above it."""

    n_tiles: int
    n_across: int
    left: float
    top: float
    pitch_x: float
    pitch_y: float
    caption_height: float
    cell: tuple[float, float]
    """Width and height of a cell."""
    shape: tuple[int, int]
    """Rows and columns of each map."""
    gap: float = GAP
    """Between two maps."""

    def cells(self, tile: int) -> CellLayout:
        """Where the cells of one map lie."""
        left, top = self._corner(tile)
        return CellLayout(left, top + self.caption_height, *self.cell, *self.shape)

    def caption(self, tile: int) -> Box:
        """Where the caption of one map lies."""
        left, top = self._corner(tile)
        return left, top, self.pitch_x - self.gap, self.caption_height

    def tile(self, tile: int) -> Box:
        """Everything that belongs to one map, outlines included."""
        left, top = self._corner(tile)
        height = self.caption_height + self.cell[1] * self.shape[0]
        width = max(self.pitch_x - self.gap, self.cell[0] * self.shape[1])
        return left - 3, top - 3, width + 6, height + 6

    def tile_at(self, x: float, y: float) -> int | None:
        """The map under a point, its caption and the gap after it included."""
        across, down = (x - self.left) // self.pitch_x, (y - self.top) // self.pitch_y
        tile = int(down * self.n_across + across)
        is_inside = 0 <= across < self.n_across and down >= 0 and tile < self.n_tiles
        return tile if is_inside else None

    def _corner(self, tile: int) -> tuple[float, float]:
        down, across = divmod(tile, self.n_across)
        return self.left + across * self.pitch_x, self.top + down * self.pitch_y


def tiles_in(
    n_tiles: int,
    shape: tuple[int, int],
    size: tuple[float, float],
    caption_height: float,
    ratio: float = 1.0,
) -> TileLayout:
    """The arrangement in which the cells of all maps are largest, centred in `size`.

    Of equally good ones, the squarest. `ratio` is device pixels a logical one. Maps
    without captions (a height of 0) lie closer.
    """
    options = (
        _arranged(n_tiles, across, shape, size, caption_height, ratio)
        for across in range(1, n_tiles + 1)
    )

    def merit(layout: TileLayout) -> tuple[float, int]:
        down = -(-n_tiles // layout.n_across)
        return layout.cell[0] * layout.cell[1], -abs(layout.n_across - down)

    return max(options, key=merit)


def _arranged(
    n_tiles: int,
    n_across: int,
    shape: tuple[int, int],
    size: tuple[float, float],
    caption_height: float,
    ratio: float,
) -> TileLayout:
    n_down = -(-n_tiles // n_across)
    gap = GAP if caption_height else LEAST_GAP
    width, height = size[0] - 2 * MARGIN, size[1] - 2 * MARGIN
    room_x = (width - (n_across - 1) * gap) / n_across
    room_y = (height - (n_down - 1) * gap) / n_down - caption_height
    cell = cell_size(*shape, room_x, room_y, ratio)
    map_width, map_height = cell[0] * shape[1], cell[1] * shape[0]
    pitch_x = max(map_width, min(room_x, CAPTION_WIDTH * bool(caption_height))) + gap
    pitch_y = map_height + caption_height + gap
    left = MARGIN + max(0.0, width + gap - n_across * pitch_x) / 2
    top = MARGIN + max(0.0, height + gap - n_down * pitch_y) / 2
    return TileLayout(
        n_tiles,
        n_across,
        left=snapped(left, ratio),
        top=snapped(top, ratio),
        pitch_x=floor(pitch_x * ratio) / ratio,  # many rounded up would not fit
        pitch_y=floor(pitch_y * ratio) / ratio,
        caption_height=snapped(caption_height, ratio),
        cell=cell,
        shape=shape,
        gap=gap,
    )
