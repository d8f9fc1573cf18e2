"""Points with names in a plane, as many named as fit without touching.

Place: the neighbourhood of a row of the embedding table. In: points, names, which one
is chosen. Out: which point was clicked. Both directions have one scale, so distances
may be compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import MEDIUM, REGULAR, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.qt_calls import tells_faults

MARGIN = 14.0
"""Around the outermost points."""
FOOT = 20.0
"""Room for the name of the direction across, and at the left for the one upwards."""
DOT, CHOSEN_DOT = 3.0, 4.5
LABEL_GAP = 4.0
LABEL_LIMIT = 96.0
LEAST_MAP = QSize(220, 160)
REACH = 10.0
"""A point is hit this near."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One named point."""

    label: str
    x: float
    y: float
    role: str = "residual"
    note: str = ""
    """What the tooltip adds."""


@tells_faults
class Scatter(Canvas):
    """A map of points. The first ones get their names first."""

    dot_clicked = Signal(int)
    """A point was clicked or entered."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the map."""
        super().__init__(name, {**ACROSS, **DOWN}, parent)
        self._dots: tuple[Dot, ...] = ()
        self._names = ("", "")
        self._chosen = NOTHING
        self._places: list[QPointF] = []
        self._labels: list[QRectF | None] = []
        for set_policy in (
            self.setHorizontalScrollBarPolicy,
            self.setVerticalScrollBarPolicy,
        ):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_dots(
        self, dots: tuple[Dot, ...], names: tuple[str, str], chosen: int = NOTHING
    ) -> None:
        """Show other points; `names` are those of the directions across and upwards."""
        self._dots, self._names, self._chosen = dots, names, chosen
        self.refresh()

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a point."""
        return len(self._dots)

    def item_rect(self, index: int) -> QRectF:
        """The dot and a little around it."""
        around = QPointF(REACH / 2, REACH / 2)
        return QRectF(self._places[index] - around, self._places[index] + around)

    def item_at(self, point: QPointF) -> int:
        """The point whose name lies there, or the nearest one in reach."""
        for index, label in enumerate(self._labels):
            if label is not None and label.contains(point):
                return index
        ways = [QLineF(point, place).length() for place in self._places]
        nearest = min(range(len(ways)), key=ways.__getitem__, default=NOTHING)
        return nearest if nearest != NOTHING and ways[nearest] <= REACH else NOTHING

    def item_text(self, index: int) -> str:
        """The name and its note."""
        return f"{self._dots[index].label}\n{self._dots[index].note}".strip()

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which point."""
        self.dot_clicked.emit(index)

    def arrange(self) -> QSizeF:
        """Fit all points into the room, then place names while there is room."""
        size = QSizeF(self.viewport().size())
        ground = QRectF(FOOT, 0, size.width() - FOOT, size.height() - FOOT)
        self._places = list(fitted_points(self._dots, ground))
        self._labels = placed_labels(self._dots, self._places, ground, self._chosen)
        return size

    def sizeHint(self) -> QSize:
        """Room for a few names: the map takes what it is given."""
        return LEAST_MAP

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The directions, the points, and over them the names."""
        self._paint_directions(painter)
        for index, place in enumerate(self._places):
            is_lit = index in (self._chosen, self.hover_index)
            radius = CHOSEN_DOT if is_lit else DOT
            painter.setPen(QPen(theme().colour("surface"), 1))
            painter.setBrush(theme().colour(self._role(index)))
            painter.drawEllipse(place, radius, radius)
        for index, box in enumerate(self._labels):
            if box is not None:
                is_chosen = index == self._chosen
                painter.setFont(mono(SMALL, MEDIUM if is_chosen else REGULAR))
                ink = self._dots[index].role if is_chosen else "text"
                painter.setPen(theme().ink(ink))
                draw_label(painter, box, self._dots[index].label, Align.AlignLeft)

    def _role(self, index: int) -> str:
        return "accent" if index == self.hover_index else self._dots[index].role

    def _paint_directions(self, painter: QPainter) -> None:
        size = self.viewport().size()
        painter.setPen(QPen(theme().colour("line"), 1))
        left, foot = FOOT - 0.5, size.height() - FOOT + 0.5
        painter.drawLine(QLineF(left, 0, left, foot))
        painter.drawLine(QLineF(left, foot, size.width(), foot))
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("muted"))
        line = line_height(sans(SMALL))
        across = QRectF(FOOT, size.height() - line, size.width() - FOOT, line)
        draw_label(painter, across, self._names[0], Align.AlignHCenter)
        painter.save()
        painter.rotate(-90)
        upwards = QRectF(-foot, 0, foot, line)
        draw_label(painter, upwards, self._names[1], Align.AlignHCenter)
        painter.restore()


def fitted_points(dots: tuple[Dot, ...], ground: QRectF) -> Iterator[QPointF]:
    """Where the points lie in `ground`: centred, one scale for both directions."""
    if not dots:
        return
    xs, ys = [dot.x for dot in dots], [dot.y for dot in dots]
    inner = ground.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    spans = max(max(xs) - min(xs), 1e-12), max(max(ys) - min(ys), 1e-12)
    scale = min(inner.width() / spans[0], inner.height() / spans[1])
    middle = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    for x, y in zip(xs, ys, strict=True):
        across, up = (x - middle[0]) * scale, (y - middle[1]) * scale
        yield inner.center() + QPointF(across, -up)


def placed_labels(
    dots: tuple[Dot, ...], places: list[QPointF], ground: QRectF, chosen: int
) -> list[QRectF | None]:
    """A box for each name that finds one free of dots and other names, else None.

    Only the name of the chosen point may lie over dots: it is always there.
    """
    around = QPointF(DOT + 1, DOT + 1)
    taken = [QRectF(place - around, place + around) for place in places]
    boxes: list[QRectF | None] = []
    for index, (dot, place) in enumerate(zip(dots, places, strict=True)):
        width = min(LABEL_LIMIT, advance(dot.label, mono(SMALL, MEDIUM))) + 1
        inside = [box for box in _beside(place, width) if ground.contains(box)]
        free = (box for box in inside if not any(box.intersects(t) for t in taken))
        found = next(free, inside[0] if inside and index == chosen else None)
        boxes.append(found)
        if found is not None:
            taken.append(found.adjusted(-LABEL_GAP, 0, LABEL_GAP, 0))
    return boxes


def _beside(place: QPointF, width: float) -> Iterator[QRectF]:
    """Where a name may stand: right of its dot, left, above, below."""
    height = line_height(mono(SMALL))
    reach = DOT + LABEL_GAP
    yield QRectF(place.x() + reach, place.y() - height / 2, width, height)
    yield QRectF(place.x() - reach - width, place.y() - height / 2, width, height)
    yield QRectF(place.x() - width / 2, place.y() - reach - height, width, height)
    yield QRectF(place.x() - width / 2, place.y() + reach, width, height)
