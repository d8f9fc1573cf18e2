"""The stream before and after the norm that attention reads through.

Step: attn.norm. In: a trace. Out: two maps of tokens by features, and for every token
what the norm takes away and divides by: numbers of the trace's own rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.matrix import FloatArray, Matrix
from core.trace.needs import Index
from core.trace.numbers import may_be_broken, short
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, signed_scale, token_axis
from core.trace.views.roles import role_of

Numbers = NDArray[np.float64]

LEARNED = {"γ": "× γ", "β": "+ β"}
"""The gain and the shift, in the order of the step's inputs, and what they do."""


@dataclass(frozen=True, slots=True, eq=False)
class NormView:
    """Rows of the stream as they come, and on one scale."""

    place: str
    """ "layer 2"."""
    before: Matrix
    after: Matrix
    measures: tuple[str, ...]
    """What is measured of each row: mean and deviation, or root mean square."""
    measured: tuple[FloatArray, FloatArray]
    """[n_measures, n] before, and after."""
    learned: tuple[tuple[str, FloatArray], ...]
    """The gain γ, and the shift β where there is one: [d_model]."""

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


def norm_parts(trace: Trace, key: str) -> tuple[tuple[str, Index], ...]:
    """What `norm_view` asks of the trace."""
    return ((trace.step(key).inputs[0], ()), (key, ()))


def norm_view(trace: Trace, key: str) -> NormView:
    """Both sides of a norm."""
    step = trace.step(key)
    source, _, *weights = step.inputs
    rows, columns = (
        token_axis(trace, "token", "query"),
        feature_axis(trace.sizes["d_model"]),
    )
    stream, normed = trace[source], trace[key]
    measures = MEASURES[step.op]
    assert step.layer is not None
    return NormView(
        place=f"layer {step.layer + 1}",
        before=Matrix(
            stream, rows, columns, signed_scale(stream), role_of(source), source
        ),
        after=Matrix(normed, rows, columns, signed_scale(normed), role_of(key), key),
        measures=tuple(measures),
        measured=(_measured(stream, step.op), _measured(normed, step.op)),
        learned=tuple(
            (sign, trace.part(address))
            for sign, address in zip(LEARNED, weights, strict=False)
        ),
    )


def _root_mean_square(rows: Numbers) -> Numbers:
    return np.asarray(np.sqrt((rows * rows).mean(axis=-1)))


def _mean(rows: Numbers) -> Numbers:
    return np.asarray(rows.mean(axis=-1))


def _deviation(rows: Numbers) -> Numbers:
    return np.asarray(rows.std(axis=-1))


MEASURES: dict[str, dict[str, Callable[[Numbers], Numbers]]] = {
    "layer_norm": {"mean": _mean, "deviation": _deviation},
    "rms_norm": {"root mean square": _root_mean_square},
}
"""What each kind of norm looks at in a row."""


@may_be_broken
def _measured(rows: FloatArray, op: str) -> FloatArray:
    wide = rows.astype(np.float64)
    measured = [of(wide) for of in MEASURES[op].values()]
    return np.stack(measured).astype(np.float32)
