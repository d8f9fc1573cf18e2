"""The hidden layer before and after the bend. Steps: ffn.gate, ffn.hidden, ffn.active.

Above, the chosen token's layer as long strips; below, the layer of every token, and the
chosen neuron on the activation's curve with the lists of who is strongest.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.feed_forward.map_card import MapCard
from app.panels.feed_forward.neuron_card import NeuronCard
from app.panels.feed_forward.page import CARD_GAP, Page, title_of
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from app.widgets.strip import VectorStrip
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.selection import Selection, feature_of
from core.trace.trace import Trace
from core.trace.views.feed_forward import HiddenView, hidden_keys, hidden_view

STRIP_HEIGHT, STRIP_FRAME = 28, 10
"""Room for one strip, and what a stack of them needs beside."""
TITLES = {
    "gate": "Every token's gate",
    "hidden": "Every token, before the bend",
    "active": "Every token, after the bend",
}


class HiddenPage(Page):
    """Strips, map, curve and lists of one hidden layer."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: HiddenView | None = None
        self._strips, self._bar = VectorStrip("The chosen token's neurons"), ColourBar()
        self._strips.cell_clicked.connect(self._on_strip_cell_clicked)
        self._token = Card()
        self._token.head.addWidget(self._bar)
        self._token.body.addWidget(self._strips)
        self._map, self._neuron = MapCard(), NeuronCard()
        self._map.cell_clicked.connect(self.cell_clicked)
        self._neuron.cell_clicked.connect(self.cell_clicked)
        below = QHBoxLayout()
        below.setSpacing(CARD_GAP)
        below.addWidget(self._map, 1)
        below.addWidget(self._neuron, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        column.addWidget(self._token)
        column.addLayout(below, 1)

    def parts(
        self, trace: Trace, selection: Selection
    ) -> tuple[tuple[str, Index], ...]:
        """The layer of all tokens at each stage, and the chosen token's output."""
        ffn = selection.step.rpartition(".")[0]
        stages = ((key, ()) for key in hidden_keys(trace, ffn))
        return *stages, (f"{ffn}.out", (selection.query,))

    def display(self, trace: Trace, selection: Selection) -> None:
        """Draw the layer around the chosen token and neuron."""
        key, query = selection.step, selection.query
        neuron = feature_of(selection, trace, "d_ff")
        self._view = view = hidden_view(trace, key, query, neuron)
        token = title_of(trace.rows_of(key).label(query))
        self._token.set_title(f"{token} · {trace.config.d_ff} neurons")
        self._strips.show_vectors(view.strips)
        self._strips.setFixedHeight(len(view.stages) * STRIP_HEIGHT + STRIP_FRAME)
        self._strips.set_selected(view.stages.index(key), neuron)
        self._bar.show_scale(view.strips.scale, view.strips.colour)
        self._map.set_title(TITLES[key.rpartition(".")[2]])
        self._map.show_matrix(view.whole, with_key=False)
        self._map.map.set_band(query, neuron)
        self._map.map.set_selected(query, neuron)
        self._neuron.show_neuron(trace, view, (query, neuron))

    @Slot(int, int)
    def _on_strip_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            query = self._neuron.place[0]
            self.cell_clicked.emit(Cell(self._view.stages[row], (query, column)))
