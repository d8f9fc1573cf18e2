"""The steps around a head: each as what goes in and what comes out, and its product.

Steps: output.first, output.dense, output.active, output.scaled, output.pooled, of
models that bend their last rows once more, or make one row of them. In: a trace, such
a step, the places looked at. Out: matrices, and the chosen number's arithmetic.
"""

from dataclasses import dataclass, replace

import numpy as np

from core.trace.matrix import Axis, FloatArray, Matrix
from core.trace.numbers import MINUS, may_be_broken, short
from core.trace.steps import ACTIVATION_NAMES
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, signed_scale, token_axis
from core.trace.views.roles import role_of

N_LISTED = 24
"""Products in a list; each of the others adds less than any of them."""
FIRST_AXIS = "n_first"
"""Of steps that have one row: that of the first token."""


@dataclass(frozen=True, slots=True, eq=False)
class SidesView:
    """A step that changes each number by itself, or leaves rows out."""

    before: Matrix
    after: Matrix
    rows: tuple[int, int]
    """The chosen token's row in each of the two."""
    note_before: str
    note_after: str


@dataclass(frozen=True, slots=True, eq=False)
class DenseView:
    """Rows times a square matrix, plus a bias."""

    left: Matrix
    """[n, d_model], or [1, d_model]."""
    weight: Matrix
    """[d_model, d_model]."""
    result: Matrix
    row: int
    """The chosen token's row in both."""
    columns: tuple[FloatArray, FloatArray, FloatArray]
    """[d_model] each: the row, the weight's column, their products."""
    order: tuple[int, ...]
    """The features that add most in size, the strongest first."""
    note: str
    """What the products add up to."""


def row_of(trace: Trace, key: str, query: int) -> int:
    """The row of a step that stands for a token: the only one, where there is one."""
    return 0 if trace.step(key).axes[0] == FIRST_AXIS else query


def rows_matrix(trace: Trace, key: str) -> Matrix:
    """A step as a matrix: a row for each token that it has one for."""
    values = trace.part(key)
    tokens = token_axis(trace, "token", "query")
    tokens = replace(tokens, labels=tokens.labels[: len(values)])
    features = feature_axis(values.shape[1])
    return Matrix(values, tokens, features, signed_scale(values), role_of(key), key)


@may_be_broken
def sides_view(trace: Trace, key: str, query: int, feature: int) -> SidesView:
    """What goes into a step and what comes out of it."""
    source = trace.step(key).inputs[0]
    rows = row_of(trace, source, query), row_of(trace, key, query)
    if trace.step(key).op == "first_row":
        rows = 0, 0
    numbers = (
        trace.value(source, (rows[0], feature)),
        trace.value(key, (rows[1], feature)),
    )
    return SidesView(
        rows_matrix(trace, source),
        rows_matrix(trace, key),
        rows,
        *_notes(trace, key, feature, numbers),
    )


def _notes(
    trace: Trace, key: str, feature: int, numbers: tuple[float, float]
) -> tuple[str, str]:
    step, label = trace.step(key), trace.label(0)
    into, out = (short(number, 4) for number in numbers)
    if step.op == "first_row":
        kept = f"the row of {label} goes on, {trace.n - 1} do not"
        return kept, f"feature {feature + 1}: {out}, as it was"
    if step.op == "scale":
        root = short(float(np.sqrt(trace.config.d_model)), 4)
        return "", f"feature {feature + 1}: {into} / {root} = {out}"
    name = ACTIVATION_NAMES.get(step.op, step.op)
    return "", f"feature {feature + 1}: {name}({into}) = {out}"


@may_be_broken
def dense_view(trace: Trace, key: str, query: int, feature: int) -> DenseView:
    """The product of the rows and the head's matrix, around one number of it."""
    source, weight, *bias = trace.step(key).inputs
    left, result = rows_matrix(trace, source), rows_matrix(trace, key)
    at = row_of(trace, key, query)
    values = trace.part(weight)
    row, column = left.values[at], values[:, feature]
    effects = row * column
    order = np.argsort(-np.abs(effects), kind="stable")[:N_LISTED]
    added = float(trace.part(bias[0])[feature]) if bias else None
    return DenseView(
        left=left,
        weight=Matrix(
            values,
            feature_axis(values.shape[0]),
            Axis("feature", result.columns.labels),
            signed_scale(values),
            role_of(weight),
            weight,
        ),
        result=result,
        row=at,
        columns=(row, column, effects),
        order=tuple(order.tolist()),
        note=_sum_note(trace, key, (at, feature), float(effects.sum()), added),
    )


def _sum_note(
    trace: Trace, key: str, place: tuple[int, int], total: float, bias: float | None
) -> str:
    number = short(trace.value(key, place), 4)
    told = f"The {trace.config.d_model} products add up to {short(total, 4)}"
    if bias is None:
        return f"{told}."
    sign, size = (MINUS, -bias) if bias < 0 else ("+", bias)
    return f"{told}; with the bias, {sign} {short(size, 4)}, that is {number}."
