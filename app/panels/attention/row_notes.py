"""Numbers beside a map, one line of them for each of its rows."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import CAPTION, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.heatmap import Heatmap
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.product_labels import labelled
from app.widgets.qt_calls import tells_faults

COLUMN_GAP = 12.0
CAPTION_GAP = 6.0


@tells_faults
class RowNotes(QWidget):
    """Columns of numbers that stand level with the rows of a heat map at their left."""

    def __init__(self, heatmap: Heatmap) -> None:
        """Nothing to say beside `heatmap` yet."""
        super().__init__()
        self._map = heatmap
        self._names: tuple[str, ...] = ()
        self._columns: tuple[tuple[str, ...], ...] = ()
        self._lit = 0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)

    def show_notes(
        self, names: Sequence[str], columns: Sequence[Sequence[str]]
    ) -> None:
        """A name and a text a row for each column."""
        self._names = tuple(names)
        self._columns = tuple(tuple(column) for column in columns)
        self.updateGeometry()
        self.update()

    def set_lit(self, row: int) -> None:
        """Let one row stand out."""
        self._lit = row
        self.update()

    def _widths(self) -> list[float]:
        return [
            max(
                advance(name, sans(CAPTION)),
                *(advance(text, mono(SMALL)) for text in column),
            )
            for name, column in zip(self._names, self._columns, strict=True)
        ]

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Room for the widest number of each column."""
        widths = self._widths()
        return QSize(round(sum(widths) + COLUMN_GAP * len(widths)) + 1, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the names and as many rows as do not overlap."""
        picture = self._map.picture()
        if picture is None:
            return
        cells = picture.frame.cells
        with QPainter(self) as painter:
            line, x = line_height(mono(SMALL)), 0.0
            shown = labelled(cells, self._lit)
            for name, column, width in zip(
                self._names, self._columns, self._widths(), strict=True
            ):
                x += COLUMN_GAP
                top = cells.top - CAPTION_GAP - line
                painter.setFont(sans(CAPTION))
                painter.setPen(theme().ink("muted"))
                draw_label(painter, QRectF(x, top, width, line), name, Align.AlignRight)
                painter.setFont(mono(SMALL))
                for row in shown:
                    middle = cells.top + (row + 0.5) * cells.cell_height
                    box = QRectF(x, middle - line / 2, width + 1, line)
                    painter.setPen(theme().ink("text" if row == self._lit else "muted"))
                    draw_label(painter, box, column[row], Align.AlignRight)
                x += width
