"""A table of numbers with two bars a row, one over the other: this against that.

Place: the weight of attention against its effect. In: rows with two lengths, of which
the first two columns tell. Out: as of any `FigureTable`.
"""

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.style.fonts import SMALL, sans
from app.style.theme import theme
from app.widgets.figure_table import FigureTable
from app.widgets.label import advance
from app.widgets.number_table import HEAD_ROOM, TableRow

BAR_HEIGHT, BETWEEN = 6.0, 1.0
THINNEST = 1.0
N_BARS = 2
"""So many columns have a bar each."""
SWATCH, SWATCH_GAP = 6.0, 4.0
"""The colour of a bar beside the head of its column."""


@dataclass(frozen=True, slots=True)
class PairedRow(TableRow):
    """One line of the table; `share` and `role` are those of the upper bar."""

    second: float = 0.0
    """Length of the lower bar, 0 to 1."""
    second_role: str = "value"
    """The theme colour of the lower bar."""


class PairedTable(FigureTable):
    """Rows of `PairedRow`; the first two heads wear the colours of the bars."""

    def _head_width(self, place: int) -> float:
        """Words, and the swatch before them."""
        swatch = SWATCH + SWATCH_GAP if place < N_BARS else 0.0
        return super()._head_width(place) + swatch

    def paint_over(self, painter: QPainter) -> None:
        """The heads, and a swatch of each bar's colour."""
        super().paint_over(painter)
        row = self._rows[0]
        assert isinstance(row, PairedRow)
        boxes = zip(self._number_boxes(), self._heads, strict=True)
        for role, ((left, width), head) in zip(
            (row.role, row.second_role), boxes, strict=False
        ):
            x = left + width - advance(head, sans(SMALL)) - SWATCH_GAP - SWATCH
            y = (self._head_height - HEAD_ROOM - SWATCH) / 2
            swatch = QRectF(round(x), round(y), SWATCH, SWATCH)
            painter.fillRect(swatch, theme().colour(role))

    def _paint_bar(
        self,
        painter: QPainter,
        box: QRectF,
        span: tuple[float, float],
        zero: float,
        row: TableRow,
    ) -> None:
        assert isinstance(row, PairedRow)
        top = round(box.center().y() - BAR_HEIGHT - BETWEEN / 2)
        bars = ((row.share, row.role), (row.second, row.second_role))
        for place, (share, role) in enumerate(bars):
            length = (span[1] - span[0]) * max(0.0, min(1.0, share))
            y = top + place * (BAR_HEIGHT + BETWEEN)
            bar = QRectF(span[0], y, max(THINNEST, length), BAR_HEIGHT)
            if share > 0:
                painter.fillRect(bar, theme().colour(role))
