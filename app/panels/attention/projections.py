"""Q, K and V: the normed stream times three matrices, the present one large.

Steps: attn.q, attn.k, attn.v. Beside it every head of the same product, and the other
two products of this head, to go to.
"""

from collections.abc import Hashable

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.panels.attention.page import CARD_GAP, Page, Part
from app.panels.attention.product_card import ProductCard
from app.scene import Scene
from app.widgets.card import Card
from app.widgets.head_grid import HeadGrid
from app.widgets.product import Product, ProductMap
from core.trace.selection import Selection, feature_of
from core.trace.views.attention_heads import HeadsView, heads_view
from core.trace.views.attention_products import (
    PROJECTIONS,
    ProductView,
    projection_parts,
    projection_view,
)

LARGE, SMALL = 13, 6
"""How the two columns share the width."""


class ProjectionsPage(Page):
    """Three products; the step says which is large, the selection which head."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._heads: HeadsView | None = None
        self._large, self._all, self._others = ProductCard(), Card(), Card()
        self._grid = HeadGrid()
        self._small = tuple(SmallProduct(letter) for letter in PROJECTIONS)
        column = QVBoxLayout()
        column.setSpacing(CARD_GAP)
        column.addWidget(self._all, 2)
        column.addWidget(self._others, 3)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._large, LARGE)
        row.addLayout(column, SMALL)
        self._all.body.addWidget(self._grid, 1)
        for small in self._small:
            self._others.body.addWidget(small, 1)
            small.chosen.connect(self._on_projection_chosen)
        self._others.set_title("The other two")
        self._large.map.cell_clicked.connect(self._on_cell_clicked)
        self._grid.head_clicked.connect(self._on_head_clicked)
        self._grid.set_hover_text(self._grid_tip)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The normed stream, the present heads, and the other two."""
        attn, head = _attention_of(scene.selection.step), scene.selection.head
        keys = (f"{attn}.{letter}" for letter in PROJECTIONS)
        needed = [projection_parts(scene.trace, key, head) for key in keys]
        return (
            (scene.selection.step, ()),
            *(part for parts in needed for part in parts),
        )

    def subject(self, scene: Scene) -> Hashable:
        """The product and the head."""
        return scene.selection.step, scene.selection.head

    def fill(self, scene: Scene) -> None:
        """Show the large product, all its heads, and the small ones."""
        trace, key, head = scene.trace, scene.selection.step, scene.selection.head
        view, heads = projection_view(trace, key, head), heads_view(trace, key)
        self._heads = heads
        self._large.set_title(f"{view.names[2]} of head {head + 1}")
        self._large.show_view(view)
        self._all.set_title(heads.title)
        self._grid.show_heads(heads.stack, heads.scale, heads.colour, heads.captions)
        for small in self._small:
            other = f"{_attention_of(key)}.{small.letter}"
            small.setVisible(other != key)
            if other != key:
                small.show_view(projection_view(trace, other, head))

    def mark(self, scene: Scene) -> None:
        """Light the chosen number; mark the chosen head."""
        at, heads = scene.selection, self._heads
        assert heads is not None
        column = feature_of(at, scene.trace, "d_head")
        self._large.set_selected(self.row(), column)
        self._large.set_focus(at.focus)
        for small in self._small:
            small.set_selected(at, column)
        self._grid.set_selected(heads.place_of(at.head))

    # What the reader does.

    def _grid_tip(self, head: int, row: int, column: int) -> str:
        return "" if self._heads is None else self._heads.tip(head, row, column)

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        self.ask_row(row, column)

    @Slot(int)
    def _on_head_clicked(self, place: int) -> None:
        if self._heads is not None:
            self.ask(head=self._heads.query_head(place))

    @Slot(str)
    def _on_projection_chosen(self, letter: str) -> None:
        self.ask(step=f"{_attention_of(self.selection.step)}.{letter}")


class SmallProduct(QWidget):
    """One of the three products at the size of a button."""

    chosen = Signal(str)
    """The reader wants to see this one; its letter."""

    def __init__(self, letter: str) -> None:
        """An empty picture under its name."""
        super().__init__()
        self.letter = letter
        self._name, self._map = QPushButton(), ProductMap(is_compact=True)
        self._name.setProperty("kind", "flat")
        self._name.setObjectName(f"projection.{letter}")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._name)
        column.addWidget(self._map, 1)
        self._name.clicked.connect(self._on_clicked)
        self._map.cell_clicked.connect(self._on_clicked)

    def show_view(self, view: ProductView) -> None:
        """Show a product."""
        self._name.setText(view.sentence)
        self._map.show_product(Product(view.left, view.right, view.result, view.names))

    def set_selected(self, at: Selection, column: int) -> None:
        """Light the same token and feature as in the large one."""
        self._map.set_selected(at.query if self.letter == "q" else at.key, column)

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self.letter)


def _attention_of(step_key: str) -> str:
    return step_key.rpartition(".")[0]
