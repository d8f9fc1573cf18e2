"""Rows of numbers over the same columns, each drawn in its own way and scale.

Place: two vectors and their products, a row of scores and its shares. In: lanes of one
number a column: as cells, as bars from a zero line, or as the course of a sum. Out:
which lane and which column were chosen. Where columns are more than pixels, the
strongest number of each block stays.
"""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.style.fonts import SMALL, mono, sans
from app.widgets import lanes_ink as ink
from app.widgets.cell_image import cell_image
from app.widgets.label import advance, line_height
from app.widgets.lane import Lane
from app.widgets.lanes_layout import LanesLayout, Sides, layout_of
from app.widgets.qt_calls import tells_faults
from app.widgets.spot_map import Spot, SpotMap
from core.trace.matrix import Axis, FloatArray
from core.trace.reduce import block_size, reduce_by_maximum, strongest_in

LABEL_LIMIT = 132.0
"""Names of lanes and what stands behind them are cut at this width."""


@dataclass(frozen=True, slots=True, eq=False)
class LanesPicture:
    """The lanes, ready to paint for one size of widget and one look."""

    layout: LanesLayout
    block: int
    """Columns that share a dot."""
    values: tuple[FloatArray, ...]
    """By lane, [n_dots]."""
    images: dict[int, QImage]
    """Of the lanes that are cells, by their place."""


@tells_faults
class Lanes(SpotMap):
    """Lanes below each other. A spot is ("lane", lane, column)."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the picture."""
        super().__init__(parent)
        self._lanes: tuple[Lane, ...] = ()
        self._columns = Axis("", ())
        self._picture: LanesPicture | None = None
        self.setAccessibleName(name)

    def show_lanes(self, lanes: tuple[Lane, ...], columns: Axis) -> None:
        """Show lanes over the same columns."""
        self._lanes, self._columns = lanes, columns
        self.refresh()

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """What is shown."""
        return self._lanes

    @property
    def picture(self) -> LanesPicture | None:
        """What is painted and where; None while there is nothing."""
        self.renew()
        return self._picture

    # The base's questions.

    def result_shape(self) -> tuple[int, int]:
        """Lanes and columns."""
        return len(self._lanes), len(self._columns.labels) if self._lanes else 0

    def arrange(self, ratio: float) -> None:
        """Lay the lanes out, and draw those that are cells into their images."""
        self._picture = None
        if not all(self.result_shape()):
            return
        layout = self._layout("", ratio)
        block = block_size(layout.n_columns, layout.width * ratio)
        if block > 1:  # the words need room, which columns give
            layout = self._layout(note_of(block), ratio)
            block = block_size(layout.n_columns, layout.width * ratio)
        values = tuple(
            reduce_by_maximum(lane.values[None, :], 1, block)[0] for lane in self._lanes
        )
        images = {
            place: cell_image(values[place][None, :], lane.scale, lane.colour)
            for place, lane in enumerate(self._lanes)
            if lane.kind == "cells"
        }
        self._picture = LanesPicture(layout, block, values, images)

    def spot_at(self, point: QPointF) -> Spot | None:
        """The lane and column under a point; the gaps between lanes belong to none."""
        picture = self.picture
        if picture is None:
            return None
        for lane in range(len(self._lanes)):
            found = picture.layout.cells(lane).cell_at(point.x(), point.y())
            if found is not None:
                start = found[1] - found[1] % picture.block
                columns = range(start, start + picture.block)
                values = self._lanes[lane].values[None, :]
                return "lane", lane, strongest_in(values, range(1), columns)[1]
        return None

    def value_at(self, spot: Spot) -> float:
        """The number in a lane."""
        return float(self._lanes[spot[1]].values[spot[2]])

    def cell_of(self, spot: Spot) -> tuple[int, int]:
        """The lane and the column."""
        return spot[1], spot[2]

    def paint(self, painter: QPainter) -> None:
        """Each lane in its way, then marks and words."""
        picture = self._picture
        assert picture is not None
        layout = picture.layout
        for place, lane in enumerate(self._lanes):
            values = picture.values[place]
            if lane.kind == "cells":
                ink.paint_cell_lane(
                    painter, lane, layout.cells(place), picture.images[place]
                )
            elif lane.kind == "bars":
                ink.paint_bars(painter, lane, layout.cells(place), values)
            else:
                ink.paint_course(painter, lane, layout.cells(place), values)
        hovered = self.hovered_cell
        if hovered is not None:
            ink.paint_column(painter, layout, hovered, "faint")
        ink.paint_column(painter, layout, self.selected, "text")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, lane in enumerate(self._lanes):
            ink.paint_names(painter, lane, layout, place)
        lit = [self.selected[1]] if hovered is None else [hovered[1], self.selected[1]]
        ink.paint_labels(painter, self._columns, layout, lit)
        if picture.block > 1:
            ink.paint_note(painter, note_of(picture.block), layout)

    def _layout(self, note: str, ratio: float) -> LanesLayout:
        """The lanes in the present room, with that for a note at the right."""
        names = (advance(lane.name, sans(SMALL)) for lane in self._lanes)
        totals = (advance(lane.total, mono(SMALL)) for lane in self._lanes)
        behind = max(*totals, advance(note, sans(SMALL)))
        sides = Sides(
            left=min(LABEL_LIMIT, max(names)) + 1,
            right=min(LABEL_LIMIT, behind) + 1,
            foot=line_height(mono(SMALL)),
        )
        size = float(self.width()), float(self.height())
        kinds = tuple(lane.kind for lane in self._lanes)
        return layout_of(kinds, len(self._columns.labels), size, sides, ratio)

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Room for some columns."""
        return QSize(480, 60 + 30 * len(self._lanes))

    def minimumSizeHint(self) -> QSize:
        """Room for some dots."""
        return QSize(200, 24 + 16 * len(self._lanes))


def note_of(block: int) -> str:
    """What is said where columns share a dot."""
    return f"largest of {block}"
