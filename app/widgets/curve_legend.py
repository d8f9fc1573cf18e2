"""The legend above a chart: what each line is, and its value under the mouse."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import SMALL, mono, sans
from app.style.theme import theme
from app.widgets.cell_text import MINUS
from app.widgets.curve_parts import PEN_STYLES, LineKind
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.qt_calls import tells_faults

SWATCH, GAP, ENTRY_GAP = 24, 6, 12
WIDEST = "0.000"
"""Room for a value, so that reading one out moves nothing."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the chart."""

    name: str
    role: str
    opacity: float = 1.0
    line: LineKind = "solid"
    value: str = ""


def reading(value: float) -> str:
    """A value to four digits that matter; a dash where there is none."""
    return f"{value:.4g}".replace("-", MINUS) if math.isfinite(value) else "–"


def shared(widths: Sequence[float], room: float) -> list[float]:
    """Widths that have room together: the widest are cut until they do."""
    left = max(0.0, room)
    for n_done, width in enumerate(sorted(widths)):
        share = left / (len(widths) - n_done)
        if width > share:
            return [min(each, share) for each in widths]
        left -= width
    return list(widths)


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
            beside = SWATCH + 2 * GAP + advance(WIDEST, mono(SMALL)) + ENTRY_GAP
            names = [advance(each.name, sans(SMALL)) + 1 for each in self._entries]
            x = 0.0
            for entry, words in zip(
                self._entries, shared(names, room - beside * len(names)), strict=True
            ):
                self._paint_entry(painter, x, entry, words)
                x += words + beside

    def _paint_entry(
        self, painter: QPainter, x: float, entry: Entry, words: float
    ) -> None:
        middle, height = self.height() / 2, self.height()
        colour = theme().colour(entry.role)
        colour.setAlphaF(entry.opacity)
        painter.setPen(QPen(colour, 2, PEN_STYLES[entry.line]))
        painter.drawLine(QLineF(x, middle, x + SWATCH, middle))
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink(entry.role))
        box = QRectF(x + SWATCH + GAP, 0, words, height)
        draw_label(painter, box, entry.name, Align.AlignLeft)
        painter.setFont(mono(SMALL))
        painter.setPen(theme().ink("text"))
        box = QRectF(box.right() + GAP, 0, self.width(), height)
        draw_label(painter, box, entry.value, Align.AlignLeft)
