"""What a tooltip says of one number: where it stands, and its value."""

from core.trace.matrix import Cell
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.views.places import LabelOf, place_text


def hover_text(trace: Trace, cell: Cell, label_of: LabelOf) -> str:
    """Step, token, feature and value of a number of the trace or of a weight."""
    value = trace.value(cell.key, cell.index)
    return f"{place_text(trace, cell, label_of)}\n{short(value, 4)}"
