"""The lower card where the sum is normed before the first layer. Step: embed.norm."""

from PySide6.QtCore import Signal, Slot

from app.scene import Scene
from app.widgets.card import Card, give_the_rest
from app.widgets.colour_bar import ColourBar
from app.widgets.heatmap import Heatmap
from core.trace.selection import feature_of
from core.trace.views.feed_forward import norm_view
from core.trace.views.hover import hover_text

LEAST_HEIGHT = 104


class NormCard(Card):
    """The rows after the norm, and what it did to the chosen one."""

    cell_requested = Signal(object)
    """A number was clicked: `Cell`."""

    def __init__(self) -> None:
        """An empty map."""
        super().__init__("The sum, brought to one scale")
        self._scene: Scene | None = None
        self.map, self._bar = Heatmap(may_be_square=False), ColourBar()
        self.map.set_hover_text(self._hover_text)
        self.map.cell_clicked.connect(self._on_map_cell_clicked)
        self.head.addWidget(self._bar)
        give_the_rest(self.map, LEAST_HEIGHT)
        self.body.addWidget(self.map, 1)

    def display(self, scene: Scene) -> None:
        """Draw the rows; say what the chosen one had and has."""
        self._scene = scene
        trace, selection = scene.trace, scene.selection
        view = norm_view(trace, selection.step, selection.query)
        self.map.show_matrix(view.after)
        self.map.set_selected(selection.query, feature_of(selection, trace, "d_model"))
        self.map.set_highlight(selection.query, None)
        self._bar.show_scale(view.after.scale, view.after.colour)
        _, _, after = view.note_after.partition(": ")
        self.set_note(f"{view.note_before} before the norm; after it {after}.")

    @Slot(int, int)
    def _on_map_cell_clicked(self, row: int, column: int) -> None:
        if self.map.matrix is not None:
            self.cell_requested.emit(self.map.matrix.cell(row, column))

    def _hover_text(self, row: int, column: int) -> str:
        if self._scene is None or self.map.matrix is None:
            return ""
        cell = self.map.matrix.cell(row, column)
        return hover_text(self._scene.trace, cell, self._scene.tokenizer.label)
