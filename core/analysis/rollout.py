r"""Attention rollout: the attention of all layers up to one, multiplied.

In: a trace. Out: for each layer a map of how much of each token's row comes from each
token of the sentence, if attention and the residual path were all there is and counted
half each (Abnar and Zuidema 2020, section 3):

    R_l = A_l R_(l-1),   A_l = (P_l + I) / 2 with rows that sum to one,   R_0 = I

where P_l joins the patterns of a layer's heads: their mean, as in the paper, or the
largest of each cell. It is no measurement of what flowed: values, W_O, norms and the
feed-forward layers are left out.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import numpy as np

from core.analysis.heads import patterns
from core.errors import TraceError
from core.trace.matrix import FloatArray
from core.trace.numbers import may_be_broken
from core.trace.trace import Trace

Joining = Literal["mean", "largest"]
JOININGS: tuple[Joining, ...] = ("mean", "largest")

FORMULA = (
    r"R_\ell = {pattern:A_\ell} R_{\ell - 1}, \quad "
    r"{pattern:A_\ell} = \tfrac{1}{2} ({pattern:P_\ell} + I), \quad R_0 = I"
)
"""The mean over heads; `{pattern:...}` wears the pattern's colour."""
FORMULA_OF_LARGEST = (
    r"R_\ell = {pattern:A_\ell} R_{\ell - 1}, \quad "
    r"{pattern:A_\ell} = \mathrm{rows}\,(\tfrac{1}{2} ({pattern:P_\ell} + I)), "
    r"\quad R_0 = I"
)
"""The largest over heads: its rows have to be brought to a sum of one."""


def rollout(trace: Trace, joining: Joining = "mean") -> FloatArray:
    """How much of each token's row comes from each token, layer by layer.

    -> [n_layers, n_query, n_key], read-only; rows sum to one. A row that holds no
    numbers, and every row that takes from it in a later layer, is NaN, and so are the
    rows of padding, from which none takes.

    Raises:
        TraceError: The pattern is not square, so layers cannot be multiplied.
    """
    layers = range(trace.config.n_layers)
    stack = np.empty((len(layers), trace.n, trace.n), np.float32)
    maps = (joined(patterns(trace, layer), joining) for layer in layers)
    for layer, product in enumerate(rolled(maps)):
        stack[layer] = product
    stack[:, trace.padding] = np.nan
    stack.flags.writeable = False
    return stack


@may_be_broken
def joined(stacks: Iterable[FloatArray], joining: Joining) -> FloatArray:
    """The heads of a layer as one map.

    Some [heads, n_query, n_key] -> [n_query, n_key]
    """
    total, n_heads = None, 0
    for stack in stacks:
        part = OVER_HEADS[joining](stack)
        total = part if total is None else TOGETHER[joining](total, part)
        n_heads += len(stack)
    if total is None:
        raise TraceError("Rollout joins heads, and this layer has none.")
    return total / np.float32(n_heads) if joining == "mean" else total


OVER_HEADS: dict[Joining, Callable[[FloatArray], FloatArray]] = {
    "mean": lambda stack: np.asarray(stack.sum(axis=0)),
    "largest": lambda stack: np.asarray(stack.max(axis=0)),
}
TOGETHER: dict[Joining, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "mean": np.add,
    "largest": np.maximum,
}


def rolled(layers: Iterable[FloatArray]) -> Iterator[FloatArray]:
    """The products of the layers' maps, one after another; each [n, n].

    Raises:
        TraceError: A map is not square.
    """
    product = None
    for pattern in layers:
        step = with_residual(pattern)
        product = step if product is None else times(step, product)
        yield product


def with_residual(pattern: FloatArray) -> FloatArray:
    """Half the map and half the residual path, rows brought to a sum of one. [n, n].

    Raises:
        TraceError: The map is not square.
    """
    n_query, n_key = pattern.shape
    if n_query != n_key:
        raise TraceError(
            f"Rollout multiplies square patterns; this one has {n_query} queries for "
            f"{n_key} keys, so trace the whole sentence at once."
        )
    half = (pattern + np.eye(n_key, dtype=np.float32)) / 2
    rows: FloatArray = half / half.sum(axis=1, keepdims=True)
    return rows


def times(step: FloatArray, before: FloatArray) -> FloatArray:
    """The product of two maps [n, n]; rows without numbers spoil only who uses them.

    Plain multiplication would carry a NaN into every row, by 0 times NaN.
    """
    unknown = np.isnan(before).any(axis=1)
    if not unknown.any() and not np.isnan(step).any():
        return step @ before
    product: FloatArray = np.nan_to_num(step) @ np.nan_to_num(before)
    uses = (np.nan_to_num(step)[:, unknown] > 0).any(axis=1)
    product[uses | np.isnan(step).any(axis=1)] = np.nan
    return product
