"""What every painted widget of numbered items shares: pointer, keys, tips, scrolling.

Place: below token strip, bars, merge rows and the like, which say where their items
lie and paint them. Only what is visible is painted, so a thousand items cost no more
than a screenful.
"""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from app.style.fonts import sans
from app.style.theme import theme
from app.widgets.label import Align, as_tip, draw_label
from app.widgets.qt_calls import tells_faults

Moves = Mapping[int, int]
"""Which key moves the cursor by how many items."""

ACROSS: Moves = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
DOWN: Moves = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -10,
    Qt.Key.Key_PageDown: 10,
}
ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
SECONDARY = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier

NOTHING = -1
"""The index that stands for no item."""

EMPTY = "type something"

RING_RADIUS = 6
LEAST_SIZE = QSize(160, 48)


def grid_step(index: int, key: int, n_rows: int, n_columns: int) -> int:
    """Where a key leads in items that count row by row; ACROSS stays in the row."""
    row, column = divmod(index, n_columns)
    if key in ENDS:
        return row * n_columns + (0 if key == Qt.Key.Key_Home else n_columns - 1)
    row = max(0, min(n_rows - 1, row + DOWN.get(key, 0)))
    column = max(0, min(n_columns - 1, column + ACROSS.get(key, 0)))
    return row * n_columns + column


