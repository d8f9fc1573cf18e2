"""The rotation: queries or keys before and after they are turned by their place.

Steps: attn.q_rotated, attn.k_rotated. The chosen pair of numbers is drawn as an arrow.
"""

from collections.abc import Hashable
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.page import CARD_GAP, Page, Part
from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.card import Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.dial import Dial
from app.widgets.head_grid import HeadGrid
from app.widgets.heatmap import Heatmap
from core.trace.selection import feature_of
from core.trace.views.attention_heads import HeadsView, heads_view
from core.trace.views.attention_rotation import (
    RotationView,
    rotation_parts,
    rotation_view,
)

MAPS, SIDE = 7, 3
"""How the two columns share the width."""


class RotationPage(Page):
    """One head before and after; a dial for one pair; all heads."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: RotationView | None = None
        self._heads: HeadsView | None = None
        self._before, self._after = Card(), Card()
        self._pair, self._all = Card(), Card()
        self._maps = Heatmap(may_be_square=False), Heatmap(may_be_square=False)
        self._bar, self._dial, self._grid = ColourBar(), Dial(), HeadGrid()
        self._words = plain_label(ink="muted")
        self._words.setFont(sans(SMALL))
        self._words.setWordWrap(True)
        self._pair.body.addWidget(self._dial, 1)
        self._pair.body.addWidget(self._words)
        self._all.body.addWidget(self._grid, 1)
        self._before.head.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        for stretch, cards in (
            (MAPS, (self._before, self._after)),
            (SIDE, (self._pair, self._all)),
        ):
            column = QVBoxLayout()
            column.setSpacing(CARD_GAP)
            for card in cards:
                column.addWidget(card, 1)
            row.addLayout(column, stretch)
        self._connect()

    def _connect(self) -> None:
        for card, heatmap in zip((self._before, self._after), self._maps, strict=True):
            card.body.addWidget(heatmap, 1)
            heatmap.cell_clicked.connect(self._on_cell_clicked)
            heatmap.set_hover_text(partial(self._tip, heatmap))
        self._grid.head_clicked.connect(self._on_head_clicked)
        self._grid.set_hover_text(self._grid_tip)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """One head before and after, and all heads after."""
        at = scene.selection
        return ((at.step, ()), *rotation_parts(scene.trace, at.step, at.head))

    def subject(self, scene: Scene) -> Hashable:
        """The step and the head."""
        return scene.selection.step, scene.selection.head

    def fill(self, scene: Scene) -> None:
        """Show one head on both sides, and all heads."""
        at = scene.selection
        self._view = view = rotation_view(scene.trace, at.step, at.head)
        self._heads = heads = heads_view(scene.trace, at.step)
        self._before.set_title(f"{view.name} of head {at.head + 1}, before")
        self._after.set_title(f"{view.name} of head {at.head + 1}, turned")
        self._after.set_note(view.note)
        for heatmap, matrix in zip(self._maps, (view.before, view.after), strict=True):
            heatmap.show_matrix(matrix)
        self._bar.show_scale(view.before.scale, view.before.colour)
        self._dial.set_colour(view.before.colour)
        self._all.set_title(heads.title)
        self._grid.show_heads(heads.stack, heads.scale, heads.colour, heads.captions)

    def mark(self, scene: Scene) -> None:
        """Outline the chosen number and turn its pair on the dial."""
        at, view, heads = scene.selection, self._view, self._heads
        assert view is not None
        assert heads is not None
        row, feature = self.row(), feature_of(at, scene.trace, "d_head")
        turn, pair = view.turn(row, feature), view.pair_of(feature)
        partner = sum(pair) - feature
        for heatmap in self._maps:
            heatmap.set_selected(row, feature)
            heatmap.set_highlight(row, partner)
        self._pair.set_title(f"Features {pair[0] + 1} and {pair[1] + 1}")
        self._dial.show_turn(turn.before, turn.after)
        self._words.setText(turn.words)
        self._grid.set_selected(heads.place_of(at.head))

    # What the reader does.

    def _tip(self, heatmap: Heatmap, row: int, column: int) -> str:
        matrix, view = heatmap.matrix, self._view
        return "" if view is None or matrix is None else view.tip(matrix, row, column)

    def _grid_tip(self, head: int, row: int, column: int) -> str:
        return "" if self._heads is None else self._heads.tip(head, row, column)

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        self.ask_row(row, column)

    @Slot(int)
    def _on_head_clicked(self, place: int) -> None:
        if self._heads is not None:
            self.ask(head=self._heads.query_head(place))
