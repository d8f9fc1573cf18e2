"""One matrix, enlarged: coloured cells, labelled axes, numbers where they have room.

Place: the picture of most panels. In: a `Matrix`. Out: which cell was pointed at. It
knows numbers and labels; what they mean is the panel's business.
"""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.style.fonts import BASE, SMALL, sans
from app.style.maps import palette
from app.style.theme import theme
from app.widgets import map_painting as ink
from app.widgets.arrow_keys import claims, step_of
from app.widgets.axes import (
    FOOT,
    Lit,
    paint_captions,
    paint_column_labels,
    paint_row_labels,
)
from app.widgets.label import as_tip, draw_label, first_fitting
from app.widgets.map_picture import NOWHERE, MapPicture, Place, picture_of
from app.widgets.qt_calls import tells_faults
from core.trace.matrix import Matrix

EMPTY_MESSAGE = "Type something, and its numbers appear here."
NO_VALUES_MESSAGE = "No cell has a value here: all are masked or not numbers."


@tells_faults
class Heatmap(QWidget):
    """A matrix to look at, hover, click and walk through by the arrow keys.

    Focus comes by Tab only, so that a click leaves the arrow keys to the stepper.
    """

    cell_clicked = Signal(int, int)
    """The reader chose the cell at (row, column), by mouse or keys."""

    cell_hovered = Signal(int, int)
    """The mouse is over another cell; (-1, -1) when it left them all."""

    def __init__(
        self, parent: QWidget | None = None, *, may_be_square: bool = True
    ) -> None:
        """An empty map.

        Cells that may not be square fill the room: that is for rows and columns which
        count different things, such as tokens and features.
        """
        super().__init__(parent)
        self._may_be_square = may_be_square
        self._matrix: Matrix | None = None
        self._rows, self._columns = range(0), range(0)
        self._message = EMPTY_MESSAGE
        self._hover_text: Callable[[int, int], str] = self._plain_text
        self._selected: Place | None = None
        self._highlight: tuple[int | None, int | None] = (None, None)
        self._hovered = NOWHERE
        self._picture: MapPicture | None = None
        self._look: tuple[str, str, float] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_matrix(self, matrix: Matrix | None) -> None:
        """Show all of `matrix`, or with None the message for having nothing.

        The part shown stays where the new matrix has the shape of the old one. A mouse
        at rest now points at another number, which is told as if it had come there.
        """
        shape = (0, 0) if matrix is None else matrix.values.shape
        before, self._matrix = self._matrix, matrix
        self._forget_picture()
        has_moved = before is None or before.values.shape != shape
        if has_moved:
            self._rows, self._columns = range(shape[0]), range(shape[1])
        if self._hovered != NOWHERE and matrix is not before:
            self._hovered = NOWHERE if has_moved else self._hovered
            self.cell_hovered.emit(*self._hovered)

    def show_range(self, rows: range, columns: range) -> None:
        """Show only these rows and columns (steps of one) of the matrix."""
        self._rows, self._columns = rows, columns
        self._forget_picture()

    def set_message(self, text: str) -> None:
        """What to say while there is no matrix."""
        self._message = text
        self.update()

    def set_selected(self, row: int | None, column: int | None) -> None:
        """Outline the cell at (row, column); None for none."""
        chosen = None if row is None or column is None else (row, column)
        if chosen != self._selected:
            self._selected = chosen
            self.update()

    def set_highlight(self, row: int | None, column: int | None) -> None:
        """Let a row's and a column's label wear the colours of their axes."""
        if (row, column) != self._highlight:
            self._highlight = (row, column)
            self.update()

    def set_hover_text(self, text_of: Callable[[int, int], str]) -> None:
        """Let `text_of(row, column)` make the tooltip, as plain text."""
        self._hover_text = text_of

    @property
    def matrix(self) -> Matrix | None:
        """What is shown."""
        return self._matrix

    @property
    def message(self) -> str:
        """What stands there instead of cells; "" where there are cells."""
        if self._matrix is None or not self._rows or not self._columns:
            return self._message
        return NO_VALUES_MESSAGE if np.isnan(self._matrix.values).all() else ""

    @property
    def is_reduced(self) -> bool:
        """Whether several cells share a dot, since there are too few pixels."""
        picture = self.picture()
        return picture is not None and picture.is_reduced

    def picture(self) -> MapPicture | None:
        """What is painted and where, up to date; None while there are no cells."""
        look = (theme().name, palette(), self.devicePixelRatioF())
        if look != self._look:
            self._look = look
            self._picture = None
            if self._matrix is not None and not self.message:
                size, ratio = QSizeF(self.size()), look[2]
                parts = self._rows, self._columns
                self._picture = picture_of(
                    self._matrix, *parts, size, ratio, may_be_square=self._may_be_square
                )
        return self._picture

    def _forget_picture(self) -> None:
        self._look = None
        self.update()

    # What the reader does.

    def _hover(self, place: Place) -> None:
        if place != self._hovered:
            self._hovered = place
            self.cell_hovered.emit(*place)
            self.update()

    def _place_at(self, point: QPointF) -> Place:
        picture = self.picture()
        return NOWHERE if picture is None else picture.place_at(point)

    def _walk(self, down: int, across: int) -> None:
        """Choose the neighbour of the selected cell, or the first cell shown."""
        if self._matrix is None or self.message:
            return
        row, column = self._rows.start, self._columns.start
        if self._selected is not None:
            row, column = self._selected[0] + down, self._selected[1] + across
        row = min(max(row, self._rows.start), self._rows.stop - 1)
        column = min(max(column, self._columns.start), self._columns.stop - 1)
        self.set_selected(row, column)
        self.cell_clicked.emit(row, column)

    def _plain_text(self, row: int, column: int) -> str:
        """The tooltip where the panel has set none: both labels and the value."""
        if self._matrix is None:
            return ""
        label = (
            f"{self._matrix.rows.labels[row]}, {self._matrix.columns.labels[column]}"
        )
        return f"{label}: {ink.value_text(float(self._matrix.values[row, column]))}"

    # What is painted.

    def _lit(self, picture: MapPicture) -> tuple[Lit, Lit]:
        """Which row and which column labels stand out, and the colours they wear."""
        lit: tuple[Lit, Lit] = ({}, {})
        axes = picture.rows, picture.columns
        for side, axis in enumerate(axes):
            chosen, hovered = self._highlight[side], self._hovered[side]
            if self._hovered != NOWHERE:
                lit[side][hovered - picture.origin[side]] = "text"
            if chosen is not None:
                lit[side][chosen - picture.origin[side]] = axis.role or "text"
        return lit

    def _paint_map(self, painter: QPainter, picture: MapPicture) -> None:
        frame, cells = picture.frame, picture.frame.cells
        lit_rows, lit_columns = self._lit(picture)
        ink.paint_cells(painter, cells, picture.image)
        values, dimmed = picture.values, picture.dimmed
        ink.paint_veil(painter, cells, dimmed)
        ink.paint_numbers(painter, cells, values, picture.matrix, dimmed)
        if picture.shows(self._hovered):
            ink.paint_cross(painter, cells, *picture.inside(self._hovered))
        if self._selected is not None and picture.shows(self._selected):
            ink.paint_outline(painter, cells, *picture.inside(self._selected))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_captions(painter, picture.rows, picture.columns, frame)
        paint_row_labels(painter, picture.rows, frame, lit_rows)
        paint_column_labels(painter, picture.columns, frame, lit_columns)
        if picture.is_reduced:
            self._paint_note(painter, picture)

    def _paint_note(self, painter: QPainter, picture: MapPicture) -> None:
        rows, columns = picture.blocks
        area = ink.map_rectangle(picture.frame.cells)
        box = QRectF(0, area.bottom(), self.width(), FOOT)
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("muted"))
        dots = f"a dot is the largest of {rows} × {columns} numbers"
        wordings = (f"too many to draw: {dots}", dots, f"largest of {rows} × {columns}")
        note = first_fitting(wordings, painter.font(), box.width())
        draw_label(painter, box, note, Qt.AlignmentFlag.AlignHCenter)

    def _paint_message(self, painter: QPainter) -> None:
        painter.setFont(sans(BASE))
        painter.setPen(theme().ink("muted"))
        flags = Qt.AlignmentFlag.AlignCenter.value | Qt.TextFlag.TextWordWrap.value
        painter.drawText(QRectF(self.rect()), flags, self.message)

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Room for a map of some tokens."""
        return QSize(360, 320)

    def minimumSizeHint(self) -> QSize:
        """Room for a few cells and their labels."""
        return QSize(140, 120)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the map or the message."""
        with QPainter(self) as painter:
            picture = self.picture()
            if picture is None:
                self._paint_message(painter)
            else:
                self._paint_map(painter, picture)
            if self.hasFocus():
                ink.paint_focus(painter, QRectF(self.rect()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the cells to the new room."""
        self._forget_picture()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which cell lies under the mouse."""
        self._hover(self._place_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that no cell does."""
        self._hover(NOWHERE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell."""
        place = self._place_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and place != NOWHERE:
            self.cell_clicked.emit(*place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk with the arrow keys; Enter chooses again."""
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
            self._show_tip(event)
            return True
        return super().event(event)

    def _show_tip(self, event: QHelpEvent) -> None:
        point, picture = QPointF(event.pos()), self.picture()
        place = self._place_at(point)
        if picture is None:
            QToolTip.hideText()
        elif place == NOWHERE:
            QToolTip.showText(event.globalPos(), as_tip(picture.label_at(point)), self)
        else:
            text = as_tip(self._hover_text(*place))
            rectangle = picture.rectangle(place).toAlignedRect()
            QToolTip.showText(event.globalPos(), text, self, rectangle)
