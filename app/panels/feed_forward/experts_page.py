"""A layer with experts: whom the router asks, what they answer, and the present step.

At the left the router's shares of the chosen token, the chosen experts coloured; at the
right their answers as strips above their sum, and below the present step of all tokens.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.feed_forward.map_card import MapCard
from app.panels.feed_forward.page import CARD_GAP, FREE, ROLE, Page, title_of
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.strip import VectorStrip
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.selection import Selection, feature_of
from core.trace.trace import Trace
from core.trace.views.experts import (
    ExpertsView,
    Routed,
    experts_parts,
    experts_view,
)
from core.trace.views.step_matrix import step_matrix

HEADS = ("score", "share", "weight")
TITLES = {
    "router": "Every token's scores",
    "shares": "Every token's shares",
    "chosen": "Every token's weights",
    "gate": "Expert {expert}'s gate",
    "hidden": "Expert {expert}'s neurons",
    "active": "Expert {expert}, bent",
    "experts": "Expert {expert}'s answers",
    "out": "Every token's output",
}


class ExpertsPage(Page):
    """Bars of the router, strips of the answers, a map of the present step."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: ExpertsView | None = None
        self._selection = Selection()
        self._router, self._answers = Card(), Card("Chosen answers")
        self._bars = NumberTable("The router's numbers for the chosen token")
        self._bars.setSizePolicy(*FREE)
        self._bars.row_clicked.connect(self._on_bars_row_clicked)
        self._strips, self._bar = VectorStrip("Answers and their sum"), ColourBar()
        self._strips.cell_clicked.connect(self._on_strips_cell_clicked)
        self._map = MapCard()
        self._map.cell_clicked.connect(self.cell_clicked)
        self._router.body.addWidget(self._bars, 1)
        self._answers.head.addWidget(self._bar)
        self._answers.body.addWidget(self._strips, 1)
        right = QVBoxLayout()
        right.setSpacing(CARD_GAP)
        right.addWidget(self._answers, 2)
        right.addWidget(self._map, 3)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._router, 2)
        row.addLayout(right, 3)

    def parts(
        self, trace: Trace, selection: Selection
    ) -> tuple[tuple[str, Index], ...]:
        """The token's router and answers, and the present step of all tokens."""
        return experts_parts(trace, selection)

    def display(self, trace: Trace, selection: Selection) -> None:
        """Draw the token's way through the layer."""
        self._selection = selection
        ffn, _, name = selection.step.rpartition(".")
        self._view = view = experts_view(trace, ffn, selection.query)
        token = title_of(trace.rows_of(f"{ffn}.out").label(selection.query))
        self._router.set_title(f"{token} · router")
        self._router.set_note(view.note)
        self._show_bars(view)
        feature = feature_of(selection, trace, "d_model")
        self._strips.show_vectors(view.answers)
        self._strips.set_selected(self._row(view), feature)
        self._bar.show_scale(view.answers.scale, view.answers.colour)
        shown = step_matrix(trace, selection, str)
        self._map.set_title(TITLES[name].format(expert=selection.expert + 1))
        self._map.show_matrix(shown.matrix)
        self._map.map.set_band(selection.query, None)
        self._map.map.set_selected(*shown.selected)

    def _show_bars(self, view: ExpertsView) -> None:
        rows = tuple(
            _bar_of(number + 1, expert) for number, expert in enumerate(view.experts)
        )
        self._bars.show_rows(rows, HEADS, "expert")
        self._bars.set_selected(self._selection.expert)

    def _row(self, view: ExpertsView) -> int:
        """The strip of the chosen expert; of the sum where it was not asked."""
        key = f"{self._selection.step.rpartition('.')[0]}.experts"
        own = (key, (self._selection.expert, self._selection.query))
        is_sum = self._selection.step.endswith(".out") or own not in view.rows
        return len(view.rows) - 1 if is_sum else view.rows.index(own)

    @Slot(int)
    def _on_bars_row_clicked(self, expert: int) -> None:
        """Choose the expert: in the present step, if it has one number of each."""
        ffn, _, name = self._selection.step.rpartition(".")
        at, query = self._selection, self._selection.query
        if name in ("router", "shares", "chosen"):
            index: tuple[int, ...] = (query, expert)
        else:
            name = "experts" if name == "out" else name
            index = (expert, query, at.feature)
        self.cell_clicked.emit(Cell(f"{ffn}.{name}", index))

    @Slot(int, int)
    def _on_strips_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self.cell_clicked.emit(self._view.cell(row, column))


def _bar_of(number: int, expert: Routed) -> TableRow:
    """One expert's line; those that were not asked are drawn without colour."""
    numbers = (expert.score, expert.share)
    weight = short(expert.weight) if expert.is_chosen else "–"
    return TableRow(
        str(number),
        (*map(short, numbers), weight),
        expert.share,
        ROLE if expert.is_chosen else "muted",
        "chosen" if expert.is_chosen else "not chosen: it has no say",
        "text" if expert.is_chosen else "muted",
    )
