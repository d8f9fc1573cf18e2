"""One bar made of parts, and a line for each part below it.

Place: what a model is made of, what its memory holds. In: labels, lengths and ready
numbers as text. Out: nothing; it is only looked at.
"""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.contrast import mix
from app.style.fonts import SMALL, mono, sans
from app.style.theme import theme
from app.widgets.label import Align, draw_label, line_height
from app.widgets.qt_calls import tells_faults

BAR_HEIGHT, BAR_RADIUS = 14, 4
GAP, SWATCH = 8, 8
SEAM = 1.0
"""Between two parts of the bar."""
NUMBER_WIDTH, SHARE_WIDTH = 76, 44
MINIMUM_WIDTH = 220


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the whole."""

    label: str
    value: float
    """At least 0; the whole is the sum of the parts."""
    text: str
    """The value as it is written."""
    role: str = "accent"
    """The theme colour it wears."""
    pale: float = 0.0
    """How much of the surface is mixed in, to tell parts of one colour apart."""


def shares_of(parts: tuple[Part, ...]) -> list[float]:
    """Each part's share of the whole; all 0 where there is no whole."""
    whole = sum(part.value for part in parts)
    return [part.value / whole if whole else 0.0 for part in parts]


@tells_faults
class ShareBar(QWidget):
    """A bar and its legend."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls it."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(MINIMUM_WIDTH)
        self.parts: tuple[Part, ...] = ()

    def show_parts(self, parts: tuple[Part, ...]) -> None:
        """Show other parts, in this order."""
        self.parts = parts
        told = (f"{part.label} {part.text}" for part in parts)
        self.setAccessibleDescription(", ".join(told))
        self.updateGeometry()
        self.update()

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """The bar and a line for each part."""
        lines = len(self.parts) * self._line_height()
        return QSize(MINIMUM_WIDTH, round(BAR_HEIGHT + GAP + lines))

    def minimumSizeHint(self) -> QSize:
        """No line may be missing."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar, then its legend."""
        shares = shares_of(self.parts)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_bar(painter, shares)
            top = float(BAR_HEIGHT + GAP)
            for part, share in zip(self.parts, shares, strict=True):
                self._paint_line(painter, top, part, share)
                top += self._line_height()

    def _line_height(self) -> float:
        return line_height(sans(SMALL)) + 3

    def _paint_bar(self, painter: QPainter, shares: list[float]) -> None:
        whole = QRectF(0, 0, self.width(), BAR_HEIGHT)
        outline = QPainterPath()
        outline.addRoundedRect(whole, BAR_RADIUS, BAR_RADIUS)
        painter.setClipPath(outline)
        painter.fillRect(whole, theme().colour("sunken"))
        left = 0.0
        for part, share in zip(self.parts, shares, strict=True):
            width = share * whole.width()
            box = QRectF(left, 0, max(0.0, width - SEAM), BAR_HEIGHT)
            painter.fillRect(box, colour_of(part))
            left += width
        painter.setClipping(False)

    def _paint_line(
        self, painter: QPainter, top: float, part: Part, share: float
    ) -> None:
        height, right = self._line_height(), float(self.width())
        middle = top + height / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour_of(part))
        painter.drawRoundedRect(QRectF(0, middle - SWATCH / 2, SWATCH, SWATCH), 2, 2)
        numbers = right - NUMBER_WIDTH - SHARE_WIDTH
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("text"))
        name = QRectF(SWATCH + GAP, top, numbers - SWATCH - 2 * GAP, height)
        draw_label(painter, name, part.label, Align.AlignLeft)
        painter.setFont(mono(SMALL))
        box = QRectF(numbers, top, NUMBER_WIDTH, height)
        draw_label(painter, box, part.text, Align.AlignRight)
        painter.setPen(theme().ink("muted"))
        box = QRectF(right - SHARE_WIDTH, top, SHARE_WIDTH, height)
        draw_label(painter, box, percent(share), Align.AlignRight)


def colour_of(part: Part) -> QColor:
    """The colour of a part."""
    return QColor(mix(getattr(theme(), part.role), theme().surface, part.pale))


def percent(share: float) -> str:
    """A share in whole percent; what is there, but less than that, is "<1 %"."""
    if 0 < share < 0.005:
        return "<1 %"
    return f"{share:.0%}".replace("%", " %")
