"""After the heads: side by side, and multiplied by the output projection.

Steps: attn.concat, attn.out.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout

from app.panels.attention.page import CARD_GAP, Page, Part, attn_of, stage_of
from app.panels.attention.product_card import ProductCard
from app.scene import Scene
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from app.widgets.head_grid import HeadGrid
from app.widgets.strip import Group, VectorStrip
from core.trace.selection import feature_of
from core.trace.trace import Trace
from core.trace.views.attention_heads import HeadsView, heads_view
from core.trace.views.attention_mix import concat_view, stretches
from core.trace.views.attention_products import output_parts, output_view

APART, JOINED = 2, 3
"""How the two cards share the height."""
SIDE_BY_SIDE = "Side by side: one row a token"
UNMIXED = "Side by side as they are: this model has no W_O to mix them"


class ConcatPage(Page):
    """The heads apart above, side by side below; so they go on where no W_O is."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._heads: HeadsView | None = None
        self._apart, self._joined = Card("Each head on its own"), Card()
        self._grid, self._bar = HeadGrid(), ColourBar()
        self._strip = VectorStrip("heads side by side")
        self._joined.head.addWidget(self._bar)
        self._apart.body.addWidget(self._grid, 1)
        self._joined.body.addWidget(self._strip, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        column.addWidget(self._apart, APART)
        column.addWidget(self._joined, JOINED)
        self._strip.cell_clicked.connect(self._on_cell_clicked)
        self._grid.head_clicked.connect(self._on_head_clicked)
        self._grid.set_hover_text(self._grid_tip)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The heads, and the heads side by side."""
        return ((f"{attn_of(scene)}.heads", ()), (scene.selection.step, ()))

    def fill(self, scene: Scene) -> None:
        """Show the same numbers twice: apart, and joined."""
        key = scene.selection.step
        self._joined.set_title(UNMIXED if stage_of(scene) == "out" else SIDE_BY_SIDE)
        self._heads = heads = heads_view(scene.trace, f"{attn_of(scene)}.heads")
        joined = concat_view(scene.trace, key)
        self._grid.show_heads(heads.stack, heads.scale, heads.colour, heads.captions)
        self._strip.show_vectors(joined, groups_of(scene.trace))
        self._bar.show_scale(joined.scale, joined.colour)

    def mark(self, scene: Scene) -> None:
        """Outline the chosen number; mark the head it came from."""
        feature = feature_of(scene.selection, scene.trace, "d_heads")
        self._strip.set_selected(scene.selection.query, feature)
        self._grid.set_selected(feature // scene.trace.config.d_head)

    # What the reader does.

    def _grid_tip(self, head: int, row: int, column: int) -> str:
        return "" if self._heads is None else self._heads.tip(head, row, column)

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        self.ask(query=row, feature=column)

    @Slot(int)
    def _on_head_clicked(self, head: int) -> None:
        if self._heads is not None:
            self.ask(head=head, feature=head * self._heads.stack.shape[-1])


class OutputProjectionPage(Page):
    """The joined heads times W_O: what attention adds to the stream."""

    def __init__(self) -> None:
        """An empty picture."""
        super().__init__()
        self._card = ProductCard()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)
        self._card.map.cell_clicked.connect(self._on_cell_clicked)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The joined heads and the output."""
        return output_parts(scene.trace, scene.selection.step)

    def fill(self, scene: Scene) -> None:
        """Show the product, with the borders between heads."""
        view = output_view(scene.trace, scene.selection.step)
        self._card.set_title("Heads side by side, times the output projection")
        self._card.show_view(view, groups_of(scene.trace))

    def mark(self, scene: Scene) -> None:
        """Light the chosen number and what makes it."""
        feature = feature_of(scene.selection, scene.trace, "d_model")
        self._card.set_selected(scene.selection.query, feature)
        self._card.set_focus(scene.selection.focus)

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        self.ask(query=row, feature=column)


def groups_of(trace: Trace) -> tuple[Group, ...]:
    """The columns of each head."""
    return tuple(
        Group(stretch.name, stretch.start, stretch.stop, role="value")
        for stretch in stretches(trace)
    )
