"""All heads of a layer side by side: small maps of one shape, one scale, one colour.

Place: beside the enlarged map of the attention panel. In: one stack of matrices. Out:
which head was chosen, which cell is under the mouse. One picture holds all maps, one
below the other; each is painted from its part, and hovering repaints only one.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.style.fonts import SMALL, sans
from app.style.maps import palette
from app.style.theme import theme
from app.widgets import map_painting as ink
from app.widgets.arrow_keys import claims, step_of
from app.widgets.cell_image import cell_image
from app.widgets.label import as_tip, draw_label, first_fitting, line_height
from app.widgets.qt_calls import tells_faults
from app.widgets.tile_layout import TileLayout, tiles_in
from core.trace.matrix import FloatArray, Scale
from core.trace.reduce import block_size, reduce_by_maximum, strongest_in

Spot = tuple[int, int, int]
"""A (head, row, column)."""

NOWHERE: Spot = (-1, -1, -1)

LEAST_MAP = 20.0
"""Maps that would be lower have no captions; the tip says which head it is."""
CAPTION_GAP = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """What the grid shows."""

    stack: FloatArray
    """[n_heads, rows, columns]; NaN marks a cell without a value."""
    scale: Scale
    colour: str
    """Theme colour of positive values."""
    captions: tuple[str, ...]
    dimmed: tuple[int, ...] = ()
    """Columns that are drawn faintly."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadsPicture:
    """The same, ready to paint for one size of widget and one look."""

    layout: TileLayout
    blocks: tuple[int, int]
    """How many rows and columns share a dot."""
    image: QImage
    """All maps, one below the other."""

    def source(self, head: int) -> QRectF:
        """The part of the image that holds one map."""
        height = self.image.height() / self.layout.n_tiles
        return QRectF(0, head * height, self.image.width(), height)


