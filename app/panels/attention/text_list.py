"""Below the shaded sentence: its strongest shares as a list, the largest first.

In: a view of the sentence, the item that is looked from, and its shades. Out: which
item of the list was chosen.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QSizePolicy

from app.widgets.card import Card
from app.widgets.number_table import NumberTable, TableRow
from core.trace.matrix import FloatArray, Scale
from core.trace.numbers import short
from core.trace.views.attention_text import TextView, strongest

MOST_ROWS = 24
HEADS = ("share",)
LABELS = {False: "looks at", True: "looks"}
"""What stands over the tokens, by whether it is looked back."""
NOTHING_TOLD = "No share to list: they are masked, left out, or not numbers."


class StrongestTable(NumberTable):
    """A table that stays where it is when a row is marked: the strongest come first."""

    def keep_in_sight(self) -> None:
        """Leave the view alone."""


class TextList(Card):
    """The tokens that an item has most to do with, with bars."""

    item_clicked = Signal(int)
    """An item of the text was chosen."""

    def __init__(self) -> None:
        """An empty list."""
        super().__init__()
        self._items: tuple[int, ...] = ()
        self._of: int | None = None
        self._table = StrongestTable("strongest shares")
        self._table.setObjectName("text.list")
        self._table.set_message(NOTHING_TOLD)
        ignored = QSizePolicy.Policy.Ignored
        self._table.setSizePolicy(ignored, ignored)
        self.body.addWidget(self._table, 1)
        self._table.row_clicked.connect(self._on_table_row_clicked)

    def show_shades(
        self, view: TextView, item: int, shades: FloatArray, scale: Scale
    ) -> None:
        """List the shares of an item in the scale of the text's shades."""
        self._items = strongest(shades, MOST_ROWS)
        if item != self._of:
            self._of = item
            self._table.verticalScrollBar().setValue(0)
        self.set_title(view.question(item))
        rows = tuple(
            TableRow(
                view.shaded_name_of(at),
                (short(float(shades[at])),),
                float(shades[at]) / scale.limit,
                "pattern",
            )
            for at in self._items
        )
        self._table.show_rows(rows, HEADS, LABELS[view.viewing.looks_back])

    def clear(self) -> None:
        """List nothing: no token is looked from."""
        self._items, self._of = (), None
        self.set_title("")
        self._table.show_rows((), HEADS)

    def set_selected(self, item: int | None) -> None:
        """Mark the row of an item, if it is listed."""
        place = self._items.index(item) if item in self._items else None
        self._table.set_selected(place)

    @Slot(int)
    def _on_table_row_clicked(self, row: int) -> None:
        self.item_clicked.emit(self._items[row])
