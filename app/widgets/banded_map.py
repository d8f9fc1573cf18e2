"""A heat map in which whole rows or columns stand out: those that make one number.

Place: products and hidden layers. In: a `Matrix` and the row and column that are lit.
"""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen

from app.style.theme import theme
from app.widgets.heatmap import Heatmap
from app.widgets.map_picture import MapPicture
from app.widgets.qt_calls import tells_faults

LEAST_BAND = 5.0
"""A band stays visible where its row or column is a single dot."""


@tells_faults
class BandedMap(Heatmap):
    """A heat map with an outline around one row, one column, or both."""

    def set_band(self, row: int | None, column: int | None) -> None:
        """Light a row and a column, each along the whole map; None lights none."""
        self.set_highlight(row, column)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the map, and the bands over it."""
        super().paintEvent(event)
        picture = self.picture()
        if picture is not None:
            with QPainter(self) as painter:
                for band, role in self._bands(picture):
                    painter.setPen(QPen(theme().colour(role), 1))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRect(band)

    def _bands(self, picture: MapPicture) -> list[tuple[QRectF, str]]:
        """The rectangles of the lit row and column, and the colours they wear."""
        cells = picture.frame.cells
        row, column = self._highlight
        bands = []
        if row is not None and picture.shows((row, picture.origin[1])):
            box = picture.rectangle((row, picture.origin[1]))
            more = max(0.0, LEAST_BAND - box.height()) / 2
            band = QRectF(cells.left, box.top(), cells.width, box.height())
            band = band.adjusted(-1, -1 - more, 0, more)
            bands.append((band, picture.rows.role or "text"))
        if column is not None and picture.shows((picture.origin[0], column)):
            box = picture.rectangle((picture.origin[0], column))
            more = max(0.0, LEAST_BAND - box.width()) / 2
            band = QRectF(box.left(), cells.top, box.width(), cells.height)
            band = band.adjusted(-1 - more, -1, more, 0)
            bands.append((band, picture.columns.role or "text"))
        return bands
