"""A weighted sum of rows as a picture: shares x rows = weighted rows, and their total.

Each line is a row of the sum: its label, its share as a bar, the row itself, the row
times its share. The total stands under the weighted rows, column under column. In: a
`Mixture`. Out: which row and column were chosen.
"""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.style.fonts import SMALL, sans
from app.widgets import mixture_labels as words
from app.widgets.cell_image import cell_image
from app.widgets.label import line_height
from app.widgets.map_painting import paint_cells
from app.widgets.mixture_layout import PARTS, MixtureLayout, layout_of
from app.widgets.product_labels import GAP, label_width, paint_row_labels
from app.widgets.qt_calls import tells_faults
from app.widgets.spot_map import Spot, SpotMap
from core.trace.matrix import Axis, FloatArray, Scale
from core.trace.reduce import block_size, reduce_by_maximum


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """weighted = shares x rows, and total = the sum of weighted."""

    axis: Axis
    """The labels of the rows."""
    shares: FloatArray
    """[n_rows]; NaN for a row that takes no part."""
    rows: FloatArray
    """[n_rows, n_columns]."""
    weighted: FloatArray
    total: FloatArray
    """[n_columns]."""
    scale: Scale
    names: tuple[str, str, str, str]
    """Over the shares, the rows, the weighted rows, and beside the total."""
    share_colour: str
    colour: str

    @property
    def shape(self) -> tuple[int, int]:
        """(n_rows, n_columns)."""
        n_rows, n_columns = self.rows.shape
        return n_rows, n_columns

    def part(self, part: str) -> FloatArray:
        """The numbers of one part as a matrix."""
        return {
            "shares": self.shares[:, None],
            "rows": self.rows,
            "weighted": self.weighted,
            "total": self.total[None, :],
        }[part]


@dataclass(frozen=True, slots=True, eq=False)
class MixturePicture:
    """The same, ready to paint for one size of widget and one look."""

    layout: MixtureLayout
    images: dict[str, QImage]


@tells_faults
class MixtureMap(SpotMap):
    """Shares, rows, weighted rows and total.

    A click on a share keeps the column, one on the total keeps the row.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty picture."""
        super().__init__(parent)
        self._mixture: Mixture | None = None
        self._picture: MixturePicture | None = None

    def show_mixture(self, mixture: Mixture | None) -> None:
        """Show a weighted sum; None for nothing."""
        self._mixture = mixture
        self.refresh()

    @property
    def mixture(self) -> Mixture | None:
        """What is shown."""
        return self._mixture

    @property
    def picture(self) -> MixturePicture | None:
        """What is painted and where; None while there is nothing."""
        self.renew()
        return self._picture

    # The base's questions.

    def result_shape(self) -> tuple[int, int]:
        """The rows of the sum and the columns of its total."""
        return (0, 0) if self._mixture is None else self._mixture.shape

    def arrange(self, ratio: float) -> None:
        """Lay the parts out and draw each matrix into its image."""
        self._picture = None
        if self._mixture is not None:
            size = float(self.width()), float(self.height())
            self._picture = picture_of(self._mixture, size, ratio)

    def spot_at(self, point: QPointF) -> Spot | None:
        """The cell under a point."""
        picture = self.picture
        if picture is None:
            return None
        for part in PARTS:
            found = picture.layout.cells(part).cell_at(point.x(), point.y())
            if found is not None:
                return part, *found
        return None

    def value_at(self, spot: Spot) -> float:
        """The number in one of the parts."""
        part, row, column = spot
        assert self._mixture is not None
        return float(self._mixture.part(part)[row, column])

    def cell_of(self, spot: Spot) -> tuple[int, int]:
        """The row and the column that a spot means, the rest staying as selected."""
        part, row, column = spot
        return (
            self.selected[0] if part == "total" else row,
            self.selected[1] if part == "shares" else column,
        )

    def paint(self, painter: QPainter) -> None:
        """Cells, bars, marks, then words."""
        mixture, picture = self._mixture, self._picture
        assert mixture is not None
        assert picture is not None
        layout = picture.layout
        for part, image in picture.images.items():
            paint_cells(painter, layout.cells(part), image)
        words.paint_bars(painter, mixture.shares, mixture.share_colour, layout)
        words.paint_marks(painter, layout, self.selected, colour="text")
        if self.hovered_cell is not None:
            words.paint_marks(painter, layout, self.hovered_cell, colour="faint")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words.paint_names(painter, mixture.names, layout)
        paint_row_labels(painter, mixture.axis, layout.shares, self.selected[0])
        words.paint_shares(painter, mixture.shares, layout)

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Room for some rows."""
        return QSize(480, 320)

    def minimumSizeHint(self) -> QSize:
        """Room for some dots."""
        return QSize(240, 120)


def picture_of(
    mixture: Mixture, size: tuple[float, float], ratio: float
) -> MixturePicture:
    """The parts arranged in `size`, each matrix drawn into its image."""
    caption = line_height(sans(SMALL)) + GAP
    width = label_width(mixture.axis, size[0])
    layout = layout_of(mixture.shape, size, width, caption, ratio)
    images: dict[str, QImage] = {}
    for part in PARTS[1:]:
        cells = layout.cells(part)
        rows = block_size(cells.n_rows, cells.height * ratio)
        columns = block_size(cells.n_columns, cells.width * ratio)
        reduced = reduce_by_maximum(mixture.part(part), rows, columns)
        images[part] = cell_image(reduced, mixture.scale, mixture.colour)
    return MixturePicture(layout, images)
