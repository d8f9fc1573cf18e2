"""A product in a card: the picture, its equation in the free corner, a line below."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.panels.attention.status import StatusLine
from app.style.fonts import LARGE, SMALL, mono, sans
from app.widgets.card import GAP, Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.product import Product, ProductMap
from app.widgets.spot_map import Spot
from app.widgets.strip import Group
from core.trace.matrix import Cell
from core.trace.views.attention_products import ProductView
from core.trace.views.places import place_in_weight

READING = "the lit row times the lit column makes the lit number · click any of them"


class ProductCard(Card):
    """One `ProductView`, large and true."""

    def __init__(self) -> None:
        """An empty card."""
        super().__init__()
        self._view: ProductView | None = None
        self.map = ProductMap(is_compact=False)
        self._bar, self._status = ColourBar(), StatusLine()
        self._equation, self._meeting = plain_label(), plain_label()
        self._words, self._sharing = plain_label(ink="muted"), plain_label(ink="muted")
        self._fill_corner()
        self.head.addWidget(self._bar)
        self.body.addWidget(self.map, 1)
        self.body.addWidget(self._status)
        self.map.set_hover_text(self._tip)
        self.map.spot_hovered.connect(self._on_spot_hovered)

    def _fill_corner(self) -> None:
        corner = QWidget()
        column = QVBoxLayout(corner)
        column.setContentsMargins(0, 0, GAP, 0)
        column.setSpacing(GAP)
        self._equation.setFont(mono(LARGE))
        self._meeting.setFont(mono())
        for label in (self._words, self._sharing):
            label.setFont(sans(SMALL))
        for label in (self._words, self._sharing, self._meeting):
            label.setWordWrap(True)
        for label in (self._equation, self._words, self._sharing, self._meeting):
            column.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        column.addStretch(1)
        self.map.set_corner(corner)

    def show_view(self, view: ProductView, groups: tuple[Group, ...] = ()) -> None:
        """Show a product; `groups` mark stretches of what is summed over."""
        self._view = view
        product = Product(view.left, view.right, view.result, view.names, groups)
        self.map.show_product(product)
        self._bar.show_scale(view.result.scale, view.result.colour)
        self._equation.setText(view.sentence)
        self._words.setText(view.explanation)
        self._sharing.setText(view.note)
        self._sharing.setVisible(bool(view.note))
        self._status.set_note(READING)

    def set_selected(self, row: int, column: int) -> None:
        """Light one number of the result and what makes it."""
        if self._view is not None:
            self.map.set_selected(row, column)
            self._meeting.setText(self._view.meeting(row, column))

    def set_focus(self, cell: Cell | None) -> None:
        """Outline the weight that the reader followed a number to."""
        if self._view is not None:
            self.map.set_marked(place_in_weight(self._view.right, cell))

    def _tip(self, factor: str, row: int, column: int) -> str:
        return "" if self._view is None else self._view.tip(factor, row, column)

    @Slot(object)
    def _on_spot_hovered(self, spot: Spot | None) -> None:
        self._status.say("" if spot is None else self._tip(*spot))
