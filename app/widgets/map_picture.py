"""A matrix made ready to paint for one size of widget and one look.

In: a matrix, the part of it to show, and a room. Out: a `MapPicture`, which also tells
which cell lies where. Made once per change; hovering and selecting only paint over it.
"""

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QImage

from app.widgets.axes import FOOT, MapFrame, frame_of
from app.widgets.cell_image import cell_image
from core.trace.matrix import Axis, FloatArray, Matrix
from core.trace.reduce import block_size, reduce_by_maximum, strongest_in

Place = tuple[int, int]
"""A (row, column)."""

NOWHERE: Place = (-1, -1)


@dataclass(frozen=True, slots=True, eq=False)
class MapPicture:
    """What there is to paint, and where. Places count from the matrix's first cell."""

    matrix: Matrix
    values: FloatArray
    """The part that is shown, [rows, columns]."""
    origin: Place
    """The first cell shown."""
    rows: Axis
    columns: Axis
    frame: MapFrame
    blocks: tuple[int, int]
    """How many rows and columns share a dot; (1, 1) where each cell is drawn."""
    image: QImage

    @property
    def is_reduced(self) -> bool:
        """Whether several cells share a dot."""
        return self.blocks != (1, 1)

    @property
    def dimmed(self) -> tuple[int, ...]:
        """The columns that are drawn faintly, counted from the first one shown."""
        places = (column - self.origin[1] for column in self.matrix.dimmed)
        return tuple(p for p in places if 0 <= p < self.frame.cells.n_columns)

    def inside(self, place: Place) -> Place:
        """A place counted from the first cell shown instead of the matrix's."""
        return place[0] - self.origin[0], place[1] - self.origin[1]

    def shows(self, place: Place) -> bool:
        """Whether the cell is among those shown."""
        row, column = self.inside(place)
        cells = self.frame.cells
        return 0 <= row < cells.n_rows and 0 <= column < cells.n_columns

    def rectangle(self, place: Place) -> QRectF:
        """Where a cell lies."""
        return QRectF(*self.frame.cells.rectangle(*self.inside(place)))

    def place_at(self, point: QPointF) -> Place:
        """The cell under a point, NOWHERE outside.

        Of the cells that share a dot it is the one that gave the dot its colour.
        """
        found = self.frame.cells.cell_at(point.x(), point.y())
        if found is None:
            return NOWHERE
        if self.is_reduced:
            rows, columns = (
                range(at - at % size, at - at % size + size)
                for at, size in zip(found, self.blocks, strict=True)
            )
            found = strongest_in(self.values, rows, columns)
        return found[0] + self.origin[0], found[1] + self.origin[1]

    def label_at(self, point: QPointF) -> str:
        """The whole label of the row or column beside which a point lies, or ""."""
        cells = self.frame.cells
        inside_x = min(max(point.x(), cells.left), cells.left + cells.width - 1)
        inside_y = min(max(point.y(), cells.top), cells.top + cells.height - 1)
        found = cells.cell_at(inside_x, inside_y)
        if found is None or cells.cell_at(point.x(), point.y()) is not None:
            return ""
        if point.x() < cells.left and point.y() >= cells.top:
            return self.rows.labels[found[0]]
        if point.y() < cells.top and point.x() >= cells.left:
            return self.columns.labels[found[1]]
        return ""


def picture_of(
    matrix: Matrix,
    rows: range,
    columns: range,
    size: QSizeF,
    ratio: float,
    *,
    may_be_square: bool = True,
) -> MapPicture:
    """The picture of some rows and columns of `matrix` in a room of `size`.

    `ratio` is device pixels a logical one.
    """
    row_axis, column_axis = _part(matrix.rows, rows), _part(matrix.columns, columns)
    framed = partial(
        frame_of, row_axis, column_axis, size, ratio, may_be_square=may_be_square
    )
    frame = framed()
    if _blocks(frame, ratio) != (1, 1):  # the note about it needs a line
        frame = framed(foot=FOOT)
    blocks = _blocks(frame, ratio)
    values = matrix.values[rows.start : rows.stop, columns.start : columns.stop]
    reduced = reduce_by_maximum(values, *blocks)
    image = cell_image(reduced, matrix.scale, matrix.colour)
    origin = (rows.start, columns.start)
    return MapPicture(
        matrix, values, origin, row_axis, column_axis, frame, blocks, image
    )


def _part(axis: Axis, places: range) -> Axis:
    """A stretch of an axis; places without a label get an empty one."""
    labels = axis.labels[places.start : places.stop]
    return Axis(axis.name, labels + ("",) * (len(places) - len(labels)), axis.role)


def _blocks(frame: MapFrame, ratio: float) -> tuple[int, int]:
    cells = frame.cells
    return (
        block_size(cells.n_rows, cells.height * ratio),
        block_size(cells.n_columns, cells.width * ratio),
    )
