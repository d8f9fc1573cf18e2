"""The mix: the row of shares as weights on the value rows, summing to one row.

Step: attn.heads. Beside it the output of the chosen head for every token, and of the
other heads.
"""

from collections.abc import Hashable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.page import CARD_GAP, Page, Part
from app.panels.attention.status import StatusLine
from app.scene import Scene
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from app.widgets.head_grid import HeadGrid
from app.widgets.heatmap import Heatmap
from app.widgets.mixture import Mixture, MixtureMap
from app.widgets.spot_map import Spot
from core.trace.selection import feature_of
from core.trace.views.attention_heads import HeadsView, heads_view
from core.trace.views.attention_mix import MixView, mix_parts, mix_view

MIXED, HEADS = 7, 3
"""How the two columns share the width."""


class MixPage(Page):
    """What the chosen token takes through the chosen head."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: MixView | None = None
        self._heads: HeadsView | None = None
        self._mixed, self._one, self._all = Card(), Card(), Card()
        self._map, self._bar, self._status = MixtureMap(), ColourBar(), StatusLine()
        self._head, self._grid = Heatmap(may_be_square=False), HeadGrid()
        self._mixed.head.addWidget(self._bar)
        self._mixed.body.addWidget(self._map, 1)
        self._mixed.body.addWidget(self._status)
        self._one.body.addWidget(self._head, 1)
        self._all.body.addWidget(self._grid, 1)
        column = QVBoxLayout()
        column.setSpacing(CARD_GAP)
        column.addWidget(self._one, 1)
        column.addWidget(self._all, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._mixed, MIXED)
        row.addLayout(column, HEADS)
        self._connect()

    def _connect(self) -> None:
        self._map.cell_clicked.connect(self._on_sum_clicked)
        self._map.spot_hovered.connect(self._on_spot_hovered)
        self._map.set_hover_text(self._tip)
        self._head.cell_clicked.connect(self._on_head_cell_clicked)
        self._head.set_hover_text(self._head_tip)
        self._grid.head_clicked.connect(self._on_head_clicked)
        self._grid.set_hover_text(self._grid_tip)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The shares of one row, the value rows, and every head's output."""
        at = scene.selection
        return mix_parts(scene.trace, at.step, at.head, at.query)

    def subject(self, scene: Scene) -> Hashable:
        """The head; the token that looks only changes the sum."""
        return scene.selection.step, scene.selection.head

    def fill(self, scene: Scene) -> None:
        """Show the outputs for all tokens and heads."""
        at = scene.selection
        self._view = None
        self._heads = heads = heads_view(scene.trace, at.step)
        self._one.set_title(f"Head {at.head + 1}, all tokens")
        self._head.show_matrix(heads.matrix(at.head))
        self._all.set_title(heads.title)
        self._grid.show_heads(heads.stack, heads.scale, heads.colour, heads.captions)

    def mark(self, scene: Scene) -> None:
        """Show the chosen token's sum; light the chosen key's row and feature."""
        at = scene.selection
        if self._view is None or self._view.query != at.query:
            self._show_sum(mix_view(scene.trace, at.step, at.head, at.query))
        feature = feature_of(at, scene.trace, "d_head")
        self._map.set_selected(at.key, feature)
        self._head.set_selected(at.query, feature)
        self._head.set_highlight(at.query, None)
        self._grid.set_selected(at.head)

    def _show_sum(self, view: MixView) -> None:
        self._view = view
        self._mixed.set_title(view.title)
        self._map.show_mixture(mixture_of(view))
        self._bar.show_scale(view.scale, "value")
        self._status.set_note(view.reading)

    # What the reader does.

    def _tip(self, part: str, row: int, column: int) -> str:
        return "" if self._view is None else self._view.tip(part, row, column)

    def _head_tip(self, row: int, column: int) -> str:
        return self._grid_tip(self.selection.head, row, column)

    def _grid_tip(self, head: int, row: int, column: int) -> str:
        return "" if self._heads is None else self._heads.tip(head, row, column)

    @Slot(object)
    def _on_spot_hovered(self, spot: Spot | None) -> None:
        words = "" if spot is None else self._tip(*spot).replace("\n", " · ")
        self._status.say(words)

    @Slot(int, int)
    def _on_sum_clicked(self, row: int, column: int) -> None:
        self.ask(key=row, feature=column)

    @Slot(int, int)
    def _on_head_cell_clicked(self, row: int, column: int) -> None:
        self.ask(query=row, feature=column)

    @Slot(int)
    def _on_head_clicked(self, head: int) -> None:
        self.ask(head=head)


def mixture_of(view: MixView) -> Mixture:
    """The view as the widget takes it."""
    return Mixture(
        axis=view.keys,
        shares=view.shares,
        rows=view.values,
        weighted=view.weighted,
        total=view.mixed,
        scale=view.scale,
        names=("share", "value row", "share × value row", "sum = output"),
        share_colour="pattern",
        colour="value",
    )
