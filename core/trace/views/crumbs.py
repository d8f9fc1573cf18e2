"""The trail in words: the numbers that led to the present one, a crumb each.

In: a trace and the selections of a trail. Out: for each the name of its step or weight
and its number, in its colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.trace.matrix import Cell
from core.trace.numbers import number_text
from core.trace.selection import Selection, cell_of
from core.trace.statistics import is_statistic
from core.trace.step import name_of
from core.trace.trace import Trace
from core.trace.views.places import LabelOf, bare_name, place_text
from core.trace.views.roles import role_of


@dataclass(frozen=True, slots=True)
class Crumb:
    """One number of the trail."""

    name: str
    """The last part of its address: "pattern", "W_E"."""
    number: str
    """"" where the step has no numbers, as the text."""
    role: str
    """Theme colour."""
    tip: str


TEXT_STEPS = {"tokens.pieces": "text", "tokens.merges": "merges"}
"""Steps without numbers, and what their crumb says."""


def crumbs(
    trace: Trace, selections: Sequence[Selection], label_of: LabelOf
) -> tuple[Crumb, ...]:
    """A crumb for each selection, as far back as they exist in this trace."""
    made: list[Crumb] = []
    for selection in reversed(selections):
        crumb = _crumb(trace, selection, label_of)
        if crumb is None:
            break
        made.append(crumb)
    return tuple(reversed(made))


def _crumb(trace: Trace, selection: Selection, label_of: LabelOf) -> Crumb | None:
    name = TEXT_STEPS.get(name_of(selection.step), "")
    if selection.focus is None and name:
        return Crumb(name, "", role_of(selection.step), "The text that was typed")
    if selection.focus is None and selection.step not in trace.keys:
        return None
    cell = cell_of(selection, trace)
    if cell is None or not trace.has_number(cell.key, cell.index):
        return None
    number = number_text(cell.key, _value(trace, cell))
    name = bare_name(cell.key).rpartition(".")[2]
    tip = f"{place_text(trace, cell, label_of)}\n{number}"
    return Crumb(name, number, role_of(cell.key), tip)


def _value(trace: Trace, cell: Cell) -> float:
    """A number of a step or weight; of a statistic, the one that is explained."""
    if is_statistic(cell.key):
        return trace.explain(cell.key, cell.index).recorded
    return trace.value(cell.key, cell.index)
