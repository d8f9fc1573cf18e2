"""A card with one map, and the key to its colours in the heading."""

from PySide6.QtCore import Signal, Slot

from app.panels.feed_forward.page import hover_words
from app.widgets.banded_map import BandedMap
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from core.trace.matrix import Matrix


class MapCard(Card):
    """A step's matrix to look at; a click tells which number."""

    cell_clicked = Signal(object)
    """The `Cell` of the number that was clicked."""

    def __init__(self, title: str = "") -> None:
        """An empty map."""
        super().__init__(title)
        self.map, self._bar = BandedMap(may_be_square=False), ColourBar()
        self.map.set_hover_text(self._hover_text)
        self.map.cell_clicked.connect(self._on_map_cell_clicked)
        self.head.addWidget(self._bar)
        self.body.addWidget(self.map, 1)

    def show_matrix(self, matrix: Matrix, *, with_key: bool = True) -> None:
        """Show a matrix; without the key where another card beside has it."""
        self.map.show_matrix(matrix)
        self._bar.show_scale(matrix.scale if with_key else None, matrix.colour)

    def _hover_text(self, row: int, column: int) -> str:
        matrix = self.map.matrix
        return "" if matrix is None else hover_words(matrix, row, column)

    @Slot(int, int)
    def _on_map_cell_clicked(self, row: int, column: int) -> None:
        if self.map.matrix is not None:
            self.cell_clicked.emit(self.map.matrix.cell(row, column))
