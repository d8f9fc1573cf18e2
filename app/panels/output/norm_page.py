"""The last norm: the residual stream before and after it. Step: output.norm."""

from math import isfinite

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QBoxLayout

from app.panels.output.page import CARD_GAP, Page
from app.scene import Scene
from app.session import Session
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from app.widgets.heatmap import Heatmap
from core.trace.matrix import Matrix
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.selection import feature_of, pointed_at
from core.trace.views.output import NORM, NormView, norm_view
from core.trace.views.places import token_label

MOST_FLAT = 10
"""Up to so many tokens the maps are wide and lie below each other."""


class MapCard(Card):
    """One side of the norm."""

    cell_clicked = Signal(int, int)
    """The number at (token, feature) was clicked."""

    def __init__(self, title: str) -> None:
        """An empty map."""
        super().__init__(title)
        self.map, self._bar = Heatmap(), ColourBar()
        self.map.cell_clicked.connect(self.cell_clicked)
        self.head.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignVCenter)
        self.body.addWidget(self.map, 1)

    def show_matrix(self, matrix: Matrix, row: int, column: int) -> None:
        """Show one side, with a number outlined."""
        self.map.show_matrix(matrix)
        self.map.set_selected(row, column)
        self.map.set_highlight(row, None)
        self._bar.show_scale(matrix.scale, matrix.colour)


class NormPage(Page):
    """Two maps [n, d_model] and what happens to the chosen row."""

    def __init__(self, session: Session) -> None:
        """Empty maps."""
        super().__init__(session)
        self._before, self._after = MapCard("Before"), MapCard("After")
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(CARD_GAP)
        for card in (self._before, self._after):
            self._layout.addWidget(card, 1)
        self._before.cell_clicked.connect(self._on_before_cell_clicked)
        self._after.cell_clicked.connect(self._on_after_cell_clicked)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The norm and what it reads, of all tokens."""
        step = scene.trace.step(NORM)
        return (step.inputs[0], ()), (step.key, ())

    def display(self, scene: Scene) -> None:
        """Draw both maps; say what is taken from the chosen row and what divides it."""
        trace, query = scene.trace, scene.selection.query
        view = norm_view(trace, query)
        is_flat = trace.n <= MOST_FLAT
        direction = QBoxLayout.Direction
        self._layout.setDirection(
            direction.TopToBottom if is_flat else direction.LeftToRight
        )
        feature = feature_of(scene.selection, trace, "d_model")
        for card, matrix in ((self._before, view.before), (self._after, view.after)):
            card.show_matrix(matrix, query, feature)
        self._before.set_note(before_words(view, token_label(trace, query)))
        self._after.set_note(after_words(view, has_shift=trace.config.bias))

    @Slot(int, int)
    def _on_before_cell_clicked(self, row: int, column: int) -> None:
        self._point_at(self._before, row, column)

    @Slot(int, int)
    def _on_after_cell_clicked(self, row: int, column: int) -> None:
        self._point_at(self._after, row, column)

    def _point_at(self, card: MapCard, row: int, column: int) -> None:
        scene, matrix = self.session.scene, card.map.matrix
        if scene is not None and matrix is not None:
            cell = matrix.cell(row, column)
            moved = pointed_at(scene.selection, scene.trace, cell)
            self.session.request_selection(moved)


def before_words(view: NormView, label: str) -> str:
    """What the norm measures in the chosen row; "" where that is no number."""
    if not isfinite(view.size):
        return ""
    if view.is_rms:
        return f"{label}: root mean square {short(view.size)}"
    return f"{label}: mean {short(view.centre)}, deviation {short(view.size)}"


def after_words(view: NormView, *, has_shift: bool) -> str:
    """What the norm does with that; "" where it is no number."""
    if not isfinite(view.size):
        return ""
    taken = "" if view.is_rms else "minus the mean, "
    shift = " + β" if has_shift and not view.is_rms else ""
    return f"{taken}divided by {short(view.size)}, then × γ{shift}"
