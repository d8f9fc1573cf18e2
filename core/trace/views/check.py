"""Is what the panel shows what the model computed? The step, worked out once more.

Takes the shown part of a step, computes it again from its inputs by the step's own
function, and gives the largest difference from what the trace holds.
"""

import math
from dataclasses import dataclass

import numpy as np

from core.errors import MissingWeightError
from core.trace.needs import SUMS_OF_PRODUCTS, Index, input_letters, needs
from core.trace.selection import Selection, has_numbers
from core.trace.step import ROWS_OF_KEYS
from core.trace.steps import TOKEN_OPS, Step
from core.trace.trace import EASY_MULTIPLICATIONS, Trace
from core.trace.work import multiplications


@dataclass(frozen=True, slots=True)
class Check:
    """What recomputing a part of a step gave."""

    difference: float
    """The largest |recomputed - recorded|."""
    n_numbers: int
    is_kept: bool
    """Whether the pass kept the step; otherwise it was derived from what it kept."""


def check_of(trace: Trace, selection: Selection) -> Check | None:
    """Recompute the shown part, or the chosen row where all of it takes too long.

    None where the step has no numbers, even one row is not at hand, or the trace lacks
    the weights.
    """
    step = trace.step(selection.step)
    if step.op in TOKEN_OPS or not has_numbers(step):
        return None
    index = next(
        (i for i in _parts(step, selection, trace) if _is_easy(trace, i)), None
    )
    if index is None:
        return None
    recorded = np.asarray(trace.part(step.key, index[1]), dtype=np.float64)
    try:
        again = np.asarray(trace.recomputed(step.key, index[1]), dtype=np.float64)
    except MissingWeightError:
        return None
    same = (recorded == again) | (np.isnan(recorded) & np.isnan(again))
    with np.errstate(invalid="ignore"):
        differences = np.where(same, 0.0, np.abs(again - recorded))
    largest = float(differences.max(initial=0.0))
    return Check(largest, recorded.size, trace.is_kept(step.key))


def _parts(
    step: Step, selection: Selection, trace: Trace
) -> tuple[tuple[Step, Index], ...]:
    """The shown matrix, then one row of it."""
    row = selection.key if step.name in ROWS_OF_KEYS else selection.query
    heads = {"n_heads": selection.head}
    heads["n_kv_heads"] = selection.head // trace.config.n_queries_per_key
    leading = tuple(heads[axis] for axis in step.axes if axis in heads)
    others: Index = (None,) * (len(step.axes) - len(leading))
    return (step, (*leading, *others)), (step, (*leading, row, *others[1:]))


def _is_easy(trace: Trace, part: tuple[Step, Index]) -> bool:
    """Whether the part and its inputs are worked out in a moment."""
    step, index = part
    shape = trace.shape(step.key)
    n_numbers = math.prod(
        size if place is None else 1 for size, place in zip(shape, index, strict=True)
    )
    work = n_numbers * _terms(trace, step)
    for source, place in zip(
        step.inputs, needs(step, index, trace.config), strict=True
    ):
        if source in trace.keys:
            work += multiplications(trace, source, place)
    return work <= EASY_MULTIPLICATIONS


def _terms(trace: Trace, step: Step) -> int:
    """How many products one number of the step adds up."""
    if step.op not in SUMS_OF_PRODUCTS:
        return 1
    letters = input_letters(step.op)
    shape = dict(zip(letters[0], trace.shape(step.inputs[0]), strict=True))
    shared = set(letters[0]) & set(letters[1]) - {"h", "g"}
    return math.prod(shape[letter] for letter in shared)
