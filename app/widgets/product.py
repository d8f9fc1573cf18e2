"""A matrix product as a picture: where a row meets a column, the result has its cell.

The right factor stands above the result, column over column; the left factor beside it,
row beside row: so the two that make a number point at it. In: three matrices. Out:
which cell of the result was chosen. It knows numbers and labels, nothing else.
"""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.style.fonts import SMALL, sans
from app.widgets import product_labels as words
from app.widgets.cell_image import cell_image
from app.widgets.label import line_height
from app.widgets.map_painting import paint_cells, paint_outline
from app.widgets.product_chart import paint_chart
from app.widgets.product_layout import FACTORS, Margins, ProductLayout, layout_of
from app.widgets.qt_calls import tells_faults
from app.widgets.spot_map import Spot, SpotMap
from app.widgets.strip import Group
from core.trace.matrix import Matrix
from core.trace.reduce import block_size, reduce_by_maximum, strongest_in


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """left [rows, inner] x right [inner, columns] = result [rows, columns]."""

    left: Matrix
    right: Matrix
    result: Matrix
    names: tuple[str, str, str]
    groups: tuple[Group, ...] = ()
    """Stretches of the inner axis that belong together."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n_rows, n_inner, n_columns)."""
        n_rows, n_inner = self.left.values.shape
        return n_rows, n_inner, self.result.values.shape[1]

    def matrix(self, factor: str) -> Matrix:
        """One of the three."""
        found: Matrix = getattr(self, factor)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ProductPicture:
    """The same, ready to paint for one size of widget and one look."""

    layout: ProductLayout
    blocks: dict[str, tuple[int, int]]
    """How many rows and columns of each matrix share a dot."""
    images: dict[str, QImage]


@tells_faults
class ProductMap(SpotMap):
    """Two factors and their product.

    A click on a factor chooses its row or its column; the other one stays.
    """

    def __init__(self, *, is_compact: bool, parent: QWidget | None = None) -> None:
        """An empty picture; a compact one has no words in it."""
        super().__init__(parent)
        self._is_compact = is_compact
        self._product: Product | None = None
        self._picture: ProductPicture | None = None
        self._corner: QWidget | None = None
        self._marked: tuple[int, int] | None = None

    def show_product(self, product: Product | None) -> None:
        """Show three matrices that belong together; None for nothing."""
        self._product = product
        self.refresh()

    def refresh(self) -> None:
        """Also put the corner's widget in its place, which is no matter of paint."""
        super().refresh()
        if self._corner is not None:
            self.renew()

    def set_corner(self, corner: QWidget) -> None:
        """Put a widget into the free corner at the left of the right factor."""
        self._corner = corner
        corner.setParent(self)
        self.refresh()

    def set_marked(self, place: tuple[int, int] | None) -> None:
        """Outline one cell of the right factor as well; None for none."""
        if place != self._marked:
            self._marked = place
            self.update()

    @property
    def product(self) -> Product | None:
        """What is shown."""
        return self._product

    @property
    def picture(self) -> ProductPicture | None:
        """What is painted and where; None while there is nothing."""
        self.renew()
        return self._picture

    # The base's questions.

    def result_shape(self) -> tuple[int, int]:
        """Those of the result."""
        if self._product is None:
            return 0, 0
        n_rows, _, n_columns = self._product.shape
        return n_rows, n_columns

    def arrange(self, ratio: float) -> None:
        """Lay the three out and draw each into its image."""
        self._picture = None
        if self._product is None:
            return
        size = float(self.width()), float(self.height())
        margins = self._margins(self._product)
        self._picture = picture_of(self._product, size, margins, ratio)
        if self._corner is not None:
            self._corner.setGeometry(QRectF(*self._picture.layout.corner).toRect())

    def spot_at(self, point: QPointF) -> Spot | None:
        """The cell under a point; of cells that share a dot the one that colours it."""
        picture, product = self.picture, self._product
        if picture is None or product is None:
            return None
        for factor in FACTORS:
            found = picture.layout.cells(factor).cell_at(point.x(), point.y())
            if found is not None:
                rows, columns = (
                    range(at - at % size, at - at % size + size)
                    for at, size in zip(found, picture.blocks[factor], strict=True)
                )
                values = product.matrix(factor).values
                return factor, *strongest_in(values, rows, columns)
        return None

    def value_at(self, spot: Spot) -> float:
        """The number in one of the three."""
        factor, row, column = spot
        assert self._product is not None
        return float(self._product.matrix(factor).values[row, column])

    def cell_of(self, spot: Spot) -> tuple[int, int]:
        """A row of the left factor keeps the column, a column of the right the row."""
        factor, row, column = spot
        return (
            self.selected[0] if factor == "right" else row,
            self.selected[1] if factor == "left" else column,
        )

    def paint(self, painter: QPainter) -> None:
        """Cells, marks, then words."""
        product, picture = self._product, self._picture
        assert product is not None
        assert picture is not None
        layout = picture.layout
        for factor in FACTORS:
            paint_cells(painter, layout.cells(factor), picture.images[factor])
        words.paint_group_lines(painter, product.groups, layout)
        words.paint_bands(painter, layout, self.selected, colour="text")
        if self.hovered_cell is not None:
            words.paint_bands(painter, layout, self.hovered_cell, colour="faint")
        if self._marked is not None:
            paint_outline(painter, layout.right, *self._marked)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._is_compact:
            self._paint_words(painter, product, picture)

    def _paint_words(
        self, painter: QPainter, product: Product, picture: ProductPicture
    ) -> None:
        layout = picture.layout
        for factor, name in zip(FACTORS, product.names, strict=True):
            matrix = product.matrix(factor)
            wordings = words.captions_of(name, matrix, picture.blocks[factor])
            words.paint_caption(painter, wordings, matrix.colour, layout, factor)
        words.paint_group_names(painter, product.groups, layout)
        row, column = self.hovered_cell or self.selected
        products = product.left.values[row] * product.right.values[:, column]
        colour = product.result.colour
        paint_chart(painter, products, colour, layout, self.devicePixelRatioF())
        words.paint_row_labels(
            painter, product.left.rows, layout.left, self.selected[0]
        )

    def _margins(self, product: Product) -> Margins:
        if self._is_compact:
            return Margins(labels=0.0, caption=0.0, groups=0.0, group_line=0.0)
        line = line_height(sans(SMALL))
        return Margins(
            labels=words.label_width(product.left.rows, self.width()),
            caption=line + words.GAP,
            groups=words.group_width(product.groups),
            group_line=line if product.groups else 0.0,
        )

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Room for three matrices."""
        return QSize(160, 130) if self._is_compact else QSize(480, 360)

    def minimumSizeHint(self) -> QSize:
        """Room for some dots."""
        return QSize(60, 60)


def picture_of(
    product: Product, size: tuple[float, float], margins: Margins, ratio: float
) -> ProductPicture:
    """The three matrices arranged in `size`, each drawn into its image."""
    layout = layout_of(product.shape, size, margins, ratio)
    blocks: dict[str, tuple[int, int]] = {}
    images: dict[str, QImage] = {}
    for factor in FACTORS:
        matrix, cells = product.matrix(factor), layout.cells(factor)
        blocks[factor] = (
            block_size(cells.n_rows, cells.height * ratio),
            block_size(cells.n_columns, cells.width * ratio),
        )
        reduced = reduce_by_maximum(matrix.values, *blocks[factor])
        images[factor] = cell_image(reduced, matrix.scale, matrix.colour)
    return ProductPicture(layout, blocks, images)
