"""An arrow before and after it is turned about its foot: two numbers as a direction."""

from math import atan2, cos, degrees, hypot, isfinite, pi, sin

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.style.fonts import CAPTION, sans
from app.style.theme import theme
from app.widgets.label import Align, draw_label, line_height
from app.widgets.qt_calls import tells_faults

Point = tuple[float, float]

MARGIN = 4.0
TIP = 8.0
"""Length of an arrow's head."""
SPREAD = 0.4
"""Half the angle of an arrow's head, in radians."""
ARC = 0.35
"""Radius of the arc between the arrows, as a share of the arrow's length."""
SIXTEENTHS = 16
"""Qt counts angles in sixteenths of a degree."""


@tells_faults
class Dial(QWidget):
    """The two arrows have one length: turning changes nothing but the direction."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No arrow yet."""
        super().__init__(parent)
        self._before: Point = (0.0, 0.0)
        self._after: Point = (0.0, 0.0)
        self._colour = "text"

    def set_colour(self, colour: str) -> None:
        """The theme colour of the turned arrow."""
        self._colour = colour
        self.update()

    def show_turn(self, before: Point, after: Point) -> None:
        """Show (x, y) before and after; y points up."""
        self._before, self._after = before, after
        self.update()

    @property
    def _has_arrows(self) -> bool:
        """Whether both point somewhere."""
        is_finite = isfinite(hypot(*self._before, *self._after))
        return is_finite and hypot(*self._before) > 0

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """A small square."""
        return QSize(140, 140)

    def minimumSizeHint(self) -> QSize:
        """Large enough to see a quarter turn."""
        return QSize(80, 80)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the circle, the arc between the arrows, and the arrows."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            line = line_height(sans(CAPTION))
            side = min(self.width(), self.height() - line)
            radius = side / 2 - MARGIN
            centre = QPointF(self.width() / 2, side / 2)
            painter.setPen(QPen(theme().colour("line"), 1))
            painter.drawEllipse(centre, radius, radius)
            painter.drawLine(centre - QPointF(radius, 0), centre + QPointF(radius, 0))
            painter.drawLine(centre - QPointF(0, radius), centre + QPointF(0, radius))
            if self._has_arrows:
                self._paint_arc(painter, centre, ARC * radius)
                self._paint_arrow(painter, centre, radius, self._before, "faint")
                self._paint_arrow(painter, centre, radius, self._after, self._colour)
            painter.setFont(sans(CAPTION))
            painter.setPen(theme().ink("muted"))
            box = QRectF(0, side, self.width(), line)
            draw_label(painter, box, "grey before, coloured after", Align.AlignHCenter)

    def _paint_arrow(
        self, painter: QPainter, centre: QPointF, radius: float, to: Point, colour: str
    ) -> None:
        angle = atan2(to[1], to[0])
        end = centre + _polar(radius, angle)
        painter.setPen(QPen(theme().colour(colour), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawLine(centre, end - _polar(TIP / 2, angle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour(colour))
        sides = (angle + pi - SPREAD, angle + pi + SPREAD)
        painter.drawPolygon(QPolygonF([end, *(end + _polar(TIP, a) for a in sides)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_arc(self, painter: QPainter, centre: QPointF, radius: float) -> None:
        """From the arrow before to the one after, the shorter way round."""
        start = degrees(atan2(self._before[1], self._before[0]))
        end = degrees(atan2(self._after[1], self._after[0]))
        sweep = (end - start + 180) % 360 - 180
        box = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
        painter.setPen(QPen(theme().colour("muted"), 1, Qt.PenStyle.DotLine))
        painter.drawArc(box, round(start * SIXTEENTHS), round(sweep * SIXTEENTHS))


def _polar(length: float, angle: float) -> QPointF:
    """A step of `length` in a direction; Qt's y points down."""
    return QPointF(length * cos(angle), -length * sin(angle))
