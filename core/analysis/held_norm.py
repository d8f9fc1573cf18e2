"""A norm of one row with its divisor held at what it was: then it is a linear map.

In: a trace, a norm's step and a token. Out: what becomes of a part of that row, and
which direction before the norm weighs as a direction does behind it. Below the direct
logit attribution.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.steps import Step
from core.trace.trace import Trace

Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HeldNorm:
    """A norm of one row whose divisor stays what it was: a linear map and a shift."""

    step: Step
    root: float
    gamma: Row
    """[d_model]"""
    beta: Row | None
    """[d_model]"""

    def onward(self, row: Row) -> Row:
        """What becomes of a part of the row. [..., d_model], without the shift."""
        return self._centred(row) / self.root * self.gamma

    def backward(self, direction: Row) -> Row:
        """The direction before the norm that weighs as `direction` does behind it."""
        return self._centred(direction * self.gamma) / self.root

    def _centred(self, row: Row) -> Row:
        is_rms = self.step.op == "rms_norm"
        return row if is_rms else row - row.mean(axis=-1, keepdims=True)


def held_norm(trace: Trace, step: Step, position: int) -> HeldNorm:
    """A norm as it was for one token, its divisor fixed."""
    source, _, gamma, *beta = step.inputs
    row = trace.part(source, (position,)).astype(np.float64)
    spread = row.var() if step.op == "layer_norm" else (row * row).mean()
    return HeldNorm(
        step=step,
        root=float(np.sqrt(spread + trace.config.eps)),
        gamma=trace.part(gamma).astype(np.float64),
        beta=trace.part(beta[0]).astype(np.float64) if beta else None,
    )
