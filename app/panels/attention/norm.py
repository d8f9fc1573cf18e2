"""The norm: every token's row before and after, on the same features.

Steps: attn.norm, attn.q_normed, attn.k_normed. What the norm takes from a row and
divides it by stands beside it.
"""

from collections.abc import Hashable
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.page import CARD_GAP, Page, Part
from app.panels.attention.row_notes import RowNotes
from app.scene import Scene
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from app.widgets.heatmap import Heatmap
from core.trace.matrix import FloatArray, Matrix
from core.trace.numbers import short
from core.trace.selection import feature_of
from core.trace.views.attention_norm import NormView, norm_parts, norm_view


class NormPage(Page):
    """The rows above, the normed rows below."""

    def __init__(self) -> None:
        """Empty maps."""
        super().__init__()
        self._view: NormView | None = None
        self._before, self._after = NormSide(), NormSide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        for side in (self._before, self._after):
            column.addWidget(side, 1)
            side.map.cell_clicked.connect(self._on_cell_clicked)
            side.map.set_hover_text(partial(self._tip, side))

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """Both sides."""
        return norm_parts(scene.trace, scene.selection.step, scene.selection.head)

    def subject(self, scene: Scene) -> Hashable:
        """The step and, as each may have rows of its own, the head."""
        return scene.selection.step, scene.selection.head

    def fill(self, scene: Scene) -> None:
        """Show both sides."""
        at = scene.selection
        self._view = view = norm_view(scene.trace, at.step, at.head)
        self._before.set_title(f"Before: {view.name}")
        self._after.set_title(f"After: normed, then {view.learning}")
        sides = (self._before, self._after), (view.before, view.after), view.measured
        for side, matrix, measured in zip(*sides, strict=True):
            side.show_side(matrix, view.measures, measured)
        widest = max(side.notes.sizeHint().width() for side in sides[0])
        for side in sides[0]:
            side.notes.setMinimumWidth(widest)

    def mark(self, scene: Scene) -> None:
        """Outline the chosen number on both sides."""
        axis = scene.trace.step(scene.selection.step).axes[-1]
        feature = feature_of(scene.selection, scene.trace, axis)
        for side in (self._before, self._after):
            side.set_selected(self.row(), feature)

    # What the reader does.

    def _tip(self, side: "NormSide", row: int, column: int) -> str:
        matrix, view = side.map.matrix, self._view
        return "" if view is None or matrix is None else view.tip(matrix, row, column)

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        self.ask_row(row, column)


class NormSide(Card):
    """One side: tokens by features, and what its rows come to."""

    def __init__(self) -> None:
        """An empty map."""
        super().__init__()
        self.map, self._bar = Heatmap(may_be_square=False), ColourBar()
        self.notes = RowNotes(self.map)
        self.head.addWidget(self._bar)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.map, 1)
        row.addWidget(self.notes)
        self.body.addLayout(row, 1)

    def show_side(
        self, matrix: Matrix, measures: tuple[str, ...], measured: FloatArray
    ) -> None:
        """Show the rows [n, d_model] and what is measured of each, [n_measures, n]."""
        self.map.show_matrix(matrix)
        self._bar.show_scale(matrix.scale, matrix.colour)
        texts = [[short(float(number)) for number in row] for row in measured]
        self.notes.show_notes(measures, texts)

    def set_selected(self, row: int, column: int) -> None:
        """Outline a number and let its row stand out."""
        self.map.set_selected(row, column)
        self.map.set_highlight(row, None)
        self.notes.set_lit(row)
