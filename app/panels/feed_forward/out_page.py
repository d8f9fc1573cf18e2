"""The way back to the stream's width: active x W_2 = out. Step: ffn.out.

At the left the product, the row and the column of the chosen number lit; at the right
the neurons that add most to it.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout

from app.panels.feed_forward.page import (
    ROLE,
    Page,
    hover_words,
    title_of,
)
from app.widgets.product import Product
from app.widgets.product_board import ProductBoard
from core.trace.needs import Index
from core.trace.selection import Selection, feature_of
from core.trace.trace import Trace
from core.trace.views.feed_forward import OutView, out_view
from core.trace.views.places import place_in_weight

HEADS = ("neuron", "active", "weight", "product")
NAMES = ("active", "W_2", "out")


class OutPage(Page):
    """The product as a picture, and as a list."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: OutView | None = None
        self._place = (0, 0)
        self._board = ProductBoard(
            "Neurons that add most to this number", self._hover_text
        )
        self._board.cell_clicked.connect(self._on_board_cell_clicked)
        self._board.term_clicked.connect(self._on_board_term_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._board)

    def parts(
        self, trace: Trace, selection: Selection
    ) -> tuple[tuple[str, Index], ...]:
        """The two steps, of all tokens."""
        ffn = selection.step.rpartition(".")[0]
        return (f"{ffn}.active", ()), (f"{ffn}.out", ())

    def display(self, trace: Trace, selection: Selection) -> None:
        """Draw the product around the chosen number."""
        query = selection.query
        feature = feature_of(selection, trace, "d_model")
        self._place = query, feature
        self._view = view = out_view(trace, selection.step, query, feature)
        token = title_of(trace.rows_of(selection.step).label(query))
        self._board.show_product(
            f"{token} · feature {feature + 1} · active × W_2 = out",
            Product(view.active, view.weight, view.out, NAMES),
            self._place,
            place_in_weight(view.weight, selection.focus),
            view.note,
        )
        self._board.show_terms(view.columns, view.order, HEADS, ROLE)

    # What the reader does.

    def _hover_text(self, factor: str, row: int, column: int) -> str:
        product = self._board.picture.product
        return (
            "" if product is None else hover_words(product.matrix(factor), row, column)
        )

    @Slot(int, int)
    def _on_board_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self.cell_clicked.emit(self._view.out.cell(row, column))

    @Slot(int)
    def _on_board_term_clicked(self, row: int) -> None:
        if self._view is not None:
            neuron = self._view.order[row]
            self.cell_clicked.emit(self._view.active.cell(self._place[0], neuron))
