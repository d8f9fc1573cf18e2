"""The head's own matrix: rows x W_T = the rows that are read on. Step: output.dense.

At the left the product, the row and the column of the chosen number lit; at the right
the features that add most to it.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout

from app.panels.output.page import Page
from app.scene import Scene
from app.session import Session
from app.widgets.product import Product
from app.widgets.product_board import ProductBoard
from core.trace.needs import Index
from core.trace.selection import feature_of
from core.trace.views.output_sides import DenseView, dense_view
from core.trace.views.places import place_in_weight

HEADS = ("feature", "row", "weight", "product")
NAMES = ("row", "W_T", "out")
ROLE = "accent"


class DensePage(Page):
    """The product as a picture, and as a list."""

    def __init__(self, session: Session) -> None:
        """Empty pictures."""
        super().__init__(session)
        self._view: DenseView | None = None
        self._board = ProductBoard(
            "Features that add most to this number", self._hover_text
        )
        self._board.cell_clicked.connect(self._on_board_cell_clicked)
        self._board.term_clicked.connect(self._on_board_term_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._board)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The step and what it reads, of all tokens."""
        step = scene.trace.step(scene.selection.step)
        return (step.inputs[0], ()), (step.key, ())

    def display(self, scene: Scene) -> None:
        """Draw the product around the chosen number."""
        trace, selection = scene.trace, scene.selection
        feature = feature_of(selection, trace, "d_model")
        view = dense_view(trace, selection.step, selection.query, feature)
        self._view = view
        label = view.left.rows.labels[view.row]
        self._board.show_product(
            f"{label} · feature {feature + 1} · row × W_T = out",
            Product(view.left, view.weight, view.result, NAMES),
            (view.row, feature),
            place_in_weight(view.weight, selection.focus),
            view.note,
        )
        self._board.show_terms(view.columns, view.order, HEADS, ROLE)

    def _hover_text(self, factor: str, row: int, column: int) -> str:
        product = self._board.picture.product
        if product is None:
            return ""
        return self.told_of(product.matrix(factor).cell(row, column))

    @Slot(int, int)
    def _on_board_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self.point_at(self._view.result.cell(row, column))

    @Slot(int)
    def _on_board_term_clicked(self, row: int) -> None:
        if self._view is not None:
            self.point_at(self._view.left.cell(self._view.row, self._view.order[row]))
