"""The pipeline: every step of the model from top to bottom, and where the reader is.

Left of the panel. In: the session's model and selection. Out: the step to go to. Sides
and layers fold; those the reader is in are open. The rail at the left is filled as far
as they have come, as the slider is.
"""

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.frame.sizes import PIPELINE_WIDTH
from app.model_card import ModelCard
from app.session import Session
from app.style.fonts import BASE, CAPTION, MEDIUM, REGULAR, SMALL, sans
from app.style.theme import theme
from app.widgets.canvas import DOWN, Canvas
from app.widgets.label import Align, advance, draw_label
from app.widgets.qt_calls import tells_faults
from core.config import ModelConfig
from core.texts import MERGES
from core.trace.selection import Selection
from core.trace.step import layer_path, side_of
from core.trace.steps import sides_of
from core.trace.views.pipeline import Line, Stop, pipeline_lines

TOP, HEADING_HEIGHT, LINE_HEIGHT = 8, 25, 22
PART_HEIGHT = 21
RAIL, INDENT, INSET = 18, 34, 12
"""From the left: the rail, top-level words, and how much deeper those within are."""
SIDE, PAD = 14, 6
"""Free at the right, and around the words of the marked step."""
DOT, PRESENT_DOT = 4.0, 5.0
"""Radii, half a line of their outline included."""
RADIUS = 6
FOLD_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to click: a step, or the heading of a side or a layer."""

    box: QRectF
    line: Line
    stop: Stop | None

    @property
    def is_heading(self) -> bool:
        """Whether it folds what is under it."""
        return self.stop is None


@tells_faults
class Pipeline(Canvas):
    """The list of steps; the present one is marked and in sight."""

    REVEAL_MARGIN = 2 * LINE_HEIGHT

    step_requested = Signal(str)
    """The reader wants to go to this step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        """Empty until a model is open."""
        super().__init__("Pipeline", {**DOWN, **dict.fromkeys(FOLD_KEYS, 0)}, parent)
        self.setObjectName("pipeline")
        self._lines: tuple[Line, ...] = ()
        self._keys: dict[str, int] = {}
        self._session = session
        self._present = session.selection.step
        self._unfolded: frozenset[str] = frozenset()
        self._items: tuple[Item, ...] = ()
        self._parts: tuple[tuple[QRectF, str], ...] = ()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.step_requested.connect(session.go_to)
        session.model_changed.connect(self._on_session_model_changed)
        session.selection_changed.connect(self._on_session_selection_changed)

    def show_steps(self, config: ModelConfig, method: str = MERGES) -> None:
        """List the steps of a model, whose tokenizer cuts words by `method`."""
        self._lines = pipeline_lines(config, method)
        stops = [stop for line in self._lines for stop in line.stops]
        self._keys = {stop.key: place for place, stop in enumerate(stops)}
        self._unfolded = frozenset(sides_of(config))
        self.refresh()
        self.go_to(self._present)

    def go_to(self, key: str) -> None:
        """Mark a step, open its side and layer, close the layer left behind.

        A step that the model does not have is the first one, as the heading has it.
        """
        if self._keys and key not in self._keys:
            key = next(iter(self._keys))
        left, before = self._reached(), self._present
        self._present = key
        layer, side = layer_path(key), side_of(key)
        unfolded = self._unfolded - self._left_behind(before, key) | {side, layer}
        if unfolded != self._unfolded:
            self._unfolded = unfolded
            self.refresh()
        self._repaint_between(left, self._reached())
        self.keep_in_sight()

    @property
    def present_text(self) -> str:
        """What the marked step is called."""
        stops = (item.stop for item in self._items if item.stop)
        return next((stop.text for stop in stops if stop.key == self._present), "")

    @property
    def unfolded(self) -> frozenset[str]:
        """The paths of sides and layers that stand open."""
        return self._unfolded - {""}

    def _repaint_between(self, left: int | None, reached: int | None) -> None:
        """Paint the lines between two steps anew: rail and words change only there."""
        if left is None or reached is None or max(left, reached) >= len(self._items):
            self.viewport().update()
            return
        first, last = sorted((self._items[left].box, self._items[reached].box), key=top)
        lines = QRectF(
            0, first.top(), self.viewport().width(), last.bottom() - first.top()
        )
        around = lines.adjusted(0, -LINE_HEIGHT, 0, LINE_HEIGHT)
        self.viewport().update(around.translated(-self.offset()).toAlignedRect())

    def _left_behind(self, before: str, key: str) -> frozenset[str]:
        """The layers that close on the way from one step to another.

        It is the layer that was left, and on another side all that are open.
        """
        side = side_of(key)
        if side and side != side_of(before):
            return frozenset(p for p in self._unfolded if side_of(p) not in (side, p))
        return frozenset({layer_path(before)} if layer_path(key) else ())

    def _fold(self, path: str) -> None:
        self._unfolded ^= {path}
        self.refresh()

    def _is_open(self, path: str) -> bool:
        return not path or path in self._unfolded

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        tokenizer = self._session.tokenizer
        self.show_steps(card.config, tokenizer.method if tokenizer else MERGES)

    @Slot(object)
    def _on_session_selection_changed(self, selection: Selection) -> None:
        if selection.step != self._present:
            self.go_to(selection.step)

    # The canvas's questions.

    def item_count(self) -> int:
        """Steps and headings in sight or scrolled away, but not folded ones."""
        return len(self._items)

    def item_rect(self, index: int) -> QRectF:
        """Its box."""
        return self._items[index].box

    def item_text(self, index: int) -> str:
        """The title of the step; of a heading, whether its layer is open."""
        item = self._items[index]
        if item.stop is not None:
            return item.stop.title
        state = "open" if self._is_open(item.line.path) else "folded"
        return f"{item.line.heading}, {state}"

    def arrange(self) -> QSizeF:
        """Lines under each other; the steps of a line beside each other."""
        items: list[Item] = []
        parts: list[tuple[QRectF, str]] = []
        top, width = float(TOP), float(self.viewport().width())
        for line in self._lines:
            groups = {line.side, line.layer} - {"", line.path}
            if not groups <= self._unfolded:
                continue
            left, height = INDENT + INSET * len(groups), _height(line)
            room = QRectF(left, top, width - left - SIDE, height)
            if line.stops or line.path:
                items += _line_items(line, room)
            else:
                parts.append((room, line.heading))
            top += height
        self._items, self._parts = tuple(items), tuple(parts)
        return QSizeF(width, top + TOP)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Go to the step, or fold the side or the layer."""
        item = self._items[index]
        if item.stop is not None:
            self.step_requested.emit(item.stop.key)
        else:
            self._fold(item.line.path)

    def neighbour(self, index: int, key: int) -> int:
        """Up and down as everywhere; left and right fold and unfold a layer or a side.

        From a layer that is folded already, left leads to its side.
        """
        if key not in FOLD_KEYS:
            return super().neighbour(index, key)
        line, is_right = self._items[index].line, key == Qt.Key.Key_Right
        path = line.path or line.layer or line.side
        if not path:
            return index
        if self._is_open(path) != is_right:
            self._fold(path)
        elif not is_right:
            path = line.side or path
        paths = [item.line.path for item in self._items]
        return paths.index(path)

    def keep_in_sight(self) -> None:
        """Scroll to the present step, where the keyboard's cursor waits, too."""
        reached = self._reached()
        if reached is not None:
            self.put_cursor(reached)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The rail with its dots, and the words beside it."""
        self._paint_rail(painter, visible)
        painter.setFont(sans(CAPTION))
        painter.setPen(theme().ink("muted"))
        for box, heading in self._parts:
            if box.intersects(visible):
                low = Align.AlignLeft | Align.AlignBottom
                draw_label(painter, box.adjusted(0, 0, 0, -2), heading.upper(), low)
        for index, item in enumerate(self._items):
            if item.box.intersects(visible):
                self._paint_item(painter, index, item)

    def paint_empty(self, painter: QPainter) -> None:
        """Nothing: the panel says what is going on."""

    def _paint_rail(self, painter: QPainter, visible: QRectF) -> None:
        if not self._items:
            return
        middles = [item.box.center().y() for item in self._items]
        painter.setPen(QPen(theme().colour("line"), 2))
        painter.drawLine(QLineF(RAIL, middles[0], RAIL, middles[-1]))
        reached = self._reached()
        if reached is not None:
            painter.setPen(QPen(theme().colour("accent"), 2))
            painter.drawLine(QLineF(RAIL, middles[0], RAIL, middles[reached]))
        passed = 0.0 if reached is None else middles[reached]
        painter.setPen(QPen(theme().colour("window"), 2))
        for middle in dict.fromkeys(middles):  # a line of several steps has one dot
            if visible.top() - DOT <= middle <= visible.bottom() + DOT:
                is_passed = middle <= passed
                painter.setBrush(theme().colour("accent" if is_passed else "faint"))
                painter.drawEllipse(QPointF(RAIL, middle), DOT, DOT)
        if reached is not None:
            painter.setPen(QPen(theme().colour("accent"), 2))
            painter.setBrush(theme().colour("window"))
            place = QPointF(RAIL, middles[reached])
            painter.drawEllipse(place, PRESENT_DOT, PRESENT_DOT)

    def _reached(self) -> int | None:
        """Index of the present step's item; None where there is none."""
        keys = (item.stop.key if item.stop else "" for item in self._items)
        return next((i for i, key in enumerate(keys) if key == self._present), None)

    def _paint_item(self, painter: QPainter, index: int, item: Item) -> None:
        stop = item.stop
        is_present = stop is not None and stop.key == self._present
        box = item.box.adjusted(-PAD, 0.5, PAD, -0.5)
        if is_present or index == self.hover_index:
            painter.setPen(Qt.PenStyle.NoPen)
            fill = "accent_soft" if is_present else "sunken"
            painter.setBrush(theme().colour(fill))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        painter.setFont(_font(item, is_present))
        painter.setPen(self._ink(item, is_present))
        text = item.line.heading if stop is None else stop.text
        draw_label(painter, item.box, text, Align.AlignLeft)
        if stop is None:
            self._paint_chevron(painter, item)

    def _ink(self, item: Item, is_present: bool) -> QColor:
        if is_present:
            return QColor(theme().ink_on("accent", "accent_soft"))
        if item.stop is None or not item.line.layer:
            return theme().colour("text")
        is_thing = item.stop.role in ("query", "key", "value")
        is_letter = len(item.stop.text) == 1
        return theme().ink(item.stop.role if is_thing and is_letter else "muted")

    def _paint_chevron(self, painter: QPainter, item: Item) -> None:
        """A small angle at the right: down where the layer is open."""
        middle = QPointF(item.box.right() - 6, item.box.center().y())
        is_open = self._is_open(item.line.path)
        corners = (
            ((-4, -2), (0, 2), (4, -2)) if is_open else ((-2, -4), (2, 0), (-2, 4))
        )
        painter.setPen(QPen(theme().colour("muted"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([middle + QPointF(x, y) for x, y in corners]))

    def sizeHint(self) -> QSize:
        """Wide enough for its words."""
        return QSize(PIPELINE_WIDTH, 400)


def top(box: QRectF) -> float:
    """What boxes are sorted by, from top to bottom."""
    return box.top()


def _font(item: Item, is_present: bool) -> QFont:
    size = BASE if not item.line.layer or item.stop is None else SMALL
    is_side = item.stop is None and item.line.path == item.line.side
    return sans(size, MEDIUM if is_present or is_side else REGULAR)


def _height(line: Line) -> int:
    if not (line.stops or line.path):
        return PART_HEIGHT
    return LINE_HEIGHT if line.stops and line.layer else HEADING_HEIGHT


def _line_items(line: Line, room: QRectF) -> list[Item]:
    """The items of one line: a heading or a single step takes all of it."""
    if len(line.stops) < 2:
        return [Item(room, line, line.stops[0] if line.stops else None)]
    items, left = [], room.left()
    for stop in line.stops:
        width = advance(stop.text, sans(SMALL, MEDIUM))
        box = QRectF(left, room.top(), width, room.height())
        items.append(Item(box, line, stop))
        left += width + 2 * PAD + 2
    return items
