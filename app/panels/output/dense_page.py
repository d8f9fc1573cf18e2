"""The head's own matrix: rows x W_T = the rows that are read on. Step: output.dense.

At the left the product, the row and the column of the chosen number lit; at the right
the features that add most to it.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from app.panels.output.page import CARD_GAP, Page
from app.scene import Scene
from app.session import Session
from app.style.fonts import SMALL, sans
from app.widgets.card import Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.product import Product, ProductMap
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.selection import feature_of
from core.trace.views.output_sides import DenseView, dense_view
from core.trace.views.places import place_in_weight

HEADS = ("row", "weight", "product")
ROLE = "accent"
FREE = (QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)


class DensePage(Page):
    """The product as a picture, and as a list."""

    def __init__(self, session: Session) -> None:
        """Empty pictures."""
        super().__init__(session)
        self._view: DenseView | None = None
        self._product, self._effects = Card(), Card("Largest products")
        self._picture, self._bar = ProductMap(is_compact=False), ColourBar()
        self._sum = plain_label(ink="muted")
        self._sum.setFont(sans(SMALL))
        self._sum.setWordWrap(True)
        self._sum.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._picture.set_corner(self._sum)
        self._picture.set_hover_text(self._hover_text)
        self._picture.cell_clicked.connect(self._on_picture_cell_clicked)
        self._table = NumberTable("Features that add most to this number")
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
        self._product.set_title(f"{label} · feature {feature + 1} · row × W_T = out")
        names = ("row", "W_T", "out")
        product = Product(view.left, view.weight, view.result, names)
        self._picture.show_product(product)
        self._picture.set_selected(view.row, feature)
        self._picture.set_marked(place_in_weight(view.weight, selection.focus))
        self._bar.show_scale(view.result.scale, view.result.colour)
        self._sum.setText(view.note)
        self._show_effects(view)

    def _show_effects(self, view: DenseView) -> None:
        effects = view.columns[-1]
        most = float(abs(effects[view.order[0]])) or 1.0
        rows = tuple(
            TableRow(
                str(feature + 1),
                tuple(short(float(column[feature])) for column in view.columns),
                float(effects[feature]) / most,
                ROLE,
                "product = row × weight",
            )
            for feature in view.order
        )
        self._table.show_rows(rows, HEADS, "feature")

    def _hover_text(self, factor: str, row: int, column: int) -> str:
        product = self._picture.product
        if product is None:
            return ""
        return self.told_of(product.matrix(factor).cell(row, column))

    @Slot(int, int)
    def _on_picture_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self.point_at(self._view.result.cell(row, column))

    @Slot(int)
    def _on_table_row_clicked(self, row: int) -> None:
        if self._view is not None:
            self.point_at(self._view.left.cell(self._view.row, self._view.order[row]))
