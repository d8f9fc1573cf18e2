"""A table of numbers with two bars a row, one over the other: this against that.

Place: the weight of attention against its effect. In: rows with two lengths. Out: as
of any `FigureTable`.
"""

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.style.theme import theme
from app.widgets.figure_table import FigureTable
from app.widgets.number_table import TableRow

BAR_HEIGHT, BETWEEN = 6.0, 1.0
THINNEST = 1.0


@dataclass(frozen=True, slots=True)
class PairedRow(TableRow):
    """One line of the table; `share` and `role` are those of the upper bar."""

    second: float = 0.0
    """Length of the lower bar, 0 to 1."""
    second_role: str = "value"
    """The theme colour of the lower bar."""


class PairedTable(FigureTable):
    """Rows of `PairedRow`."""

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
