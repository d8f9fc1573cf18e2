"""The merge tree: how the bytes of a word were joined into its tokens.

Place: the merges panel, beside the rows. In: the trees of the word's tokens. Out: which
node was clicked. Time runs upwards: the number of the merge stands at the left.
"""

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.fonts import BASE, CAPTION, mono
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, ENDS, NOTHING, Canvas
from app.widgets.label import Align, advance, draw_label, line_height
from app.widgets.merge_tree_layout import (
    LABEL_RANK_GAP,
    LEAF,
    PADDING,
    Placed,
    TreeNode,
    box_width,
    leaf_pitch,
    place,
)

MARGIN, RADIUS = 6, 4
LEVEL_GAPS = (4, 30)
"""Between one merge's boxes and the next's: as much as fits, within these."""
NUMBER_GAP = 10


class MergeTree(Canvas):
    """The trees of a word; merges up to a position are solid, the rest faint."""

    REVEAL_MARGIN = MARGIN

    node_clicked = Signal(TreeNode)
    """A node was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No tree."""
        super().__init__("Merge tree of the word", {**ACROSS, **DOWN}, parent)
        self._placed: tuple[Placed, ...] = ()
        self._position = 0
        self._pitch = 0.0
        self._step = 0.0
        self._left = 0.0
        self._floor = 0.0
        self._box_height = line_height(mono(BASE)) + 4

    def show_trees(self, roots: tuple[TreeNode, ...]) -> None:
        """Show the tokens of another word, in text order, each as its tree."""
        self._placed = place(roots)
        self._pitch = leaf_pitch(roots)
        self._position = 0
        self.refresh()
        self.keep_in_sight()

    def set_position(self, position: int) -> None:
        """Draw the first `position` merges solid, the later ones faint."""
        self._position = position
        self.keep_in_sight()
        self.viewport().update()

    # The canvas's questions.

    def item_count(self) -> int:
        """One item a node, each before its children."""
        return len(self._placed)

    def item_rect(self, index: int) -> QRectF:
        """The node's box."""
        placed = self._placed[index]
        half = box_width(placed.node) / 2
        ends = (placed.start * self._pitch + half, placed.end * self._pitch - half)
        x = self._left + max(ends[0], min(ends[1], placed.centre * self._pitch))
        bottom = self._floor - (placed.level - LEAF) * self._step
        return QRectF(x - half, bottom - self._box_height, 2 * half, self._box_height)

    def item_text(self, index: int) -> str:
        """The symbol, the merge that made it, its parts and rank."""
        placed = self._placed[index]
        node = placed.node
        parts = " + ".join(child.label for child in node.children)
        facts = (
            node.label,
            f"{parts}, merge {placed.level + 1}" if parts else "where the word starts",
            f"rank {node.rank}" if node.rank else "",
            "a token" if placed.parent < 0 else "",
        )
        return "\n".join(fact for fact in facts if fact)

    def neighbour(self, index: int, key: int) -> int:
        """Up to the join, down to the first part, across to the next to the side."""
        if key in ENDS:
            return super().neighbour(index, key)
        if key in ACROSS:
            in_text = sorted(range(len(self._placed)), key=self._centre_then_level)
            at = in_text.index(index) + ACROSS[key]
            return in_text[max(0, min(len(in_text) - 1, at))]
        placed = self._placed[index]
        if DOWN[key] < 0:
            return placed.parent if placed.parent >= 0 else index
        return index + 1 if placed.node.children else index

    def _centre_then_level(self, index: int) -> tuple[float, int]:
        placed = self._placed[index]
        return placed.centre, placed.level

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which node."""
        self.node_clicked.emit(self._placed[index].node)

    def arrange(self) -> QSizeF:
        """Spread the levels over the height, centre the trees in the width."""
        seen = self.viewport().size()
        n_levels = max((each.level + 1 for each in self._placed), default=0)
        ends = (each.end for each in self._placed)
        width = max(ends, default=0.0) * self._pitch + self._number_width + MARGIN
        free = (seen.height() - 2 * MARGIN - self._box_height) / max(1, n_levels)
        least, most = (self._box_height + gap for gap in LEVEL_GAPS)
        self._step = max(least, min(most, free))
        height = n_levels * self._step + self._box_height + 2 * MARGIN
        self._left = self._number_width + max(0.0, (seen.width() - width) / 2)
        self._floor = height - MARGIN + max(0.0, (seen.height() - height) / 2)
        return QSizeF(width, height)

    def keep_in_sight(self) -> None:
        """Scroll to the merge just made, or before the first one to the bytes."""
        wanted = self._position - 1 if self._position else LEAF
        levels = enumerate(placed.level for placed in self._placed)
        latest = next((i for i, level in levels if level == wanted), NOTHING)
        self.reveal(latest)

    @property
    def _number_width(self) -> float:
        return MARGIN + advance("00", mono(CAPTION)) + NUMBER_GAP

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The levels, then the branches, then the boxes over them."""
        self._paint_levels(painter, visible)
        for index in range(len(self._placed)):
            self._paint_branch(painter, index)
        for index in range(len(self._placed)):
            if self.item_rect(index).intersects(visible):
                self._paint_box(painter, index)

    def _paint_levels(self, painter: QPainter, visible: QRectF) -> None:
        n_levels = max((each.level + 1 for each in self._placed), default=0)
        painter.setFont(mono(CAPTION))
        for level in range(n_levels):
            bottom = self._floor - (level - LEAF) * self._step
            middle = bottom - self._box_height / 2
            box = QRectF(0, bottom - self._box_height, 0, self._box_height)
            box.setRight(self._number_width - NUMBER_GAP + 1)
            is_latest = level == self._position - 1
            painter.setPen(theme().ink("accent" if is_latest else "muted"))
            draw_label(painter, box, str(level + 1), Align.AlignRight)
            painter.setPen(QPen(theme().colour("line"), 1, Qt.PenStyle.DotLine))
            right = max(visible.right(), self.viewport().width())
            painter.drawLine(QLineF(self._number_width, middle, right, middle))

    def _is_solid(self, placed: Placed) -> bool:
        return placed.level < self._position

    def _paint_branch(self, painter: QPainter, index: int) -> None:
        """Straight up from the node, then across to the join."""
        parent = self._placed[index].parent
        if parent < 0:
            return
        is_solid = self._is_solid(self._placed[parent])
        name, style = BRANCHES[is_solid]
        painter.setPen(QPen(theme().colour(name), 1.5 if is_solid else 1, style))
        start, end = self.item_rect(index).center(), self.item_rect(parent).center()
        painter.drawPolyline([start, QPointF(start.x(), end.y()), end])

    def _paint_box(self, painter: QPainter, index: int) -> None:
        placed, box = self._placed[index], self.item_rect(index)
        fill, border, ink, style = self._look(index)
        edge = box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setBrush(theme().colour("surface"))  # under the see-through dashes
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(edge, RADIUS, RADIUS)
        painter.setBrush(theme().colour(fill))
        painter.setPen(QPen(theme().colour(border), 1, style))
        painter.drawRoundedRect(edge, RADIUS, RADIUS)
        label = box.adjusted(PADDING, 0, -PADDING + 1, 0)
        rank = QRectF(label)
        rank.setLeft(label.left() + advance(placed.node.label, mono()) + LABEL_RANK_GAP)
        is_solid = self._is_solid(placed)
        for place_of, text, font, name in (
            (label, placed.node.label, mono(BASE), ink),
            (rank, placed.node.rank, mono(CAPTION), "muted" if is_solid else ink),
        ):
            painter.setFont(font)
            faint = theme().colour("faint")
            painter.setPen(QColor(theme().ink_on(name, fill)) if is_solid else faint)
            draw_label(painter, place_of, text, Align.AlignLeft)

    def _look(self, index: int) -> tuple[str, str, str, Qt.PenStyle]:
        """Fill, border, ink and line of a node's box."""
        placed = self._placed[index]
        if not self._is_solid(placed):
            return "surface", "line", "faint", Qt.PenStyle.DashLine
        is_latest = placed.level >= 0 and placed.level == self._position - 1
        fill = "sunken" if placed.level == LEAF else "surface"
        if index == self.hover_index:
            fill = "sunken"
        border = "text" if placed.parent < 0 else "muted"
        if is_latest:
            return "accent_soft", "accent", "text", Qt.PenStyle.SolidLine
        return fill, border, "text", Qt.PenStyle.SolidLine


BRANCHES = {
    True: ("muted", Qt.PenStyle.SolidLine),
    False: ("line", Qt.PenStyle.DashLine),
}
"""Colour and line of a branch, by whether its merge has happened."""
