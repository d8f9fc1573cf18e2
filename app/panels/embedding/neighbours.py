"""The right side of the embedding panel: which rows point where the chosen one points.

A list with the cosines, and the same rows on a flat map.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QSizePolicy

from app.scene import Scene
from app.widgets.bars import Bar, Bars
from app.widgets.card import Card
from app.widgets.scatter import Dot, Scatter
from core.trace.numbers import short
from core.trace.views.embedding import (
    Table,
    aimless_words,
    chosen_id,
    cosine_cell,
    directed,
    flat_map,
    nearest,
    table_of,
)

N_LISTED, N_MAPPED = 7, 24
"""Neighbours in the list and on the map."""
NO_OTHERS = "The table has no other row."
NO_DIRECTION = "This row points nowhere."
LIST_NOTE = (
    "Cosine: 1 is the same direction, 0 nothing in common. Click one to compare the "
    "rows below the table."
)
MAP_NOTE = "Near dots are rows that point alike. Click one to compare it."


class NeighboursCard(Card):
    """The nearest rows by cosine."""

    cell_requested = Signal(object)
    """The reader wants to see a cosine worked out: `Cell`."""

    def __init__(self) -> None:
        """An empty list."""
        super().__init__("Nearest rows")
        self._ids: tuple[int, ...] = ()
        self._chosen = 0
        self.bars = Bars("Nearest rows by cosine")
        self.bars.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum
        )
        self.bars.bar_clicked.connect(self._on_bar_clicked)
        self.body.addWidget(self.bars)

    def display(self, scene: Scene) -> None:
        """List the neighbours of the query's row."""
        trace, selection = scene.trace, scene.selection
        chosen = chosen_id(trace, selection)
        table = table_of(trace)
        found = nearest(table, chosen, N_MAPPED)
        self._ids = found.ids[:N_LISTED]
        self._chosen = chosen
        self.set_title(f"{scene.tokenizer.label(chosen)} · nearest rows")
        bars = (
            Bar(scene.tokenizer.label(row), (short(cosine),), cosine, f"id {row}")
            for row, cosine in zip(self._ids, found.cosines.tolist(), strict=False)
        )
        self.bars.set_message(emptiness(table, chosen))
        self.set_note(LIST_NOTE if directed(table)[chosen] else aimless_words(table))
        self.bars.show_bars(tuple(bars), ("cosine",))

    @Slot(int)
    def _on_bar_clicked(self, place: int) -> None:
        self.cell_requested.emit(cosine_cell(self._chosen, self._ids[place]))


class MapCard(Card):
    """The chosen row among its neighbours, in the plane where they differ most."""

    cell_requested = Signal(object)
    """The reader wants to see a cosine worked out: `Cell`."""

    def __init__(self) -> None:
        """An empty map."""
        super().__init__("Neighbourhood")
        self._ids: tuple[int, ...] = ()
        self.scatter = Scatter("Map of the neighbourhood")
        self.scatter.dot_clicked.connect(self._on_dot_clicked)
        self.body.addWidget(self.scatter)
        self.set_note(MAP_NOTE)

    def display(self, scene: Scene) -> None:
        """Map the query's row and its neighbours."""
        trace, label_of = scene.trace, scene.tokenizer.label
        chosen = chosen_id(trace, scene.selection)
        table = table_of(trace)
        around = nearest(table, chosen, N_MAPPED)
        shown = flat_map(table, (chosen, *around.ids))
        self._ids = shown.ids
        cosines = (1.0, *around.cosines.tolist())
        dots = (
            Dot(label_of(row), x, y, role, f"id {row}\ncosine {short(cosine)}")
            for row, (x, y), cosine, role in zip(
                shown.ids,
                shown.points.tolist(),
                cosines,
                ("query", *["residual"] * len(around.ids)),
                strict=False,  # a row that points nowhere has no dot
            )
        )
        self.scatter.set_message(emptiness(table, chosen))
        self.set_note(f"{MAP_NOTE} {aimless_words(table)}".rstrip())
        first, second = (f"{share:.0%} of their differences" for share in shown.shares)
        self.scatter.show_dots(tuple(dots), (first, second), chosen=0)

    @Slot(int)
    def _on_dot_clicked(self, place: int) -> None:
        self.cell_requested.emit(cosine_cell(self._ids[0], self._ids[place]))


def emptiness(table: Table, row: int) -> str:
    """Why a row has no neighbours, where it has none."""
    return NO_OTHERS if directed(table)[row] else NO_DIRECTION
