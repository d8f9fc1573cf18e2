"""Many small maps to look over: all heads of all layers, in rows or as they come.

Place: the overview of the attention panel. In: maps of one shape and one scale, each no
larger than it is drawn, some of them still to come. Out: which map was chosen, which
was gathered, which are in sight. One picture holds all maps; each is painted from its
part.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPen

from app.style.fonts import CAPTION, MEDIUM, REGULAR, mono
from app.style.maps import palette
from app.style.sequence import sequence_colour
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, NOTHING, Canvas, grid_step
from app.widgets.cell_image import cell_image
from app.widgets.cell_layout import CellLayout
from app.widgets.label import Align, draw_label, first_fitting, line_height
from app.widgets.map_painting import paint_veil
from core.trace.matrix import FloatArray, Scale
from core.trace.reduce import block_size, reduce_by_maximum

GAP_X, GAP_Y = 6.0, 8.0
LEAST_SIDE, MOST_SIDE = 34.0, 132.0
"""A small map is never smaller, and a few maps are not larger."""
CAPTION_GAP = 2.0
BAR_HEIGHT, BAR_GAP = 3.0, 3.0
MARGIN = 3.0
GATHERED = "✓ "


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One small map."""

    caption: str
    values: FloatArray | None
    """[rows, columns]; None while it is on its way."""
    share: float | None = None
    """How much of the bar below it is filled; None: it has none."""
    is_gathered: bool = False
    tip: str = ""
    colour: int = 0
    """Its place in the sequence of colours, worn where it is gathered."""
    shorter: tuple[str, ...] = ()
    """What stands above a map too narrow for the caption, the longest first."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where the tiles lie."""

    n_across: int
    side: float
    """Of a map; they are drawn square."""
    pitch_x: float
    pitch_y: float
    top: float
    """What stands above a map inside its tile."""
    left: float = MARGIN
    """Where the first map of a row begins."""

    def map_rect(self, index: int) -> QRectF:
        """Where the map of a tile lies."""
        down, across = divmod(index, self.n_across)
        left = self.left + across * self.pitch_x
        return QRectF(
            left, MARGIN + down * self.pitch_y + self.top, self.side, self.side
        )


