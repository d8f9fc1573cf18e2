"""The way back to the stream's width: active x W_2 = out. Step: ffn.out.

Above, the three matrices with the row and the column of the chosen number lit; below,
the two factors as strips with their products, and the neurons that add most.
"""

from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout

from app.panels.feed_forward.page import CARD_GAP, ROLE, Page, hover_text, title_of
from app.style.fonts import SMALL, TITLE, mono, sans
from app.widgets.banded_map import BandedMap
from app.widgets.card import GAP, Card, plain_label
from app.widgets.cell_text import range_text
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.strip import ROW_GAP, VectorStrip
from core.trace.matrix import Cell, Matrix
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.selection import Selection
from core.trace.trace import Trace
from core.trace.views.feed_forward import OutView, out_view
from core.trace.views.places import bare_name

STRIP_HEIGHT = 36
UPPER_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
FACTORS = ("active", "weight", "effect")
SHARES = (5, 4, 4)
"""How the three maps share the width: active carries the tokens' names."""


class OutPage(Page):
    """The product as strips of one number, as three maps, and as a list."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: OutView | None = None
        self._place = (0, 0)
        self._number, self._product, self._effects = Card(), Card(), Card()
        self._strips = tuple(VectorStrip(name) for name in FACTORS)
        self._ranges = tuple(plain_label(ink="muted") for _ in FACTORS)
        self._maps = tuple(BandedMap() for _ in FACTORS)
        self._heads = tuple(plain_label(ink="muted") for _ in FACTORS)
        self._table = NumberTable("Neurons that add most to this number")
        self._fill_number()
        self._fill_product()
        self._effects.body.addWidget(self._table)
        self._table.row_clicked.connect(self._on_neuron_clicked)
        below = QHBoxLayout()
        below.setSpacing(CARD_GAP)
        below.addWidget(self._number, 1)
        below.addWidget(self._effects, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        column.addWidget(self._product, 3)
        column.addLayout(below, 2)

    def _fill_number(self) -> None:
        rows = QGridLayout()
        rows.setVerticalSpacing(0)
        for row, (strip, limit) in enumerate(
            zip(self._strips, self._ranges, strict=True)
        ):
            strip.setFixedHeight(STRIP_HEIGHT)
            strip.cell_clicked.connect(self._on_strip_cell_clicked)
            limit.setFont(mono(SMALL))
            limit.setFixedHeight(round(STRIP_HEIGHT - ROW_GAP))  # level with its strip
            rows.addWidget(strip, row, 0)
            rows.addWidget(limit, row, 1, UPPER_RIGHT)
        rows.setColumnStretch(0, 1)
        self._number.body.addLayout(rows)
        self._number.body.addStretch(1)

    def _fill_product(self) -> None:
        self._product.set_title("active × W_2 = out")
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP)
        for place, (picture, head, share) in enumerate(
            zip(self._maps, self._heads, SHARES, strict=True)
        ):
            head.setFont(sans(SMALL))
            picture.set_hover_text(hover_text(partial(_matrix_of, picture)))
            grid.addWidget(head, 0, 2 * place, Qt.AlignmentFlag.AlignHCenter)
            grid.addWidget(picture, 1, 2 * place)
            grid.setColumnStretch(2 * place, share)
        for place, sign in ((1, "×"), (3, "=")):
            grid.addWidget(_sign(sign), 1, place)
        grid.setRowStretch(1, 1)
        self._product.body.addLayout(grid)
        for picture, answer in zip(
            self._maps,
            (self._on_active_clicked, self._on_weight_clicked, self._on_out_clicked),
            strict=True,
        ):
            picture.cell_clicked.connect(answer)

    def parts(
        self, trace: Trace, selection: Selection
    ) -> tuple[tuple[str, Index], ...]:
        """The two steps, of all tokens."""
        ffn = selection.step.rpartition(".")[0]
        return (f"{ffn}.active", ()), (f"{ffn}.out", ())

    def display(self, trace: Trace, selection: Selection) -> None:
        """Draw the product around the chosen number."""
        query = selection.query
        feature = min(selection.feature, trace.config.d_model - 1)
        self._place = query, feature
        self._view = view = out_view(trace, selection.step, query, feature)
        token = title_of(trace.encoding.pieces[query].label)
        self._number.set_title(f"{token}, feature {feature + 1}")
        self._number.set_note(view.note)
        for strip, limit, factor in zip(
            self._strips, self._ranges, view.factors, strict=True
        ):
            strip.show_vectors(factor)
            limit.setText(f"±{range_text(factor.scale.limit)}")
        self._show_maps(view)
        self._show_effects(view)

    def _show_maps(self, view: OutView) -> None:
        query, feature = self._place
        shown = (
            (view.active, (query, None)),
            (view.weight, (None, feature)),
            (view.out, (query, feature)),
        )
        for picture, head, (matrix, band) in zip(
            self._maps, self._heads, shown, strict=True
        ):
            n_rows, n_columns = matrix.values.shape
            head.setText(f"{bare_name(matrix.key)}  {n_rows} × {n_columns}")
            picture.show_matrix(matrix)
            picture.set_band(*band)
        self._maps[2].set_selected(query, feature)

    def _show_effects(self, view: OutView) -> None:
        self._effects.set_title(f"Largest effects on feature {self._place[1] + 1}")
        most = float(abs(view.effects[view.order[0]])) or 1.0
        columns = [factor.values[0] for factor in view.factors]
        rows = tuple(
            TableRow(
                str(neuron + 1),
                tuple(short(float(column[neuron])) for column in columns),
                float(view.effects[neuron]) / most,
                ROLE,
                "effect = active × weight",
            )
            for neuron in view.order
        )
        self._table.show_rows(rows, FACTORS, "neuron")

    # What the reader does.

    def _emit(self, matrix: Matrix, row: int, column: int) -> None:
        self.cell_clicked.emit(matrix.cell(row, column))

    @Slot(int, int)
    def _on_active_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self._emit(self._view.active, row, column)

    @Slot(int, int)
    def _on_weight_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self._emit(self._view.weight, row, column)

    @Slot(int, int)
    def _on_out_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self._emit(self._view.out, row, column)

    @Slot(int)
    def _on_neuron_clicked(self, row: int) -> None:
        if self._view is not None:
            self._emit(self._view.active, self._place[0], self._view.order[row])

    @Slot(int, int)
    def _on_strip_cell_clicked(self, row: int, column: int) -> None:
        """A cell of the first strip is an activation, of the others a weight."""
        if self._view is None:
            return
        if self.sender() is self._strips[0]:
            self._emit(self._view.active, self._place[0], column)
        else:
            self.cell_clicked.emit(
                Cell(self._view.weight.key, (column, self._place[1]))
            )


def _matrix_of(picture: BandedMap) -> Matrix | None:
    return picture.matrix


def _sign(text: str) -> QLabel:
    label = plain_label(text, "muted")
    label.setFont(sans(TITLE))
    return label
