"""The legend above a chart: what each line is, and its value under the mouse."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import SMALL, mono, sans
from app.style.theme import theme
from app.widgets.cell_text import MINUS
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.qt_calls import tells_faults

SWATCH, GAP, ENTRY_GAP = 18, 6, 12
WIDEST = "0.000"
"""Room for a value, so that reading one out moves nothing."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the chart."""

    name: str
    role: str
    opacity: float = 1.0
    is_dashed: bool = False
    value: str = ""


def reading(value: float) -> str:
    """A value to four digits that matter; a dash where there is none."""
    return f"{value:.4g}".replace("-", MINUS) if math.isfinite(value) else "–"


@tells_faults
class CurveLegend(QWidget):
    """Entries side by side; at the right end, the place that is read out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No entries."""
        super().__init__(parent)
        self._entries: tuple[Entry, ...] = ()
        self._place = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_entries(self, entries: tuple[Entry, ...], place: str) -> None:
        """Show other entries, or other values in them."""
        if (entries, place) != (self._entries, self._place):
            self._entries, self._place = entries, place
            self.setAccessibleName(self.text())
            self.update()

    def text(self) -> str:
        """The legend in words."""
        words = (f"{each.name} {each.value}".strip() for each in self._entries)
        return ", ".join((*words, self._place)).strip(", ")

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """One line."""
        return QSize(0, round(line_height(sans(SMALL))) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the entries that have room."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(mono(SMALL))
            painter.setPen(theme().ink("muted"))
            draw_label(painter, QRectF(self.rect()), self._place, Align.AlignRight)
            room = self.width() - advance(self._place, mono(SMALL))
            x = 0.0
            for entry in self._entries:
                width = self._width(entry)
                if x + width > room:
                    break
                self._paint_entry(painter, x, entry)
                x += width + ENTRY_GAP

    def _width(self, entry: Entry) -> float:
        words = advance(entry.name, sans(SMALL)) + 1
        return SWATCH + GAP + words + GAP + advance(WIDEST, mono(SMALL))

    def _paint_entry(self, painter: QPainter, x: float, entry: Entry) -> None:
        middle, height = self.height() / 2, self.height()
        colour = theme().colour(entry.role)
        colour.setAlphaF(entry.opacity)
        style = Qt.PenStyle.DashLine if entry.is_dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, 2, style))
        painter.drawLine(QLineF(x, middle, x + SWATCH, middle))
        words = advance(entry.name, sans(SMALL)) + 1
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink(entry.role))
        box = QRectF(x + SWATCH + GAP, 0, words, height)
        draw_label(painter, box, entry.name, Align.AlignLeft)
        painter.setFont(mono(SMALL))
        painter.setPen(theme().ink("text"))
        box = QRectF(box.right() + GAP, 0, self.width(), height)
        draw_label(painter, box, entry.value, Align.AlignLeft)
