"""Rows before and after a norm of attention: the stream's, or one head's q or k.

Steps: attn.norm, attn.q_normed, attn.k_normed. In: a trace. Out: two maps of tokens by
features, and for every token what the norm takes away and divides by: numbers of the
trace's own rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.attentions import attention_words
from core.trace.matrix import FloatArray, Matrix
from core.trace.needs import Index
from core.trace.numbers import may_be_broken, short
from core.trace.steps import Step
from core.trace.trace import Trace
from core.trace.views.attention_products import head_of
from core.trace.views.axes import feature_axis, row_axis, signed_scale
from core.trace.views.roles import role_of

Numbers = NDArray[np.float64]

STREAM = "the residual stream"
LEARNED = {"γ": "× γ", "β": "+ β"}
"""The gain and the shift, in the order of the step's inputs, and what they do."""


@dataclass(frozen=True, slots=True, eq=False)
class NormView:
    """Rows as they come, and on one scale."""

    place: str
    """ "layer 2", or "layer 2 · head 1"."""
    name: str
    """What the rows are: "the residual stream", "K of head 2, from key head 1"."""
    before: Matrix
    after: Matrix
    measures: tuple[str, ...]
    """What is measured of each row: mean and deviation, or root mean square."""
    measured: tuple[FloatArray, FloatArray]
    """[n_measures, n] before, and after."""
    learned: tuple[tuple[str, FloatArray], ...]
    """The gain γ, and the shift β where there is one: a number for each feature."""

    @property
    def learning(self) -> str:
        """What the learned numbers do to a normed row: "× γ + β"."""
        return " ".join(LEARNED[sign] for sign, _ in self.learned)

    def tip(self, matrix: Matrix, row: int, column: int) -> str:
        """Where a cell stands, its number, and the feature's learned numbers."""
        name = "before" if matrix is self.before else "after"
        token, number = matrix.rows.labels[row], float(matrix.values[row, column])
        learned = " · ".join(
            f"{sign} = {short(float(values[column]), 4)}"
            for sign, values in self.learned
        )
        return (
            f"{self.place} · token {token} ({row + 1}) · feature {column + 1}\n"
            f"{name} the norm = {short(number, 4)}\n{learned}"
        )


def norm_parts(trace: Trace, key: str, head: int) -> tuple[tuple[str, Index], ...]:
    """What `norm_view` asks of the trace."""
    step = trace.step(key)
    index = _head_index(step, trace, head)
    return ((step.inputs[0], index), (key, index))


def norm_view(trace: Trace, key: str, head: int) -> NormView:
    """Both sides of a norm; of a head's rows where each head has its own."""
    step = trace.step(key)
    source, _, *weights = step.inputs
    index = _head_index(step, trace, head)
    before, after = (_matrix(trace, step, at, index) for at in (source, key))
    assert step.layer is not None
    place = attention_words(step.attention)
    return NormView(
        place=f"{place} · head {head + 1}" if index else place,
        name=_rows_of(step, trace, head) if index else STREAM,
        before=before,
        after=after,
        measures=tuple(MEASURES[step.op]),
        measured=(_measured(before.values, step.op), _measured(after.values, step.op)),
        learned=tuple(
            (sign, trace.part(address))
            for sign, address in zip(LEARNED, weights, strict=False)
        ),
    )


def _head_index(step: Step, trace: Trace, head: int) -> tuple[int, ...]:
    """Where one head's rows are; () where the rows belong to no head."""
    return (head_of(step, trace, head),) if step.axes[-1] == "d_head" else ()


def _rows_of(step: Step, trace: Trace, head: int) -> str:
    """Whose queries or keys they are, and which head several share."""
    said = f"{step.name[5].upper()} of head {head + 1}"
    is_shared = step.axes[0] == "n_kv_heads" and trace.config.n_queries_per_key > 1
    if not is_shared:
        return said
    return f"{said}, from key head {head_of(step, trace, head) + 1}"


def _matrix(trace: Trace, step: Step, address: str, index: tuple[int, ...]) -> Matrix:
    rows = row_axis(trace, step.key)
    columns = feature_axis(trace.sizes[step.axes[-1]])
    values = trace.part(address, index) if index else trace[address]
    colour = role_of(address)
    return Matrix(values, rows, columns, signed_scale(values), colour, address, index)


def _root_mean_square(rows: Numbers) -> Numbers:
    return np.asarray(np.sqrt((rows * rows).mean(axis=-1)))


def _mean(rows: Numbers) -> Numbers:
    return np.asarray(rows.mean(axis=-1))


def _deviation(rows: Numbers) -> Numbers:
    return np.asarray(rows.std(axis=-1))


MEASURES: dict[str, dict[str, Callable[[Numbers], Numbers]]] = {
    "layer_norm": {"mean": _mean, "deviation": _deviation},
    "rms_norm": {"root mean square": _root_mean_square},
    "norm_heads": {"root mean square": _root_mean_square},
}
"""What each kind of norm looks at in a row."""


@may_be_broken
def _measured(rows: FloatArray, op: str) -> FloatArray:
    wide = rows.astype(np.float64)
    measured = [of(wide) for of in MEASURES[op].values()]
    return np.stack(measured).astype(np.float32)
