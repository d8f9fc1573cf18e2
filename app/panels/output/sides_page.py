"""A step as what goes in and what comes out: two maps, the chosen number in both.

Steps: output.first, output.active, output.scaled, output.pooled.
"""

from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QBoxLayout

from app.panels.output.page import CARD_GAP, Page
from app.scene import Scene
from app.session import Session
from app.widgets.card import Card, give_the_rest
from app.widgets.colour_bar import ColourBar
from app.widgets.heatmap import Heatmap
from core.trace.matrix import Matrix
from core.trace.needs import Index
from core.trace.selection import feature_of
from core.trace.views.output_sides import sides_view

LEAST_HEIGHT = 90
MOST_FLAT = 10
"""Up to so many tokens the maps are wide and lie below each other."""


class MapCard(Card):
    """One side of a step."""

    cell_clicked = Signal(int, int)
    """The number at (token, feature) was clicked."""

    def __init__(self, title: str) -> None:
        """An empty map."""
        super().__init__(title)
        self.map, self._bar = Heatmap(may_be_square=False), ColourBar()
        self.map.cell_clicked.connect(self.cell_clicked)
        self.head.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignVCenter)
        give_the_rest(self.map, LEAST_HEIGHT)
        self.body.addWidget(self.map, 1)

    def show_matrix(self, matrix: Matrix, row: int, column: int) -> None:
        """Show one side, with a number outlined."""
        self.map.show_matrix(matrix)
        self.map.set_selected(row, column)
        self.map.set_highlight(row, None)
        self._bar.show_scale(matrix.scale, matrix.colour)


class SidesPage(Page):
    """Two maps, and the arithmetic of the chosen number."""

    def __init__(self, session: Session) -> None:
        """Empty maps."""
        super().__init__(session)
        self._before, self._after = MapCard("Before"), MapCard("After")
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(CARD_GAP)
        for card in (self._before, self._after):
            self._layout.addWidget(card, 1)
            card.map.set_hover_text(partial(self._hover_text, card))
        self._before.cell_clicked.connect(self._on_before_cell_clicked)
        self._after.cell_clicked.connect(self._on_after_cell_clicked)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The step and what it reads, of all tokens."""
        step = scene.trace.step(scene.selection.step)
        return (step.inputs[0], ()), (step.key, ())

    def display(self, scene: Scene) -> None:
        """Draw both maps, and say how one number of them became the other."""
        trace, selection = scene.trace, scene.selection
        feature = feature_of(selection, trace, "d_model")
        view = sides_view(trace, selection.step, selection.query, feature)
        self.show_sides(view.before, view.after, view.rows, feature)
        self._before.set_note(view.note_before)
        self._after.set_note(view.note_after)

    def show_sides(
        self, before: Matrix, after: Matrix, rows: tuple[int, int], feature: int
    ) -> None:
        """Draw two maps; below each other where they are wide and low."""
        n_tokens = len(before.values)
        is_flat = n_tokens <= MOST_FLAT or len(after.values) < n_tokens
        direction = QBoxLayout.Direction
        self._layout.setDirection(
            direction.TopToBottom if is_flat else direction.LeftToRight
        )
        shares = (len(before.values), len(after.values)) if is_flat else (1, 1)
        for place, share in enumerate(shares):
            self._layout.setStretch(place, max(share, (n_tokens + 1) // 2))
        self._before.show_matrix(before, rows[0], feature)
        self._after.show_matrix(after, rows[1], feature)

    @Slot(int, int)
    def _on_before_cell_clicked(self, row: int, column: int) -> None:
        self._on_cell_clicked(self._before, row, column)

    @Slot(int, int)
    def _on_after_cell_clicked(self, row: int, column: int) -> None:
        self._on_cell_clicked(self._after, row, column)

    def _on_cell_clicked(self, card: MapCard, row: int, column: int) -> None:
        if card.map.matrix is not None:
            self.point_at(card.map.matrix.cell(row, column))

    def _hover_text(self, card: MapCard, row: int, column: int) -> str:
        matrix = card.map.matrix
        return "" if matrix is None else self.told_of(matrix.cell(row, column))
