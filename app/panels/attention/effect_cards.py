"""The numbers beside the value-weighted map: weight against effect, and what comes out.

In: views of one head and one token. Out: which token, number or feature was clicked.
"""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout

from app.panels.attention.status import StatusLine
from app.widgets.card import GAP, Card, give_the_rest, plain_label
from app.widgets.lane import Lane
from app.widgets.lanes import Lanes
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.paired_table import PairedRow, PairedTable
from app.widgets.segments import Segments
from core.trace.numbers import brief, short
from core.trace.views.attention_effect import ORDERS, KeyEffects
from core.trace.views.attention_output import HeadOutput, Push, Pushes

LEAST_TABLE, LEAST_LIST = 90, 70
"""Heights; what is left over is shared by the cards' weights."""
LONGEST_HEAD = 12
"""Characters of a token that may stand over a column."""
STRIP_HEIGHT = 52
"""One lane and its labels."""


class TableCard(Card):
    """For one token: each token it may look at, with its weight and its effect."""

    key_clicked = Signal(int)
    """A token of the sentence was chosen."""

    number_clicked = Signal(int, int)
    """A number was chosen: the token and the column (weight, effect, logit)."""

    def __init__(self) -> None:
        """An empty table."""
        super().__init__()
        self._view: KeyEffects | None = None
        self._key = 0
        self._places: NDArray[np.intp] = np.arange(0)
        self._table = PairedTable("weight and effect")
        self._table.setObjectName("effect.table")
        self._orders = Segments(ORDERS, "effect.order")
        self._answer = plain_label()
        self._answer.setObjectName("effect.answer")
        self._answer.setWordWrap(True)
        give_the_rest(self._table, LEAST_TABLE)
        self.head.addWidget(self._orders)
        self.body.addWidget(self._table, 1)
        self.body.addWidget(self._answer)
        self._orders.chosen.connect(self._on_order_chosen)
        self._table.row_clicked.connect(self._on_row_clicked)
        self._table.number_clicked.connect(self._on_number_clicked)

    def show_view(self, view: KeyEffects) -> None:
        """Show another token's row."""
        self._view = view
        self.set_title(f"What {view.query_label} takes")
        self._answer.setText(view.answer)
        self._show_rows()

    def set_selected(self, key: int) -> None:
        """Mark the row of a token of the sentence, if it may be looked at."""
        view = self._view
        assert view is not None
        self._key = key
        if key in view.keys and key not in view.keys[self._places]:
            self._show_rows()
        found = np.flatnonzero(view.keys[self._places] == key).tolist()
        self._table.set_selected(found[0] if found else None)

    def _show_rows(self) -> None:
        view = self._view
        assert view is not None
        self._places = view.shown(ORDERS[self._orders.place], self._key)
        is_short = len(view.token_label) <= LONGEST_HEAD  # else the tips tell it
        logit = f"logit of {view.token_label}" if is_short else "logit"
        heads = ("weight", "effect", logit)
        self._table.show_rows(rows_of(view, self._places), heads, "looks at")

    def _key_of(self, row: int) -> int | None:
        """The token of a row; None for the row of the others."""
        if self._view is None or row >= len(self._places):
            return None
        return int(self._view.keys[self._places[row]])

    @Slot(int)
    def _on_order_chosen(self, _: int) -> None:
        if self._view is not None:
            self._show_rows()
            self.set_selected(self._key)

    @Slot(int)
    def _on_row_clicked(self, row: int) -> None:
        key = self._key_of(row)
        if key is not None:
            self.key_clicked.emit(key)

    @Slot(int, int)
    def _on_number_clicked(self, row: int, column: int) -> None:
        key = self._key_of(row)
        if key is not None:
            self.number_clicked.emit(key, column)


