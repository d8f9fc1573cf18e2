"""The key to a map's colours: a slim bar with the range written beside it."""

from dataclasses import replace
from math import ceil, sqrt

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import SMALL, mono
from app.style.maps import map_colours
from app.style.ramp import TOP
from app.style.theme import theme
from app.widgets.cell_image import image_of_levels, levels_of
from app.widgets.cell_text import MINUS, range_text
from app.widgets.label import advance, draw_label, line_height
from app.widgets.qt_calls import tells_faults
from core.trace.matrix import LEAST_SHARE, Scale

BAR_HEIGHT = 6
HALF_WIDTH, LEAST_HALF = 64, 20
"""Width of the bar between two written numbers, and where there is little room."""
GAP = 6
MIDDLE = TOP // 2


@tells_faults
class ColourBar(QWidget):
    """0, the bar, the limit; for signed maps -limit, bar, 0, bar, +limit.

    A logarithmic bar has the least share it tells, a middle one, and the limit.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty bar."""
        super().__init__(parent)
        self._scale: Scale | None = None
        self._colour = "pattern"
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_scale(self, scale: Scale | None, colour: str) -> None:
        """Show how `scale` colours its values in the theme colour; None for nothing."""
        self._scale, self._colour = scale, colour
        self.setAccessibleName("" if scale is None else "colours: " + self.text())
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The range in words, "0 … 1" or "−4.2 … 0 … +4.2"."""
        return " … ".join(self._numbers())

    def _numbers(self) -> tuple[str, ...]:
        if self._scale is None:
            return ()
        limit = range_text(self._scale.limit)
        if self._scale.is_log:
            least, middle = LEAST_SHARE, sqrt(LEAST_SHARE)
            shares = (range_text(self._scale.limit * part) for part in (least, middle))
            return *shares, limit
        if self._scale.kind == "share":
            return "0", limit
        return f"{MINUS}{limit}", "0", f"+{limit}"

    def _stretches(self) -> tuple[range, ...]:
        """The levels that lie between one written number and the next."""
        if self._scale is None:
            return ()
        if self._scale.kind == "share" and not self._scale.is_log:
            return (range(TOP + 1),)
        return range(MIDDLE + 1), range(MIDDLE, TOP + 1)

    def _blank(self) -> tuple[int, int]:
        """The level of zero, and how far from it the first colour stands."""
        assert self._scale is not None
        zero = MIDDLE if self._scale.kind == "signed" else 0
        if self._scale.threshold <= 0:
            return zero, 0
        lowest = np.array([[self._scale.threshold]], np.float32)
        level = levels_of(lowest, replace(self._scale, threshold=0.0))
        return zero, int(level[0, 0]) - zero

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Just the numbers and the bar between them."""
        return self._size(HALF_WIDTH)

    def minimumSizeHint(self) -> QSize:
        """The same with a short bar: a number is never cut."""
        return self._size(LEAST_HALF)

    def _size(self, half: int) -> QSize:
        numbers = self._numbers()
        texts = sum(advance(number, mono(SMALL)) + 1 for number in numbers)
        bars = max(0, len(numbers) - 1) * (half + 2 * GAP)
        return QSize(ceil(texts) + bars, round(line_height(mono(SMALL))) + 2)

    @property
    def _half(self) -> int:
        """How wide a bar is in the present room."""
        n_bars = max(1, len(self._stretches()))
        spare = self.width() - self._size(0).width()
        return max(LEAST_HALF, min(HALF_WIDTH, spare // n_bars))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint numbers and bars in turn."""
        if self._scale is None:
            return
        with QPainter(self) as painter:
            painter.setFont(mono(SMALL))
            stretches, x, half = self._stretches(), 0.0, self._half
            for place, number in enumerate(self._numbers()):
                width = advance(number, mono(SMALL)) + 1
                painter.setPen(theme().ink("muted"))
                box = QRectF(x, 0, width, self.height())
                draw_label(painter, box, number, Qt.AlignmentFlag.AlignLeft)
                x += width + GAP
                if place < len(stretches):
                    self._paint_stretch(painter, stretches[place], x, half)
                    x += half + GAP

    def _paint_stretch(
        self, painter: QPainter, stretch: range, x: float, half: int
    ) -> None:
        assert self._scale is not None
        colours = map_colours(self._scale.kind, self._colour).colour_table
        cells = np.linspace(stretch[0], stretch[-1], half).round()
        zero, least = self._blank()
        cells[np.abs(cells - zero) < least] = zero
        image = image_of_levels(cells[None, :].astype(np.uint8), colours)
        area = QRectF(round(x), (self.height() - BAR_HEIGHT) // 2, half, BAR_HEIGHT)
        painter.drawImage(area, image, QRectF(image.rect()))
        painter.setPen(QPen(theme().colour("line"), 1))
        painter.drawRect(area.adjusted(-1, -1, 0, 0))
