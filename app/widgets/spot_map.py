"""What pictures of several matrices share: pointer, keys, tips, and one chosen cell.

Place: below the pictures of products and of weighted sums. A spot is a part of the
picture and a (row, column) in it; whatever the reader points at, one cell of the
result is meant, which has a row and a column.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.style.maps import palette
from app.style.theme import theme
from app.widgets.arrow_keys import claims, step_of
from app.widgets.label import as_tip
from app.widgets.map_painting import paint_focus, value_text
from app.widgets.qt_calls import tells_faults

Spot = tuple[str, int, int]
"""A part of the picture, and a (row, column) in it."""


@tells_faults
class SpotMap(QWidget):
    """A picture of parts. Focus comes by Tab only: a click leaves the arrow keys free.

    Subclasses answer the questions below and call `refresh` when their data changed.
    """

    cell_clicked = Signal(int, int)
    """The reader chose a cell of the result, by itself or by what makes it."""

    spot_hovered = Signal(object)
    """The mouse is over another `Spot`; None where it left them all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty picture."""
        super().__init__(parent)
        self._selected = (0, 0)
        self._hovered: Spot | None = None
        self._hover_text: Callable[[str, int, int], str] = self._plain_text
        self._look: tuple[str, str, float] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    # What a subclass says.

    def result_shape(self) -> tuple[int, int]:
        """Rows and columns to walk over; (0, 0) while there is nothing."""
        raise NotImplementedError

    def arrange(self, ratio: float) -> None:
        """Make the picture anew for the present size and theme.

        `ratio` is device pixels a logical one.
        """
        raise NotImplementedError

    def spot_at(self, point: QPointF) -> Spot | None:
        """The cell under a point."""
        raise NotImplementedError

    def value_at(self, spot: Spot) -> float:
        """The number of a cell."""
        raise NotImplementedError

    def cell_of(self, spot: Spot) -> tuple[int, int]:
        """The cell of the result that a spot means, the rest staying as selected."""
        raise NotImplementedError

    def paint(self, painter: QPainter) -> None:
        """Paint the picture, which `arrange` has made."""
        raise NotImplementedError

    # What a subclass or a panel uses.

    def set_selected(self, row: int, column: int) -> None:
        """Light a cell of the result and what makes it."""
        if (row, column) != self._selected:
            self._selected = (row, column)
            self.update()

    def set_hover_text(self, text_of: Callable[[str, int, int], str]) -> None:
        """Let `text_of(part, row, column)` make the tooltip, as plain text."""
        self._hover_text = text_of

    @property
    def selected(self) -> tuple[int, int]:
        """The lit cell of the result."""
        return self._selected

    @property
    def hovered_cell(self) -> tuple[int, int] | None:
        """The cell of the result that the mouse points at."""
        return None if self._hovered is None else self.cell_of(self._hovered)

    def refresh(self) -> None:
        """Arrange anew, when it is looked at next: other numbers, another size.

        Nothing counts as hovered until the mouse moves, and listeners are told so.
        """
        self._look = None
        self._hover(None)
        self.update()

    def renew(self) -> None:
        """Arrange anew if theme, palette or resolution are not those of the picture."""
        look = (theme().name, palette(), self.devicePixelRatioF())
        if look != self._look:
            self._look = look
            self.arrange(look[2])

    def _hover(self, spot: Spot | None) -> None:
        if spot != self._hovered:
            self._hovered = spot
            self.spot_hovered.emit(spot)
            self.update()

    def _walk(self, down: int, across: int) -> None:
        n_rows, n_columns = self.result_shape()
        if n_rows and n_columns:
            row = min(max(self._selected[0] + down, 0), n_rows - 1)
            column = min(max(self._selected[1] + across, 0), n_columns - 1)
            self.set_selected(row, column)
            self.cell_clicked.emit(row, column)

    def _plain_text(self, part: str, row: int, column: int) -> str:
        """The tooltip where the panel has set none."""
        return value_text(self.value_at((part, row, column)))

    # Qt's calls.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, and a ring while the keyboard is here."""
        with QPainter(self) as painter:
            self.renew()
            if self.result_shape()[0]:
                self.paint(painter)
            if self.hasFocus():
                paint_focus(painter, QRectF(self.rect()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the picture to the new room."""
        self.refresh()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which cell lies under the mouse."""
        self._hover(self.spot_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that no cell does."""
        self._hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell of the result."""
        spot = self.spot_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and spot is not None:
            self.cell_clicked.emit(*self.cell_of(spot))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk over the result with the arrow keys; Enter chooses again."""
        step = step_of(event.key())
        if step is None:
            super().keyPressEvent(event)
        else:
            self._walk(*step)

    def event(self, event: QEvent) -> bool:
        """Keep the arrow keys from being shortcuts, and show tooltips."""
        if claims(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            spot = self.spot_at(QPointF(event.pos()))
            text = "" if spot is None else self._hover_text(*spot)
            QToolTip.showText(event.globalPos(), as_tip(text), self)
            return True
        return super().event(event)