class MapTiles(Canvas):
    """Small maps in rows; the cursor goes up, down and across."""

    tile_clicked = Signal(int)
    """The reader chose a map."""

    tile_toggled = Signal(int)
    """The reader gathers a map, or lets it go: Ctrl, Shift or the right button."""

    scrolled = Signal()
    """Other maps are in sight."""

    def __init__(self) -> None:
        """No maps yet."""
        super().__init__("All heads", {**ACROSS, **DOWN})
        self.setObjectName("head.tiles")
        self._tiles: tuple[Tile, ...] = ()
        self._n_across = 0
        self._dimmed: tuple[int, ...] = ()
        self._scale, self._colour = Scale("share", 1.0), "pattern"
        self._selected = NOTHING
        self._place = Arrangement(1, LEAST_SIDE, LEAST_SIDE, LEAST_SIDE, 0.0)
        self._image: QImage | None = None
        self._look: tuple[object, ...] = ()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(self.scrolled)

    def show_tiles(
        self,
        tiles: Sequence[Tile],
        scale: Scale,
        colour: str,
        n_across: int = 0,
        dimmed: tuple[int, ...] = (),
    ) -> None:
        """Show maps in one scale, `n_across` in a row if they fit; 0: as many as do.

        `dimmed` columns are drawn faintly.
        """
        self._tiles, self._n_across, self._dimmed = tuple(tiles), n_across, dimmed
        self._scale, self._colour = scale, colour
        self._look = ()
        self.refresh()

    def set_selected(self, index: int) -> None:
        """Mark one map and bring it into sight; NOTHING marks none."""
        if index != self._selected:
            before, self._selected = self._selected, index
            self.reveal(index)
            for stale in (before, index):
                self.update_item(stale)

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """What is shown."""
        return self._tiles

    def in_sight(self) -> tuple[int, ...]:
        """The maps that are seen now."""
        seen = QRectF(self.viewport().rect()).translated(self.offset())
        indices = range(len(self._tiles))
        return tuple(i for i in indices if self.item_rect(i).intersects(seen))

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a map."""
        return len(self._tiles)

    def item_rect(self, index: int) -> QRectF:
        """Caption, map and bar."""
        place = self._place
        box = place.map_rect(index)
        return QRectF(
            box.left(), box.top() - place.top, place.side, place.pitch_y - GAP_Y
        )

    def item_text(self, index: int) -> str:
        """The caption, and what is said of the head."""
        tile = self._tiles[index]
        return f"{tile.caption}\n{tile.tip}" if tile.tip else tile.caption

    def neighbour(self, index: int, key: int) -> int:
        """Where a key takes the cursor from `index`."""
        n_across = self._place.n_across
        n_rows = -(-len(self._tiles) // n_across)
        step = grid_step(index, key, n_rows, n_across)
        return min(step, len(self._tiles) - 1)

    def update_item(self, index: int) -> None:
        """Paint one map anew: its frame and its caption."""
        if 0 <= index < len(self._tiles):
            around = self.item_rect(index).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
            shown = around.translated(-QPointF(self.offset()))
            self.viewport().update(shown.toAlignedRect())

    def activate(self, index: int, is_secondary: bool) -> None:
        """Choose a map, or gather it."""
        (self.tile_toggled if is_secondary else self.tile_clicked).emit(index)

    def arrange(self) -> QSizeF:
        """Make the maps as large as they can be without scrolling, but no smaller."""
        n, width = len(self._tiles), self.viewport().width() - 2 * MARGIN
        height = self.viewport().height() - 2 * MARGIN
        caption = line_height(mono(CAPTION)) + CAPTION_GAP
        has_bars = any(tile.share is not None for tile in self._tiles)
        extra = caption + (BAR_GAP + BAR_HEIGHT if has_bars else 0.0)
        most = max(1, int((width + GAP_X) // (LEAST_SIDE + GAP_X)))
        across = [min(self._n_across, most)] if self._n_across else range(1, most + 1)
        sides = {k: side_of(n, k, width, height, extra) for k in across}
        n_across = max(sides, key=lambda k: (sides[k], -k))
        side = max(sides[n_across], LEAST_SIDE)
        if sides[n_across] < LEAST_SIDE and not self._n_across:
            n_across = most
        spare = width + GAP_X - min(n, n_across) * (side + GAP_X)
        left = MARGIN + max(0, round(spare / 2))
        self._place = Arrangement(
            n_across, side, side + GAP_X, side + extra + GAP_Y, caption, left
        )
        n_rows = -(-n // n_across)
        whole = 2 * MARGIN + n_rows * self._place.pitch_y - GAP_Y
        return QSizeF(self.viewport().width(), max(0.0, whole))

    def keep_in_sight(self) -> None:
        """Keep the chosen map where it is seen."""
        self.reveal(self._selected)

    # What is painted.

    def _picture(self) -> QImage | None:
        """All maps, one below the other, with a dot a pixel at most."""
        look = (theme().name, palette(), self._place.side, self.devicePixelRatioF())
        if look != self._look:
            self._look = look
            known = [tile.values for tile in self._tiles if tile.values is not None]
            self._image = None
            if known and known[0].size:
                stack = np.stack(known)
                pixels = self._place.side * self.devicePixelRatioF()
                blocks = [block_size(n, pixels) for n in stack.shape[1:]]
                reduced = reduce_by_maximum(stack, *blocks)
                self._image = cell_image(reduced, self._scale, self._colour)
        return self._image

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """Paint the maps in sight."""
        picture, n_known = self._picture(), 0
        n_maps = sum(tile.values is not None for tile in self._tiles)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        for index, tile in enumerate(self._tiles):
            place = n_known
            n_known += tile.values is not None
            if not self.item_rect(index).adjusted(-3, -3, 3, 3).intersects(visible):
                continue
            box = self._place.map_rect(index)
            painter.fillRect(box, theme().colour("sunken"))
            if picture is not None and tile.values is not None:
                height = picture.height() / n_maps
                source = QRectF(0, place * height, picture.width(), height)
                painter.drawImage(box, picture, source)
                self._paint_veil(painter, box, tile.values.shape)
            self._paint_frame(painter, index, box)
            self._paint_words(painter, index, box)

    def _paint_veil(
        self, painter: QPainter, box: QRectF, shape: tuple[int, ...]
    ) -> None:
        if not self._dimmed:
            return
        n_rows, n_columns = shape
        cell = box.width() / n_columns, box.height() / n_rows
        cells = CellLayout(box.left(), box.top(), *cell, n_rows, n_columns)
        paint_veil(painter, cells, self._dimmed)

    def _paint_frame(self, painter: QPainter, index: int, box: QRectF) -> None:
        is_chosen, tile = index == self._selected, self._tiles[index]
        name = "muted" if index == self.hover_index else "line"
        colour = theme().colour("accent" if is_chosen else name)
        if tile.is_gathered and not is_chosen:
            colour = sequence_colour(tile.colour)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2 if is_chosen or tile.is_gathered else 1))
        painter.drawRect(box.adjusted(-1, -1, 0, 0))
        if tile.share is not None:
            bar = QRectF(box.left(), box.bottom() + BAR_GAP, box.width(), BAR_HEIGHT)
            painter.fillRect(bar, theme().colour("sunken"))
            bar.setWidth(box.width() * min(max(tile.share, 0.0), 1.0))
            painter.fillRect(bar, theme().colour(self._colour))

    def _paint_words(self, painter: QPainter, index: int, box: QRectF) -> None:
        is_chosen, tile = index == self._selected, self._tiles[index]
        painter.setFont(mono(CAPTION, MEDIUM if is_chosen else REGULAR))
        painter.setPen(theme().ink("accent" if is_chosen else "muted"))
        height = self._place.top - CAPTION_GAP
        line = QRectF(box.left(), box.top() - self._place.top, box.width(), height)
        mark = GATHERED if tile.is_gathered else ""
        wordings = [f"{mark}{words}" for words in (tile.caption, *tile.shorter)]
        caption = first_fitting(wordings, painter.font(), line.width())
        draw_label(painter, line, caption, Align.AlignLeft)


def side_of(n: int, n_across: int, width: float, height: float, extra: float) -> float:
    """The side of `n` maps, `n_across` in a row, so that all are in sight."""
    n_down = -(-n // n_across)
    across = (width + GAP_X) / n_across - GAP_X
    down = (height + GAP_Y) / max(1, n_down) - GAP_Y - extra
    return min(across, down, MOST_SIDE)