@tells_faults
class HeadGrid(QWidget):
    """Small maps to compare, hover and choose from, by mouse or arrow keys.

    It fills itself with the surface colour, as a card does.
    """

    head_clicked = Signal(int)
    """The reader chose this head."""

    cell_hovered = Signal(int, int, int)
    """The mouse is over (head, row, column); (-1, -1, -1) when it left all maps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty grid."""
        super().__init__(parent)
        self.setObjectName("head.grid")
        self._heads: Heads | None = None
        self._selected = 0
        self._hovered = NOWHERE
        self._hover_text: Callable[[int, int, int], str] = self._plain_text
        self._picture: HeadsPicture | None = None
        self._look: tuple[str, str, float] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def show_heads(
        self,
        stack: FloatArray | None,
        scale: Scale,
        colour: str,
        captions: tuple[str, ...] = (),
        dimmed: tuple[int, ...] = (),
    ) -> None:
        """Show the matrices [n_heads, rows, columns] in one scale; None for nothing.

        A head without a caption shows its number, counted from one. A mouse at rest
        now points at another number, which is told as if it had come there.
        """
        was = (0,) if self._heads is None else self._heads.stack.shape
        self._heads = None
        if stack is not None and stack.size:
            self._heads = Heads(stack, scale, colour, captions, dimmed)
        self._forget_picture()
        if self._hovered != NOWHERE:
            stays = self._heads is not None and stack is not None and stack.shape == was
            self._hovered = self._hovered if stays else NOWHERE
            self.cell_hovered.emit(*self._hovered)

    def set_selected(self, head: int) -> None:
        """Mark one head as the chosen one."""
        if head != self._selected:
            self._selected = head
            self.update()

    def set_hover_text(self, text_of: Callable[[int, int, int], str]) -> None:
        """Let `text_of(head, row, column)` make the tooltip, as plain text."""
        self._hover_text = text_of

    def picture(self) -> HeadsPicture | None:
        """What is painted and where, up to date; None while there are no heads."""
        look = (theme().name, palette(), self.devicePixelRatioF())
        if look != self._look:
            self._look = look
            size = (float(self.width()), float(self.height()))
            heads = self._heads
            self._picture = None if heads is None else picture_of(heads, size, look[2])
        return self._picture

    def head_at(self, point: QPointF) -> int | None:
        """The head whose map or caption lies under a point."""
        picture = self.picture()
        if picture is None:
            return None
        return picture.layout.tile_at(point.x(), point.y())

    def spot_at(self, point: QPointF) -> Spot:
        """The (head, row, column) under a point; NOWHERE outside the maps.

        Of cells that share a dot it is the one that gave the dot its colour.
        """
        picture, head = self.picture(), self.head_at(point)
        if picture is None or self._heads is None or head is None:
            return NOWHERE
        place = picture.layout.cells(head).cell_at(point.x(), point.y())
        if place is None:
            return NOWHERE
        rows, columns = (
            range(at - at % size, at - at % size + size)
            for at, size in zip(place, picture.blocks, strict=True)
        )
        return (head, *strongest_in(self._heads.stack[head], rows, columns))

    def _forget_picture(self) -> None:
        self._look = None
        self.update()

    # What the reader does.

    def _hover(self, spot: Spot) -> None:
        if spot == self._hovered:
            return
        stale = {spot[0], self._hovered[0]} - {NOWHERE[0]}
        self._hovered = spot
        self.cell_hovered.emit(*spot)
        picture = self.picture()
        if picture is not None:
            for head in stale:
                self.update(QRectF(*picture.layout.tile(head)).toAlignedRect())

    def _walk(self, down: int, across: int) -> None:
        """Choose the neighbour of the selected head."""
        picture = self.picture()
        if picture is None:
            return
        head = self._selected + down * picture.layout.n_across + across
        if 0 <= head < picture.layout.n_tiles:
            self.set_selected(head)
            self.head_clicked.emit(head)

    def _plain_text(self, head: int, row: int, column: int) -> str:
        """The tooltip where the panel has set none."""
        if self._heads is None:
            return ""
        value = ink.value_text(float(self._heads.stack[head, row, column]))
        return f"{self._caption(head)}\n({row}, {column}): {value}"

    def _caption(self, head: int) -> str:
        captions = () if self._heads is None else self._heads.captions
        return captions[head] if head < len(captions) else str(head + 1)

    # What is painted.

    def _paint_heads(
        self, painter: QPainter, picture: HeadsPicture, stale: QRegion
    ) -> None:
        for head in range(picture.layout.n_tiles):
            if stale.intersects(QRectF(*picture.layout.tile(head)).toAlignedRect()):
                self._paint_head(painter, picture, head)

    def _paint_head(self, painter: QPainter, picture: HeadsPicture, head: int) -> None:
        cells = picture.layout.cells(head)
        is_chosen, is_hovered = head == self._selected, head == self._hovered[0]
        ink.paint_cells(painter, cells, picture.image, picture.source(head))
        ink.paint_veil(painter, cells, self._heads.dimmed if self._heads else ())
        if is_chosen:
            painter.setPen(QPen(theme().colour("accent"), 2))
            painter.drawRect(ink.map_rectangle(cells).adjusted(-1, -1, 1, 1))
        if is_hovered:
            ink.paint_outline(painter, cells, *self._hovered[1:], thickness=1)
        if not picture.layout.caption_height:
            return
        colour = "accent" if is_chosen else "text" if is_hovered else "muted"
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink(colour))
        box = QRectF(*picture.layout.caption(head)).adjusted(0, 0, 0, -CAPTION_GAP)
        wordings = self._caption(head), str(head + 1)
        caption = first_fitting(wordings, painter.font(), box.width())
        draw_label(painter, box, caption, Qt.AlignmentFlag.AlignLeft)

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """Room for four maps."""
        return QSize(300, 320)

    def minimumSizeHint(self) -> QSize:
        """Room for some dots."""
        return QSize(120, 120)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the maps that went stale."""
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), theme().colour("surface"))
            picture = self.picture()
            if picture is not None:
                self._paint_heads(painter, picture, event.region())
            if self.hasFocus():
                ink.paint_focus(painter, QRectF(self.rect()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the maps for the new room."""
        self._forget_picture()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which cell lies under the mouse."""
        self._hover(self.spot_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that no cell does."""
        self._hover(NOWHERE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a head by its map or its caption."""
        head = self.head_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and head is not None:
            self.head_clicked.emit(head)

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
            spot = self.spot_at(QPointF(event.pos()))
            text = "" if spot == NOWHERE else self._hover_text(*spot)
            QToolTip.showText(event.globalPos(), as_tip(text), self)
            return True
        return super().event(event)


def picture_of(heads: Heads, size: tuple[float, float], ratio: float) -> HeadsPicture:
    """The maps of all heads, arranged in `size` and drawn into one image."""
    n_heads, n_rows, n_columns = heads.stack.shape
    caption = line_height(sans(SMALL)) + CAPTION_GAP
    layout = tiles_in(n_heads, (n_rows, n_columns), size, caption, ratio)
    if layout.cells(0).height < LEAST_MAP:  # what a caption takes, its map needs
        layout = tiles_in(n_heads, (n_rows, n_columns), size, 0.0, ratio)
    cells = layout.cells(0)
    blocks = (
        block_size(n_rows, cells.height * ratio),
        block_size(n_columns, cells.width * ratio),
    )
    reduced = reduce_by_maximum(heads.stack, *blocks)
    return HeadsPicture(layout, blocks, cell_image(reduced, heads.scale, heads.colour))
