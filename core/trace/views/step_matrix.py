"""Any step as one matrix: tokens down, whatever its last axis counts across.

In: a trace and a selection, whose head is shown. Out: what `Heatmap` draws. Steps over
the vocabulary show the row of the chosen token alone.
"""

from dataclasses import dataclass, replace

import numpy as np

from core.trace.matrix import Axis, Cell, FloatArray, Matrix, Scale
from core.trace.needs import Index
from core.trace.selection import Selection, cell_of
from core.trace.steps import Step
from core.trace.trace import Trace
from core.trace.views.axes import predicted, step_axis
from core.trace.views.places import FEATURES, LabelOf
from core.trace.views.roles import role_of

SHARES = ("attn.pattern", "output.probs", "ffn.shares", "ffn.chosen")
"""Steps whose numbers run from 0 to 1."""
HEAD_AXES = ("n_heads", "n_kv_heads", "n_experts")
"""Of which one place is shown, where they come first."""


@dataclass(frozen=True, slots=True, eq=False)
class StepMatrix:
    """A matrix, and where its first row and the selected number lie."""

    matrix: Matrix
    first_row: int
    """The token of row 0."""
    selected: tuple[int, int]
    """Row and column in the matrix."""
    n_axes: int
    """How long an index of the step is; a step of one number a token is one column."""

    def cell(self, row: int, column: int) -> Cell:
        """The number at a place of the picture."""
        index = (*self.matrix.prefix, row + self.first_row, column)
        return Cell(self.matrix.key, index[: self.n_axes])


def shown_part(trace: Trace, selection: Selection) -> tuple[str, Index]:
    """The part of the trace that `step_matrix` asks for."""
    step = trace.step(selection.step)
    heads = tuple(
        _head(axis, selection, trace) for axis in step.axes[:1] if _is_head(axis)
    )
    if step.axes[-1] == "n_vocab":
        return step.key, (selection.query, None)
    return step.key, (*heads, *[None] * (len(step.axes) - len(heads)))


def step_matrix(trace: Trace, selection: Selection, label_of: LabelOf) -> StepMatrix:
    """The present step of one head, as a matrix."""
    step = trace.step(selection.step)
    key, index = shown_part(trace, selection)
    part = np.asarray(trace.part(key, index), dtype=np.float32)
    values = part[None, :] if step.axes[-1] == "n_vocab" else part
    values = values[:, None] if values.ndim == 1 else values
    values = np.where(np.isfinite(values), values, np.nan).astype(np.float32)
    values.flags.writeable = False
    first_row = selection.query if step.axes[-1] == "n_vocab" else 0
    cell = cell_of(selection, trace)
    place = cell.index if cell is not None and cell.key == key else (0, 0)
    row, column = place[-2:] if len(step.axes) > 1 else (place[0], 0)
    matrix = Matrix(
        values=values,
        rows=_rows(trace, step, first_row, len(values)),
        columns=_columns(trace, step, label_of),
        scale=_scale(step, values),
        colour=role_of(key),
        key=key,
        prefix=tuple(i for i in index[:1] if _is_head(step.axes[0]) and i is not None),
    )
    return StepMatrix(matrix, first_row, (row - first_row, column), len(step.axes))


def _is_head(axis: str) -> bool:
    return axis in HEAD_AXES


def _head(axis: str, selection: Selection, trace: Trace) -> int:
    if axis == "n_experts":
        return selection.expert
    shared = trace.config.n_queries_per_key
    return selection.head if axis == "n_heads" else selection.head // shared


def _rows(trace: Trace, step: Step, first: int, n_rows: int) -> Axis:
    counted = "n_query" if "n_query" in step.axes else "n"
    tokens = step_axis(trace, step, counted)
    return replace(tokens, labels=tokens.labels[first : first + n_rows])


def _columns(trace: Trace, step: Step, label_of: LabelOf) -> Axis:
    axis = step.axes[-1]
    if axis == "n_key":
        return step_axis(trace, step, axis)
    if axis == "n_vocab":
        return Axis(
            predicted(trace.config), tuple(map(label_of, range(trace.sizes[axis])))
        )
    if axis == "n":
        return Axis("", ("",))
    labels = tuple(str(place + 1) for place in range(trace.sizes[axis]))
    return Axis(FEATURES[axis], labels)


def _scale(step: Step, values: FloatArray) -> Scale:
    if step.name in SHARES:
        return Scale("share", 1.0)
    finite = values[np.isfinite(values)]
    limit = float(np.abs(finite).max()) if finite.size else 0.0
    return Scale("signed", limit or 1.0)
