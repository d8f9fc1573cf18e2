"""A small, calm chart: curves, the dots that matter on them, and what lies at one x.

Place: waves of position dimensions, the curve of an activation, similarities. In:
curves as arrays. Out: the x that was clicked. Painted by hand, so that opening the
window need not load a plotting package.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.style.fonts import CAPTION, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.canvas import ACROSS, NOTHING, Canvas
from app.widgets.cell_text import MINUS
from app.widgets.chart_scale import HEADROOM, Span, span_of, tick_texts, ticks
from app.widgets.label import Align, advance, draw_label, line_height
from core.trace.matrix import FloatArray

GAP, MARGIN = 6, 8
NAME_GAP = 8
"""Between the ground and the line above it; the uppermost tick reaches into it."""
TICK_ROOM = (90, 36)
"""About one tick every so many pixels, along x and along y."""
SWATCH = 18
"""Length of the sample of a line in the legend."""
DOT, MARK_DOT = 3.0, 4.5
"""Radius of a dot, and of the one at the mark."""
MANY_DOTS = 4.0
"""Dots closer together than this many pixels are drawn small."""
STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
"""Curves of one colour are told apart by their line."""
WIDEST_READING = "0.000e−00"
"""Room for a value in the legend, so that reading one out moves nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One line of the chart."""

    name: str
    x: FloatArray
    """[n], rising."""
    y: FloatArray
    """[n]; NaN leaves a gap."""
    role: str = "accent"
    """The theme colour it wears."""
    dots: tuple[int, ...] = ()
    """Indices of the samples that stand out, such as the positions of the tokens."""
    is_dashed: bool | None = None
    """None: solid, or where a curve before it has the same colour, another line."""


@dataclass(frozen=True, slots=True)
class Plot:
    """Where the chart's ground lies, and the values at its edges."""

    ground: QRectF
    x_span: Span
    y_span: Span

    def x(self, value: float) -> float:
        """The pixel of an x."""
        return self.ground.left() + self.x_span.share(value) * self.ground.width()

    def y(self, value: float) -> float:
        """The pixel of a y."""
        return self.ground.bottom() - self.y_span.share(value) * self.ground.height()


def value_at(curve: Curve, x: float) -> float:
    """The curve's y at x, between its samples on a straight line; NaN outside."""
    return float(np.interp(x, curve.x, curve.y, left=np.nan, right=np.nan))


def unbroken(curve: Curve) -> Iterator[tuple[FloatArray, FloatArray]]:
    """The stretches of a curve between its gaps, as (x, y)."""
    gaps = np.flatnonzero(~np.isfinite(curve.y))
    for x, y in zip(np.split(curve.x, gaps), np.split(curve.y, gaps), strict=True):
        is_there = np.isfinite(y)
        if is_there.any():
            yield x[is_there], y[is_there]