@tells_faults
class Canvas(QAbstractScrollArea):
    """A painted area of numbered items, reachable by mouse, keys and screen reader.

    Owns the keyboard's cursor, the item under the mouse and the scroll position. Focus
    comes by Tab only, so that a click leaves the arrow keys to the stepper.
    Subclasses answer the questions below, in content coordinates, and call `refresh`
    when their data changed.
    """

    REVEAL_MARGIN = 0
    """What stays free around an item that is scrolled into sight, in pixels."""

    hovered = Signal(int)
    """The mouse is over another item; -1 where it left them all."""

    def __init__(self, name: str, moves: Moves, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader says; `moves` are the keys of the cursor."""
        super().__init__(parent)
        self._moves = moves
        self._cursor = 0
        self._hover = NOTHING
        self._pressed = NOTHING
        self._content = QSizeF()
        self._message = EMPTY
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setCornerWidget(QWidget())  # else the style paints a box between the bars
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)

    # What a subclass says.

    def item_count(self) -> int:
        """How many items there are."""
        raise NotImplementedError

    def item_rect(self, index: int) -> QRectF:
        """Where an item lies."""
        raise NotImplementedError

    def item_text(self, index: int) -> str:
        """An item in words, for the tooltip and the screen reader."""
        raise NotImplementedError

    def tip_text(self, index: int) -> str:
        """What an item's tooltip says: its words, unless overridden."""
        return self.item_text(index)

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """Paint what lies in `visible`."""
        raise NotImplementedError

    def item_at(self, point: QPointF) -> int:
        """The item at a point, or NOTHING."""
        indices = range(self.item_count())
        return next((i for i in indices if self.item_rect(i).contains(point)), NOTHING)

    def neighbour(self, index: int, key: int) -> int:
        """Where a key takes the cursor from `index`."""
        last = self.item_count() - 1
        if key in ENDS:
            return 0 if key == Qt.Key.Key_Home else last
        return max(0, min(last, index + self._moves[key]))

    def activate(self, index: int, is_secondary: bool) -> None:
        """An item was clicked or entered; secondary: with Ctrl, Shift, right button."""

    def arrange(self) -> QSizeF:
        """Lay the items out for the viewport's size; the size of the whole content."""
        return QSizeF(self.viewport().size())

    def paint_empty(self, painter: QPainter) -> None:
        """Paint the words of an area without items."""
        painter.setFont(sans())
        painter.setPen(theme().ink("muted"))
        box = QRectF(self.viewport().rect())
        draw_label(painter, box, self._message, Align.AlignHCenter)

    def paint_over(self, painter: QPainter) -> None:
        """Paint what does not scroll, in viewport coordinates, over the rest."""

    def keep_in_sight(self) -> None:
        """Scroll to what matters most, after the room has changed."""
        self.reveal(self._cursor)

    # What a subclass or a panel uses.

    def set_message(self, text: str) -> None:
        """What stands there while there are no items."""
        self._message = text
        self.viewport().update()

    @property
    def message(self) -> str:
        """What stands there while there are no items."""
        return self._message

    def refresh(self) -> None:
        """Lay out and paint anew, after other data or another size."""
        content, seen = self.arrange(), self.viewport().size()
        if content != self._content:
            self._content = content
            self.updateGeometry()
        for bar, whole, part in (
            (self.horizontalScrollBar(), content.width(), seen.width()),
            (self.verticalScrollBar(), content.height(), seen.height()),
        ):
            bar.setRange(0, max(0, round(whole - part)))
            bar.setPageStep(part)
            bar.setSingleStep(max(1, part // 10))
        self._cursor = max(0, min(self._cursor, self.item_count() - 1))
        if self._hover >= self.item_count():
            self._hover_at(NOTHING)
        self.viewport().update()

    def offset(self) -> QPoint:
        """How far the content is scrolled."""
        return QPoint(
            self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        )

    def reveal(self, index: int) -> None:
        """Scroll no further than needed for an item to be seen with its margin."""
        if not 0 <= index < self.item_count():
            return
        margin = self.REVEAL_MARGIN
        box = self.item_rect(index).adjusted(-margin, -margin, margin, margin)
        spans = ((box.left(), box.right()), (box.top(), box.bottom()))
        bars = (self.horizontalScrollBar(), self.verticalScrollBar())
        for bar, (start, end) in zip(bars, spans, strict=True):
            least = round(end) - bar.pageStep()
            bar.setValue(min(max(bar.value(), least), round(start)))

    def update_item(self, index: int) -> None:
        """Paint anew what looks otherwise while the mouse is over an item.

        Everything; a subclass whose items keep to their places paints only one.
        """
        self.viewport().update()

    def put_cursor(self, index: int) -> None:
        """Move the keyboard's cursor to an item and tell the screen reader."""
        self._cursor = index
        self.reveal(index)
        self._describe()
        if self.hasFocus():  # without it there is no ring to paint
            self.viewport().update()

    @property
    def cursor_index(self) -> int:
        """The item the keyboard is at."""
        return self._cursor

    @property
    def hover_index(self) -> int:
        """The item under the mouse, or NOTHING."""
        return self._hover

    def paint_ring(self, painter: QPainter) -> None:
        """Paint the ring around the cursor's item while the keyboard is here."""
        if not self.hasFocus() or not 0 <= self._cursor < self.item_count():
            return
        painter.setPen(QPen(theme().colour("text"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        seen = QRectF(self.viewport().rect()).translated(QPointF(self.offset()))
        around = self.item_rect(self._cursor).adjusted(-2, -2, 2, 2)
        ring = around & seen.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(ring, RING_RADIUS, RING_RADIUS)

    def _describe(self) -> None:
        if 0 <= self._cursor < self.item_count():
            self.setAccessibleDescription(self.item_text(self._cursor))

    def _hover_at(self, index: int) -> None:
        if index != self._hover:
            before, self._hover = self._hover, index
            for stale in (before, index):
                self.update_item(stale)
            self.hovered.emit(index)

    def _content_point(self, position: QPointF) -> QPointF:
        return position + QPointF(self.offset())

    # Qt's own.

    def sizeHint(self) -> QSize:
        """The whole content."""
        return self._content.toSize().expandedTo(self.minimumSizeHint())

    def minimumSizeHint(self) -> QSize:
        """Small: the rest scrolls."""
        return LEAST_SIZE

    def viewportEvent(self, event: QEvent) -> bool:
        """Show an item's words as its tip; notice the mouse leaving."""
        if event.type() == QEvent.Type.Leave:
            self._hover_at(NOTHING)
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.item_at(self._content_point(QPointF(event.pos())))
            tip = "" if index == NOTHING else as_tip(self.tip_text(index))
            QToolTip.showText(event.globalPos(), tip, self.viewport())
            return True
        return super().viewportEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep the cursor's keys from the window's shortcuts while focused."""
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._takes(event.key()):
            event.accept()
            return True
        return super().event(event)

    def _takes(self, key: int) -> bool:
        return self.item_count() > 0 and key in (*self._moves, *ENDS, *ENTER)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor or enter its item."""
        key = event.key()
        if not self._takes(key):
            event.ignore()
        elif key in ENTER:
            self.activate(self._cursor, bool(event.modifiers() & SECONDARY))
        else:
            self.put_cursor(self.neighbour(self._cursor, key))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the item under the mouse."""
        self._pressed = self.item_at(self._content_point(event.position()))
        if self._pressed != NOTHING:
            self.put_cursor(self._pressed)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Enter the item if the mouse is still on it."""
        index = self.item_at(self._content_point(event.position()))
        if index != NOTHING and index == self._pressed:
            is_right = event.button() == Qt.MouseButton.RightButton
            self.activate(index, is_right or bool(event.modifiers() & SECONDARY))
        self._pressed = NOTHING

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Notice the item under the mouse."""
        self._hover_at(self.item_at(self._content_point(event.position())))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say where the cursor is."""
        super().focusInEvent(event)
        self._describe()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for the new size."""
        super().resizeEvent(event)
        self.refresh()
        self.keep_in_sight()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible content, then what lies over it."""
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if not self.item_count():
                self.paint_empty(painter)
                return
            shift = QPointF(self.offset())
            painter.translate(-shift)
            self.paint(painter, QRectF(event.rect()).translated(shift))
            self.paint_ring(painter)
            painter.translate(shift)
            self.paint_over(painter)
