"""The way back to the stream's width: active x W_2 = out. Step: ffn.out.

At the left the product, the row and the column of the chosen number lit; at the right
the neurons that add most to it.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout

from app.panels.feed_forward.page import (
    CARD_GAP,
    FREE,
    ROLE,
    Page,
    hover_words,
    title_of,
)
from app.style.fonts import SMALL, sans
from app.widgets.card import Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.product import Product, ProductMap
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.selection import Selection, feature_of
from core.trace.trace import Trace
from core.trace.views.feed_forward import OutView, out_view
from core.trace.views.places import place_in_weight

HEADS = ("active", "weight", "product")
NAMES = ("active", "W_2", "out")


class OutPage(Page):
    """The product as a picture, as strips of one number, and as a list."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: OutView | None = None
        self._place = (0, 0)
        self._product, self._effects = Card(), Card()
        self._picture, self._bar = ProductMap(is_compact=False), ColourBar()
        self._sum = plain_label(ink="muted")
        self._sum.setFont(sans(SMALL))
        self._sum.setWordWrap(True)
        self._sum.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._picture.set_corner(self._sum)
        self._picture.set_hover_text(self._hover_text)
        self._picture.cell_clicked.connect(self._on_picture_cell_clicked)
        self._table = NumberTable("Neurons that add most to this number")
        self._table.row_clicked.connect(self._on_table_row_clicked)
        self._table.setSizePolicy(*FREE)
        self._product.body.addWidget(self._picture, 1)
        self._product.body.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignRight)
        self._effects.body.addWidget(self._table, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._product, 3)
        row.addWidget(self._effects, 2)

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
        self._product.set_title(f"{token} · feature {feature + 1} · active × W_2 = out")
        self._picture.show_product(Product(view.active, view.weight, view.out, NAMES))
        self._picture.set_selected(query, feature)
        self._picture.set_marked(place_in_weight(view.weight, selection.focus))
        self._bar.show_scale(view.out.scale, view.out.colour)
        self._sum.setText(view.note)
        self._show_effects(view)

    def _show_effects(self, view: OutView) -> None:
        self._effects.set_title("Largest products")
        effects = view.columns[-1]
        most = float(abs(effects[view.order[0]])) or 1.0
        rows = tuple(
            TableRow(
                str(neuron + 1),
                tuple(short(float(column[neuron])) for column in view.columns),
                float(effects[neuron]) / most,
                ROLE,
                "product = active × weight",
            )
            for neuron in view.order
        )
        self._table.show_rows(rows, HEADS, "neuron")

    # What the reader does.

    def _hover_text(self, factor: str, row: int, column: int) -> str:
        product = self._picture.product
        return (
            "" if product is None else hover_words(product.matrix(factor), row, column)
        )

    @Slot(int, int)
    def _on_picture_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self.cell_clicked.emit(self._view.out.cell(row, column))

    @Slot(int)
    def _on_table_row_clicked(self, row: int) -> None:
        if self._view is not None:
            neuron = self._view.order[row]
            self.cell_clicked.emit(self._view.active.cell(self._place[0], neuron))
