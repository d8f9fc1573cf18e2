"""The sides and the range of a matrix of numbers: tokens, features, the largest size.

Used by every view that makes a `Matrix` of a step.
"""

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.trace.matrix import Axis, Scale
from core.trace.step import ROWS_OF_KEYS
from core.trace.steps import Step
from core.trace.token_side import TEXTS
from core.trace.trace import Trace


def token_axis(trace: Trace, name: str, role: str = "", side: str = "") -> Axis:
    """The tokens of a side, labelled as on their chips; "" is the side written."""
    tokens = trace.tokens(side)
    return Axis(name, tuple(map(tokens.label, range(tokens.n))), role)


def step_axis(trace: Trace, step: Step, axis: str) -> Axis:
    """The tokens that an axis of a step counts, in their colour.

    Of two sides it says whose: "target query", "source key", "source token".
    """
    side = step.side_of(axis)
    is_key = axis == "n_key" or step.name in ROWS_OF_KEYS
    name = {"n_query": "query", "n_key": "key"}.get(axis, "token")
    whose = f"{TEXTS[side]} " if side else ""
    return token_axis(trace, f"{whose}{name}", "key" if is_key else "query", side)


def row_axis(trace: Trace, key: str) -> Axis:
    """The tokens that the rows of a step are of, in their colour."""
    return step_axis(trace, trace.step(key), "n")


def key_axis(trace: Trace, key: str) -> Axis:
    """The tokens that are looked at in the attention of a step."""
    return step_axis(trace, trace.step(key), "n_key")


def feature_axis(n: int, name: str = "feature", role: str = "") -> Axis:
    """Numbered places, counted from 1."""
    return Axis(name, tuple(map(str, range(1, n + 1))), role)


def predicted(config: ModelConfig) -> str:
    """What a row over the vocabulary is about: what follows, or what stands there."""
    return "token at this place" if config.output_head == "masked" else "next token"


def largest_size(*arrays: NDArray[np.float32]) -> float:
    """The largest finite size in the arrays; 0 where they hold none."""
    return max((_largest(array) for array in arrays if array.size), default=0.0)


def _largest(array: NDArray[np.float32]) -> float:
    size = float(max(array.max(), -array.min()))
    if np.isfinite(size):  # the usual case, without a copy of a large array
        return size
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def signed_scale(*arrays: NDArray[np.float32]) -> Scale:
    """Zero in the middle, and the largest size of them all at both ends."""
    return Scale("signed", largest_size(*arrays))
