"""What the pages of the feed-forward panel share: clicks as cells, words of tokens."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import LARGE, sans
from app.widgets.label import elided
from core.trace.matrix import Matrix
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.selection import Selection
from core.trace.trace import Trace

CARD_GAP = 12
"""Between two cards."""
ROLE = "feed_forward"
FREE = QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored
"""Cards keep their sizes whatever they show, so that a step forward moves nothing."""
WIDEST_TOKEN = 160.0
"""A longer token is cut with "…" in a heading; its chip shows it whole."""


class Page(QWidget):
    """One composition of the panel, for one kind of step."""

    cell_clicked = Signal(object)
    """The reader pointed at a number: its `Cell`."""

    def parts(
        self, trace: Trace, selection: Selection
    ) -> tuple[tuple[str, Index], ...]:
        """The parts of the trace that `display` asks for."""
        raise NotImplementedError

    def display(self, trace: Trace, selection: Selection) -> None:
        """Draw the step of the selection."""
        raise NotImplementedError


def title_of(token: str) -> str:
    """A token's label, short enough for a heading."""
    return elided(token, sans(LARGE), WIDEST_TOKEN)


def hover_words(matrix: Matrix, row: int, column: int) -> str:
    """What a map's tooltip says: token, feature, value."""
    first = matrix.rows.labels[row]
    start = first if matrix.rows.name == "token" else f"{matrix.rows.name} {first}"
    place = f"{matrix.columns.name} {matrix.columns.labels[column]}"
    return f"{start}, {place}\n{short(float(matrix.values[row, column]), 4)}"
