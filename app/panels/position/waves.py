"""The lower cards of the position panel: features as waves, and positions compared."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout

from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.card import Card, give_the_rest
from app.widgets.colour_bar import ColourBar
from app.widgets.elided import ElidedLabel
from app.widgets.heatmap import Heatmap
from app.widgets.lines import Curve, Lines
from core.trace.token_side import TokenSide
from core.trace.views.position import (
    Wave,
    Waves,
    pair_text,
    position_of,
    similarity,
    waves,
)

LEAST_HEIGHT = 120


class WavesCard(Card):
    """A few features over the positions, the sentence's tokens as dots."""

    position_requested = Signal(int)
    """The reader chose a position."""

    def __init__(self) -> None:
        """No curves yet."""
        super().__init__("Waves")
        self.lines = Lines("Features over the positions")
        self.lines.x_clicked.connect(self._on_lines_x_clicked)
        give_the_rest(self.lines, LEAST_HEIGHT)
        self.body.addWidget(self.lines)

    def display(self, scene: Scene) -> None:
        """Draw the waves of the chosen feature and mark the query's position."""
        shown = waves(scene.trace, scene.selection)
        self.set_title(shown.title)
        self.set_note(shown.note)
        curves = tuple(curve_of(shown, wave) for wave in shown.curves)
        self.lines.show_curves(curves, "position")
        self.lines.set_mark(position_of(scene.trace, scene.selection))

    @Slot(float)
    def _on_lines_x_clicked(self, x: float) -> None:
        self.position_requested.emit(round(x))


def curve_of(shown: Waves, wave: Wave) -> Curve:
    """A wave as a curve; only the chosen ones carry the tokens' dots and the colour."""
    role = "accent" if wave.is_chosen else "faint"
    dots = shown.dots if wave.is_chosen else ()
    return Curve(wave.name, shown.x, wave.y, role, dots, wave.is_dashed)


class SimilarityCard(Card):
    """How alike the positions are, each with each."""

    pair_requested = Signal(int, int)
    """The reader chose two positions."""

    def __init__(self) -> None:
        """No map yet."""
        super().__init__("Alike positions")
        self._shown: TokenSide | None = None
        self.map, self.bar = Heatmap(), ColourBar()
        self.map.set_hover_text(self._hover_text)
        self.map.cell_clicked.connect(self.pair_requested)
        give_the_rest(self.map, LEAST_HEIGHT)
        measure = ElidedLabel("muted")
        measure.setFont(sans(SMALL))
        measure.show_text("cosine")
        foot = QHBoxLayout()
        foot.addWidget(measure, 1)
        foot.addWidget(self.bar)
        self.body.addWidget(self.map)
        self.body.addLayout(foot)

    def display(self, scene: Scene) -> None:
        """Show the cosines; the query's row and the key's column are lit."""
        if self._shown is not scene.tokens:
            self._shown = scene.tokens
            matrix = similarity(scene.trace, scene.tokens.name)
            self.map.show_matrix(matrix)
            self.bar.show_scale(matrix.scale, matrix.colour)
        last = scene.tokens.n - 1
        place = scene.selection.query, min(scene.selection.key, last)
        self.map.set_selected(*place)
        self.map.set_highlight(*place)

    def _hover_text(self, row: int, column: int) -> str:
        matrix = self.map.matrix
        return "" if matrix is None else pair_text(matrix, row, column)
