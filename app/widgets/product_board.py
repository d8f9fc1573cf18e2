"""A product of two matrices, and the terms that one number of it is the sum of.

At the left the picture, the row and the column of the chosen number lit; at the right
the terms that add most to it.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.style.fonts import SMALL, sans
from app.widgets.card import Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.product import Product, ProductMap
from core.trace.numbers import short

CARD_GAP = 12
FREE = (QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)


class ProductBoard(QWidget):
    """The picture and the list, a card each."""

    cell_clicked = Signal(int, int)
    """The number of the product at (row, column) was clicked."""
    term_clicked = Signal(int)
    """A row of the list was clicked or entered."""

    def __init__(self, terms: str, hover_text: Callable[[str, int, int], str]) -> None:
        """Empty; `terms` is what a screen reader calls the list."""
        super().__init__()
        self._product, terms_card = Card(), Card("Largest products")
        self.picture, self._bar = ProductMap(is_compact=False), ColourBar()
        self._note = plain_label(ink="muted")
        self._note.setFont(sans(SMALL))
        self._note.setWordWrap(True)
        self._note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.picture.set_corner(self._note)
        self.picture.set_hover_text(hover_text)
        self.picture.cell_clicked.connect(self.cell_clicked)
        self._table = NumberTable(terms)
        self._table.row_clicked.connect(self.term_clicked)
        self._table.setSizePolicy(*FREE)
        self._product.body.addWidget(self.picture, 1)
        self._product.body.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignRight)
        terms_card.body.addWidget(self._table, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._product, 3)
        row.addWidget(terms_card, 2)

    def show_product(
        self,
        title: str,
        product: Product,
        chosen: tuple[int, int],
        marked: tuple[int, int] | None,
        note: str,
    ) -> None:
        """Draw the product around a number of it.

        Args:
            title: Of the picture.
            product: The three matrices.
            chosen: Row and column of the number.
            marked: Row and column of a weight that is looked at, too.
            note: What the terms add up to.
        """
        self._product.set_title(title)
        self.picture.show_product(product)
        self.picture.set_selected(*chosen)
        self.picture.set_marked(marked)
        self._bar.show_scale(product.result.scale, product.result.colour)
        self._note.setText(note)

    def show_terms(
        self,
        columns: Sequence[NDArray[np.float32]],
        order: Sequence[int],
        heads: tuple[str, ...],
        role: str,
    ) -> None:
        """List the terms by what they are made of; the last column is the products.

        Args:
            columns: [n_terms] each.
            order: The terms to show, the largest first.
            heads: What a term is called, and then each column.
            role: Theme colour of the bars.
        """
        products = columns[-1]
        most = float(abs(products[order[0]])) or 1.0
        label_head, *column_heads = heads
        tip = f"{heads[-1]} = {' × '.join(heads[1:-1])}"
        rows = tuple(
            TableRow(
                str(term + 1),
                tuple(short(float(column[term])) for column in columns),
                float(products[term]) / most,
                role,
                tip,
            )
            for term in order
        )
        self._table.show_rows(rows, tuple(column_heads), label_head)