def legend_boxes(names: tuple[str, ...], room: float) -> list[QRectF]:
    """Where the legend's entries stand: side by side, in as many lines as needed.

    No entries where no curve has a name.
    """
    if not any(names):
        return []
    height, gap = line_height(mono(SMALL)), 2 * GAP
    widest = max(advance(name, sans(SMALL)) for name in names)
    width = SWATCH + 3 * GAP + widest + advance(WIDEST_READING, mono(SMALL))
    width = min(room, width)
    n_across = max(1, int((room + gap) // (width + gap)))
    places = (divmod(index, n_across) for index in range(len(names)))
    return [
        QRectF(MARGIN + column * (width + gap), row * height, width, height)
        for row, column in places
    ]


def reading(value: float) -> str:
    """A value to four digits that matter; a dash where there is none."""
    return f"{value:.4g}".replace("-", MINUS) if np.isfinite(value) else "–"


class Lines(Canvas):
    """Curves over one pair of axes; the arrows walk along x and read values out."""

    x_clicked = Signal(float)
    """This x was clicked or entered: a dot's, or a sample's where there are no dots."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the chart."""
        super().__init__(name, ACROSS, parent)
        self._curves: tuple[Curve, ...] = ()
        self._stops: tuple[float, ...] = ()
        self._names = ("", "")
        self._mark: float | None = None
        self._plot = Plot(QRectF(), Span(0, 1), Span(0, 1))
        self._legend: list[QRectF] = []
        for set_policy in (
            self.setHorizontalScrollBarPolicy,
            self.setVerticalScrollBarPolicy,
        ):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_curves(
        self, curves: tuple[Curve, ...], x_name: str = "", y_name: str = ""
    ) -> None:
        """Show other curves. The dots of the first one are what the arrows walk on."""
        self._curves = curves
        self._names = (x_name, y_name)
        self._stops = ()
        if curves:
            places = curves[0].dots or range(len(curves[0].x))
            self._stops = tuple(float(curves[0].x[place]) for place in places)
        self.refresh()

    def set_mark(self, x: float | None) -> None:
        """Mark one x on every curve and read its values out; None marks nothing."""
        self._mark = x
        self.viewport().update()

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a stop along x."""
        return len(self._stops)

    def item_rect(self, index: int) -> QRectF:
        """A slit of the ground at the stop."""
        ground = self._plot.ground
        return QRectF(
            self._plot.x(self._stops[index]), ground.top(), 1, ground.height()
        )

    def item_at(self, point: QPointF) -> int:
        """The stop nearest in x, anywhere on the ground."""
        if not self._plot.ground.adjusted(-MARGIN, 0, MARGIN, 0).contains(point):
            return NOTHING
        distances = [abs(self._plot.x(stop) - point.x()) for stop in self._stops]
        return distances.index(min(distances)) if distances else NOTHING

    def item_text(self, index: int) -> str:
        """The x and each curve's value there."""
        return "\n".join(self._readings(self._stops[index]))

    def tip_text(self, index: int) -> str:
        """No tip: the values are read out beside the line."""
        return ""

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which x."""
        self.x_clicked.emit(self._stops[index])

    def _readings(self, x: float) -> list[str]:
        values = [(curve.name, value_at(curve, x)) for curve in self._curves]
        lines = [f"{name or self._names[1] or 'y'} {reading(y)}" for name, y in values]
        return [f"{self._names[0] or 'x'} {reading(x)}", *lines]

    def arrange(self) -> QSizeF:
        """Legend above, axes around, the ground in what is left."""
        size = QSizeF(self.viewport().size())
        self._legend = legend_boxes(
            tuple(c.name for c in self._curves), size.width() - 2 * MARGIN
        )
        y_span = span_of(curve.y for curve in self._curves).widened(HEADROOM)
        line = line_height(mono(CAPTION))
        top = max((box.bottom() for box in self._legend), default=0.0) + GAP
        top += line_height(mono(SMALL)) + NAME_GAP  # the name of y, and the readings
        bottom = size.height() - line - GAP
        bottom -= line_height(sans(SMALL)) if self._names[0] else 0
        texts = tick_texts(ticks(y_span, max(2, int((bottom - top) // TICK_ROOM[1]))))
        left = max((advance(text, mono(CAPTION)) for text in texts), default=0.0)
        left += MARGIN + GAP
        width, height = size.width() - left - 2 * MARGIN, bottom - top
        ground = QRectF(left, top, max(1.0, width), max(1.0, height))
        self._plot = Plot(ground, span_of(c.x for c in self._curves), y_span)
        return size

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """Axes and legend, the curves with their dots, then what is read out."""
        self._paint_axes(painter)
        self._paint_legend(painter)
        painter.save()
        painter.setClipRect(self._plot.ground.adjusted(-DOT, -1, DOT, 1))
        for index in range(len(self._curves)):
            self._paint_curve(painter, index)
        painter.restore()
        read = self._read_x()
        for x, name in ((self._mark, "text"), (self._pointed_x(), "muted")):
            if x is not None:
                self._paint_stem(painter, x, name)
        if read is not None:
            self._paint_reading(painter, read)

    def paint_ring(self, painter: QPainter) -> None:
        """No ring: the line that is read out shows where the keyboard is."""

    def _pointed_x(self) -> float | None:
        """The x under the mouse, else the one under the keyboard."""
        if 0 <= self.hover_index < len(self._stops):
            return self._stops[self.hover_index]
        return self._stops[self.cursor_index] if self.hasFocus() else None

    def _read_x(self) -> float | None:
        """The x whose values are read out: pointed at, else marked."""
        pointed = self._pointed_x()
        return self._mark if pointed is None else pointed

    def _paint_axes(self, painter: QPainter) -> None:
        plot, ground = self._plot, self._plot.ground
        painter.setFont(mono(CAPTION))
        line = line_height(mono(CAPTION))
        y_ticks = ticks(plot.y_span, max(2, int(ground.height() // TICK_ROOM[1])))
        for value, text in zip(y_ticks, tick_texts(y_ticks), strict=True):
            y = round(plot.y(value)) + 0.5
            painter.setPen(QPen(theme().colour("faint" if value == 0 else "line"), 1))
            painter.drawLine(QLineF(ground.left(), y, ground.right(), y))
            painter.setPen(theme().ink("muted"))
            box = QRectF(0, y - line / 2, ground.left() - GAP, line)
            draw_label(painter, box, text, Align.AlignRight)
        x_ticks = ticks(plot.x_span, max(1, int(ground.width() // TICK_ROOM[0])))
        for value, text in zip(x_ticks, tick_texts(x_ticks), strict=True):
            half = TICK_ROOM[0] / 2
            box = QRectF(plot.x(value) - half, ground.bottom() + GAP, 2 * half, line)
            draw_label(painter, box, text, Align.AlignHCenter)
        self._paint_names(painter)

    def _paint_names(self, painter: QPainter) -> None:
        ground, line = self._plot.ground, line_height(sans(SMALL))
        foot = ground.bottom() + GAP + line_height(mono(CAPTION))
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("muted"))
        below = QRectF(ground.left(), foot - 1, ground.width(), line)
        above = QRectF(
            MARGIN, ground.top() - line - NAME_GAP, ground.right() - MARGIN, line
        )
        draw_label(painter, below, self._names[0], Align.AlignRight)
        draw_label(painter, above, self._names[1], Align.AlignLeft)

    def _paint_legend(self, painter: QPainter) -> None:
        read = self._read_x()
        for index, box in enumerate(self._legend):
            curve, middle = self._curves[index], box.center().y()
            painter.setPen(self._pen(index))
            painter.drawLine(QLineF(box.left(), middle, box.left() + SWATCH, middle))
            painter.setPen(theme().ink(curve.role))
            words = box.adjusted(SWATCH + GAP, 0, 0, 0)
            painter.setFont(sans(SMALL))
            draw_label(painter, words, curve.name, Align.AlignLeft)
            if read is not None:
                words.setLeft(words.left() + advance(curve.name, sans(SMALL)) + GAP)
                painter.setFont(mono(SMALL))
                painter.setPen(theme().ink("text"))
                value = reading(value_at(curve, read))
                draw_label(painter, words, value, Align.AlignLeft)

    def _pen(self, index: int) -> QPen:
        """The colour of the curve's role; other curves in it have another line."""
        role = self._curves[index].role
        is_dashed = self._curves[index].is_dashed
        style = sum(curve.role == role for curve in self._curves[:index])
        if is_dashed is not None:
            style = int(is_dashed)
        return QPen(theme().colour(role), 1.5, STYLES[style % len(STYLES)])

    def _paint_curve(self, painter: QPainter, index: int) -> None:
        curve, plot = self._curves[index], self._plot
        painter.setPen(self._pen(index))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for xs, ys in unbroken(curve):
            pairs = zip(xs.tolist(), ys.tolist(), strict=True)
            points = [QPointF(plot.x(x), plot.y(y)) for x, y in pairs]
            painter.drawPolyline(QPolygonF(points))
        n_dots = max(1, len(curve.dots))
        is_crowded = plot.ground.width() / n_dots < MANY_DOTS
        for place in curve.dots:
            x, y = float(curve.x[place]), float(curve.y[place])
            self._paint_dot(painter, x, y, curve.role, DOT / (2 if is_crowded else 1))

    def _paint_dot(
        self, painter: QPainter, x: float, y: float, role: str, radius: float
    ) -> None:
        if not np.isfinite(y):
            return
        painter.setPen(QPen(theme().colour("surface"), 1))
        painter.setBrush(theme().colour(role))
        painter.drawEllipse(QPointF(self._plot.x(x), self._plot.y(y)), radius, radius)

    def _paint_stem(self, painter: QPainter, x: float, name: str) -> None:
        """A line up from x, and a dot where it meets each curve."""
        ground, place = self._plot.ground, self._plot.x(x)
        if not ground.left() - 1 <= place <= ground.right() + 1:
            return
        painter.setPen(QPen(theme().colour(name), 1))
        painter.drawLine(QLineF(place, ground.top(), place, ground.bottom()))
        for curve in self._curves:
            self._paint_dot(painter, x, value_at(curve, x), curve.role, MARK_DOT)

    def _paint_reading(self, painter: QPainter, x: float) -> None:
        """The x above its line, with the value too where no legend shows it."""
        lines = self._readings(x)
        text = lines[0] if self._legend else "   ".join(lines)
        ground, width = self._plot.ground, advance(text, mono(SMALL)) + 1
        least = MARGIN + advance(self._names[1], sans(SMALL)) + 2 * GAP
        left = min(self._plot.x(x) - width / 2, ground.right() - width)
        line = line_height(mono(SMALL))
        box = QRectF(max(left, least), ground.top() - line - NAME_GAP, width, line)
        painter.setFont(mono(SMALL))
        painter.setPen(theme().ink("text"))
        draw_label(painter, box, text, Align.AlignLeft)