class OutputCard(Card):
    """The row a head adds to the stream, and the logits it raises and lowers most."""

    feature_clicked = Signal(int)
    """A feature of the row was chosen."""

    token_clicked = Signal(int)
    """An entry of the vocabulary was chosen."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: HeadOutput | None = None
        self._pushes = Pushes()
        self._token = -1
        self._strip = Lanes("what the head adds to the stream")
        self._strip.setObjectName("effect.output")
        self._strip.setFixedHeight(STRIP_HEIGHT)
        self._raised, self._lowered = NumberTable("raised"), NumberTable("lowered")
        self._raised.setObjectName("effect.raised")
        self._lowered.setObjectName("effect.lowered")
        self._reading = StatusLine()
        for table in (self._raised, self._lowered):
            give_the_rest(table, LEAST_LIST)
        tables = QHBoxLayout()
        tables.setSpacing(2 * GAP)
        tables.addWidget(self._raised, 1)
        tables.addWidget(self._lowered, 1)
        self.body.addWidget(self._strip)
        self.body.addLayout(tables, 1)
        self.body.addWidget(self._reading)
        self._strip.cell_clicked.connect(self._on_strip_clicked)
        self._strip.set_hover_text(self._strip_tip)
        self._raised.row_clicked.connect(self._on_raised_clicked)
        self._lowered.row_clicked.connect(self._on_lowered_clicked)

    def show_view(self, view: HeadOutput, title: str) -> None:
        """Show another head's or another token's output; the lists follow."""
        self._view = view
        self.set_title(title)
        total = f"‖·‖ {brief(view.length)}"
        lane = Lane("output", view.vector, view.scale, "value", "cells", total)
        self._strip.show_lanes((lane,), view.features)
        self._reading.set_note(view.reading)

    def show_pushes(self, pushes: Pushes, message: str) -> None:
        """List the logits that are moved most; `message` stands where there is none."""
        self._pushes = pushes
        raised = push_rows(pushes.raised, pushes.largest, "accent")
        lowered = push_rows(pushes.lowered, pushes.largest, "negative")
        for table, rows, others, words in (
            (self._raised, raised, lowered, "raises"),
            (self._lowered, lowered, raised, "lowers"),
        ):
            table.set_message(message)
            table.show_rows(rows, ("logit",), words, beside=others)
        self._mark_token()

    def set_selected(self, feature: int, token: int) -> None:
        """Outline a feature, and mark an entry of the vocabulary where it is listed."""
        self._token = token
        self._strip.set_selected(0, feature)
        self._mark_token()

    def _listed(self, table: NumberTable) -> tuple[Push, ...]:
        is_raised = table is self._raised
        return self._pushes.raised if is_raised else self._pushes.lowered

    def _mark_token(self) -> None:
        for table in (self._raised, self._lowered):
            tokens = [push.token for push in self._listed(table)]
            is_there = self._token in tokens
            table.set_selected(tokens.index(self._token) if is_there else None)

    def _strip_tip(self, _: str, lane: int, feature: int) -> str:
        if self._view is None:
            return ""
        number = short(float(self._view.vector[feature]), 4)
        return (
            f"feature {feature + 1} of what the head adds\n{number}\n{self._view.size}"
        )

    @Slot(int, int)
    def _on_strip_clicked(self, _: int, feature: int) -> None:
        self.feature_clicked.emit(feature)

    @Slot(int)
    def _on_raised_clicked(self, row: int) -> None:
        self.token_clicked.emit(self._pushes.raised[row].token)

    @Slot(int)
    def _on_lowered_clicked(self, row: int) -> None:
        self.token_clicked.emit(self._pushes.lowered[row].token)


def rows_of(view: KeyEffects, places: NDArray[np.intp]) -> tuple[PairedRow, ...]:
    """The tokens that are looked at, in this order, and the others in one row."""
    largest = view.largest_share or 1.0
    weights, effects = view.weight_shares, view.effect_shares
    rows = [
        PairedRow(
            label=view.label(place),
            numbers=numbers_of(
                view.weights[place], view.effects[place], view.logits[place]
            ),
            share=float(weights[place]) / largest,
            role="pattern",
            note=view.tip(float(weights[place]), float(effects[place])),
            second=float(effects[place]) / largest,
        )
        for place in places.tolist()
    ]
    n_others, *sums = view.others(places)
    if n_others:
        label = "1 other" if n_others == 1 else f"{n_others} others"
        rows.append(PairedRow(label, numbers_of(*sums), ink="muted", note="added up"))
    return tuple(rows)


def numbers_of(weight: float, effect: float, logit: float) -> tuple[str, str, str]:
    """Three numbers as text."""
    return brief(float(weight)), brief(float(effect)), brief(float(logit))


def push_rows(
    pushes: tuple[Push, ...], largest: float, role: str
) -> tuple[TableRow, ...]:
    """The tokens whose logits are moved, with bars on one scale."""
    return tuple(
        TableRow(push.label, (short(push.amount),), abs(push.amount) / largest, role)
        for push in pushes
    )
