"""A large chart of curves that grow: zoomed by the mouse, fluid with 100,000 points.

Place: the loss of a run, and whatever else is drawn over its steps. In: series as
arrays. Out: nothing but what the reader sees. Each series is thinned to the pixels it
has before pyqtgraph draws it; ticks, fonts and colours are the program's own.
"""

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.style.fonts import CAPTION, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.card import plain_label
from app.widgets.chart_scale import HEADROOM, Span, span_of, ticks
from app.widgets.chart_ticks import log_ticks, plain_ticks
from app.widgets.curve_legend import CurveLegend, Entry, reading
from app.widgets.curve_parts import PEN_STYLES, Level, Mark, Series
from app.widgets.decimate import Floats, bundled, decimated, finite, within
from app.widgets.qt_calls import tells_faults

TICK_ROOM = (110, 34)
"""About one tick every so many pixels, along x and along y."""
X_ROOM = 0.01
"""Free at both ends of x, as a share of its range."""
GRID_OPACITY = 255
AXIS_WIDTH, AXIS_HEIGHT = 44, 22
MARK_SIZE = 9
TOP = 0.85
"""From this share of the height on, a mark's words have no room above it."""
ABOVE, BELOW = 1.1, -0.1
"""Where words are held, in their own heights from their top."""


@tells_faults
class CurvePlot(QWidget):
    """Curves over one pair of axes.

    Dragging moves along x, Ctrl and the wheel zoom, a double click shows everything.
    The height always fits what is seen.
    """

    zoom_changed = Signal(bool)
    """Whether only a part is seen."""

    def __init__(self, name: str, x_name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the chart."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self._series: tuple[Series, ...] = ()
        self._clean: list[tuple[Floats, Floats]] = []
        """The finite points of each series."""
        self._levels: tuple[Level, ...] = ()
        self._marks: tuple[Mark, ...] = ()
        self._x_name = x_name
        self._is_log = False
        self._is_zoomed = False
        self._read_x: float | None = None
        self._legend = CurveLegend()
        self._message = plain_label(ink="muted")
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.hide()
        self._plot: Any = pg.PlotWidget()
        self._item: Any = self._plot.getPlotItem()
        self._view: Any = self._item.getViewBox()
        self._curves: list[Any] = []
        self._level_items: list[Any] = []
        self._mark_items: list[Any] = []
        self._mark_words: list[tuple[Mark, Any]] = []
        self._stem: Any = pg.InfiniteLine(angle=90)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._legend)
        column.addWidget(self._plot, 1)
        column.addWidget(self._message, 1)
        self._prepare()
        self._dress()

    def _prepare(self) -> None:
        self._item.hideButtons()
        self._item.setMenuEnabled(False)
        self._item.addItem(self._stem, ignoreBounds=True)
        self._stem.hide()
        self._view.setMouseEnabled(x=True, y=False)
        self._view.disableAutoRange()
        self._view.setDefaultPadding(0)
        self._view.sigXRangeChanged.connect(self._fit_height)
        self._view.sigRangeChangedManually.connect(self._on_moved_by_hand)
        self._plot.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self._plot.viewport().installEventFilter(self)
        self._plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot.setFrameShape(pg.PlotWidget.Shape.NoFrame)

    # What it shows.

    def show_series(
        self,
        series: tuple[Series, ...],
        levels: tuple[Level, ...] = (),
        marks: tuple[Mark, ...] = (),
    ) -> None:
        """Show other curves, or the same ones grown; the part seen stays."""
        has_other_signs = (levels, marks) != (self._levels, self._marks)
        self._series, self._levels, self._marks = series, levels, marks
        self._clean = [
            finite(each.x, each.y) if each.y.ndim == 1 else (each.x, each.y)
            for each in series
        ]
        while len(self._curves) < len(series):
            self._curves.append(pg.PlotCurveItem())
            self._curves[-1].setSegmentedLineMode("on")  # a long path is slow to stroke
            self._item.addItem(self._curves[-1], ignoreBounds=True)
        for item in self._curves[len(series) :]:
            item.setData([], [])
        if has_other_signs:
            self._show_signs()
        else:
            self._place_words()
        self._tell_emptiness()
        self._show_legend()
        if self._is_zoomed:
            self._fit_height()
        else:
            self.show_all()

    def set_message(self, text: str) -> None:
        """What to say while there is no point to draw."""
        self._message.setText(text)

    def set_x_name(self, name: str) -> None:
        """Say what x counts from now on."""
        self._x_name = name

    def set_log(self, is_log: bool) -> None:
        """Measure heights by their logarithm; what is not above 0 has none."""
        if is_log != self._is_log:
            self._is_log = is_log
            self._show_signs()
            self._fit_height()

    def show_all(self) -> None:
        """See every curve from end to end."""
        self._is_zoomed = False
        ends = [x[[0, -1]] for x, _ in self._clean if len(x)]
        span = span_of(ends).widened(X_ROOM)
        before = self._view.viewRange()[0]
        self._view.setXRange(span.low, span.high, padding=0)
        if self._view.viewRange()[0] == before:  # else the height has been fitted
            self._fit_height()
        self.zoom_changed.emit(False)

    @property
    def series(self) -> tuple[Series, ...]:
        """What is shown."""
        return self._series

    @property
    def y_span(self) -> Span:
        """The heights in sight, as values also where the axis is logarithmic."""
        low, high = self._view.viewRange()[1]
        return Span(10**low, 10**high) if self._is_log else Span(low, high)

    @property
    def message(self) -> str:
        """What stands there instead of curves; "" where there are some."""
        return "" if self._message.isHidden() else self._message.text()

    def _tell_emptiness(self) -> None:
        """Show the message in place of empty axes."""
        has_points = any(len(x) for x, _ in self._clean)
        for part in (self._legend, self._plot):
            part.setVisible(has_points)
        self._message.setVisible(not has_points)

    def _height(self, values: Floats) -> Floats:
        if not self._is_log:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log10(values)

    # Where it lies.

    @Slot()
    def _fit_height(self) -> None:
        """Thin the curves to the part in sight, and let the height fit them."""
        low, high = self._view.viewRange()[0]
        n_pixels = max(1, int(self._view.width()))
        heights: list[Floats] = [
            self._height(np.array([level.y for level in self._levels], np.float64))
        ]
        shown = zip(self._curves, self._series, self._clean, strict=False)
        for item, each, (x, y) in shown:
            is_smooth = each.width > 1  # hair lines are drawn four times faster
            seen = within(x, y, low, high)
            is_crowd = y.ndim == 2
            xs, ys = (bundled if is_crowd else decimated)(*seen, n_pixels)
            ys = self._height(ys)
            if not is_crowd:
                xs, ys = finite(xs, ys)  # a line without gaps is drawn much faster
            joins = "finite" if is_crowd else "all"
            pen = self._pen(each)
            item.setData(xs, ys, pen=pen, antialias=is_smooth, connect=joins)
            heights.append(ys)
        span = span_of(heights).widened(HEADROOM)
        self._view.setYRange(span.low, span.high, padding=0)
        self._set_ticks(Span(low, high), span)

    def _set_ticks(self, x_span: Span, y_span: Span) -> None:
        size = self._view.size()
        n_x = max(2, int(size.width() // TICK_ROOM[0]))
        n_y = max(2, int(size.height() // TICK_ROOM[1]))
        x_ticks = [x for x in ticks(x_span, n_x) if x == round(x)]  # steps are whole
        texts = [f"{x:,.0f}" for x in x_ticks]
        self._item.getAxis("bottom").setTicks([list(zip(x_ticks, texts, strict=True))])
        pairs = log_ticks(y_span, n_y) if self._is_log else plain_ticks(y_span, n_y)
        self._item.getAxis("left").setTicks([pairs])

    # How it looks.

    def _pen(self, series: Series) -> Any:
        colour = theme().colour(series.role)
        colour.setAlphaF(series.opacity)
        return pg.mkPen(colour, width=series.width, style=PEN_STYLES[series.line])

    def _dress(self) -> None:
        """Wear the colours of the theme."""
        self._worn = theme()
        self._plot.setBackground(theme().colour("surface"))
        for side in ("left", "bottom"):
            axis = self._item.getAxis(side)
            axis.setPen(pg.mkPen(theme().colour("line")))
            axis.setTextPen(pg.mkPen(theme().ink("muted")))
            axis.setStyle(tickLength=0, tickFont=mono(CAPTION), tickTextOffset=6)
            axis.setZValue(-1)  # the grid lies behind the curves
        self._item.getAxis("left").setGrid(GRID_OPACITY)
        self._item.getAxis("left").setWidth(AXIS_WIDTH)
        self._item.getAxis("bottom").setHeight(AXIS_HEIGHT)
        self._stem.setPen(pg.mkPen(theme().colour("faint")))
        self._show_signs()
        self._fit_height()

    def _show_signs(self) -> None:
        self._show_levels()
        self._show_marks()

    def _show_levels(self) -> None:
        for item in self._level_items:
            self._item.removeItem(item)
        self._level_items = []
        for level in self._levels:
            if self._is_log and level.y <= 0:
                continue
            y = math.log10(level.y) if self._is_log else level.y
            pen = pg.mkPen(theme().colour(level.role), style=Qt.PenStyle.DashLine)
            words = {
                "position": 0.99,
                "anchors": [(1, 0), (1, 0)],
                "color": theme().ink(level.role),
            }
            line = pg.InfiniteLine(y, 0, pen, label=level.text, labelOpts=words)
            line.label.setFont(sans(SMALL))
            self._item.addItem(line, ignoreBounds=True)
            self._level_items.append(line)

    def _show_marks(self) -> None:
        for item in self._mark_items:
            self._item.removeItem(item)
        self._mark_items, self._mark_words = [], []
        for mark in self._marks:
            if not math.isfinite(mark.y) or (self._is_log and mark.y <= 0):
                continue
            y = math.log10(mark.y) if self._is_log else mark.y
            brush = pg.mkBrush(theme().colour(mark.role))
            pen = pg.mkPen(theme().colour("surface"), width=1.5)
            dot = pg.ScatterPlotItem(
                [mark.x], [y], size=MARK_SIZE, pen=pen, brush=brush
            )
            words = pg.TextItem(
                mark.text,
                theme().ink(mark.role),
                fill=pg.mkBrush(theme().colour("surface")),
            )
            words.setFont(sans(SMALL))
            words.setPos(mark.x, y)
            for item in (dot, words):
                item.setZValue(10)
                self._item.addItem(item, ignoreBounds=True)
                self._mark_items.append(item)
            self._mark_words.append((mark, words))
        self._place_words()

    def _place_words(self) -> None:
        """Keep the words of every mark on the chart, which may have grown."""
        for mark, words in self._mark_words:
            words.setAnchor((self._share_of(mark.x), self._side_of(mark.y)))

    def _share_of(self, x: float) -> float:
        """How far right a place is, 0 to 1: words over it then stay on the chart."""
        ends = [
            x for each in self._series if len(each.x) for x in (each.x[0], each.x[-1])
        ]
        if not ends or min(ends) == max(ends):
            return 1.0
        return float(np.interp(x, (min(ends), max(ends)), (0.0, 1.0)))

    def _side_of(self, y: float) -> float:
        """The words of a mark stand above it; below where the chart ends above it."""
        values = [y for _, y in self._clean if len(y) and y.ndim == 1]
        ends = [end for each in values for end in (np.min(each), np.max(each))]
        if not ends or y < np.interp(TOP, (0, 1), (min(ends), max(ends))):
            return ABOVE
        return BELOW

    def _show_legend(self) -> None:
        x = self._read_x
        self._legend.show_entries(
            tuple(
                Entry(
                    each.name,
                    each.role,
                    each.opacity,
                    line=each.line,
                    value="" if x is None else reading(value_near(*points, x)),
                )
                for each, points in zip(self._series, self._clean, strict=True)
                if each.name
            ),
            "" if x is None else f"{self._x_name} {x:,.0f}",
        )

    # What the reader does.

    @Slot(object)
    def _on_mouse_moved(self, place: QPointF) -> None:
        """Read out the sample nearest to the mouse."""
        points = next((x for x, _ in self._clean if len(x)), None)
        self._read_x = None
        if points is not None and self._view.sceneBoundingRect().contains(place):
            x = self._view.mapSceneToView(place).x()
            self._read_x = float(points[np.abs(points - x).argmin()])
            self._stem.setPos(self._read_x)
        self._stem.setVisible(self._read_x is not None)
        self._show_legend()

    @Slot(object)
    def _on_moved_by_hand(self, _: object) -> None:
        self._is_zoomed = True
        self.zoom_changed.emit(True)

    # Qt's calls.

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the bare wheel to the page, the double click to showing everything."""
        kind = event.type()
        if isinstance(event, QWheelEvent):
            event.ignore()
            return not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if kind == QEvent.Type.Leave:
            self._read_x = None
            self._stem.hide()
            self._show_legend()
        if kind == QEvent.Type.MouseButtonDblClick:
            self.show_all()
            return True
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Thin to the new width."""
        super().resizeEvent(event)
        self._fit_height()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme. Qt tells of each several times, by palette and by sheet."""
        super().changeEvent(event)
        is_palette = event.type() == QEvent.Type.PaletteChange
        if is_palette and self._worn is not theme():
            self._dress()


def value_near(x: Floats, y: Floats, place: float) -> float:
    """The height of the sample nearest to a place; NaN where there is none."""
    if not len(x) or not x[0] <= place <= x[-1]:
        return math.nan
    return float(y[np.abs(x - place).argmin()])
