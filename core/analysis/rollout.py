r"""Attention rollout: the attention of all layers up to one, multiplied.

In: a trace. Out: for each layer a map of how much of each token's row comes from each
token of the sentence, if attention and the residual path were all there is and counted
half each (Abnar and Zuidema 2020, section 3):

    R_l = A_l R_(l-1),   A_l = (P_l + I) / 2 with rows that sum to one,   R_0 = I

where P_l joins the patterns of a layer's heads: their mean, as in the paper, or the
largest of each cell. A model without a residual path has A_l = P_l. It is no
measurement of what flowed: values, W_O, norms and the feed-forward layers are left out.

Behind an encoder each side is rolled out by itself, and what comes across is told
apart: how much of each row of the target comes from each token of the source, where E
is the encoder rolled out through its last layer and C_l joins the heads of a layer's
cross attention:

    S_l = (A_l S_(l-1) + C_l E) / 2,   S_0 = 0

What is missing from 1 in a row of S came from the target itself.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import numpy as np

from core.analysis.heads import patterns
from core.config import ModelConfig
from core.errors import TraceError
from core.trace.attentions import Kind, kind_named, kinds_of_attention
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


ACROSS = (
    r"S_\ell = \tfrac{1}{2} ({pattern:A_\ell} S_{\ell - 1} + {pattern:C_\ell} E), "
    r"\quad S_0 = 0"
)
"""Across: A of the target itself, C of its cross attention, E of the encoder."""
ACROSS_BY_LARGEST = (
    r"S_\ell = \mathrm{rows}\,(\tfrac{1}{2} ({pattern:A_\ell} S_{\ell - 1} + "
    r"{pattern:C_\ell} E)), \quad S_0 = 0"
)
WITHOUT_RESIDUAL = r"R_\ell = {pattern:P_\ell} R_{\ell - 1}, \quad R_0 = I"
ACROSS_WITHOUT_RESIDUAL = r"S_\ell = {pattern:C_\ell} E"


def formula_of(config: ModelConfig, kind: Kind, joining: Joining) -> str:
    """How the maps of a kind come about, in LaTeX."""
    if not config.residual:
        return ACROSS_WITHOUT_RESIDUAL if kind.is_cross else WITHOUT_RESIDUAL
    by_mean, by_largest = (
        (ACROSS, ACROSS_BY_LARGEST) if kind.is_cross else (FORMULA, FORMULA_OF_LARGEST)
    )
    return by_mean if joining == "mean" else by_largest


def rollout(trace: Trace, joining: Joining = "mean", kind: str = "") -> FloatArray:
    """How much of each token's row comes from each token, layer by layer.

    -> [n_layers, n_query, n_key], read-only; rows sum to one, across to less. A row
    that holds no numbers, and every row that takes from it in a later layer, is NaN,
    and so are the rows of padding, from which none takes.

    Raises:
        TraceError: The pattern is not square, so layers cannot be multiplied.
    """
    of = kind_named(trace.config, kind)
    n_query, n_key = trace.shape(of.key("pattern"))[1:]
    stack = np.empty((of.n_layers, n_query, n_key), np.float32)
    rolled_out = _crossed if of.is_cross else _alone
    for layer, product in enumerate(rolled_out(trace, of, joining)):
        stack[layer] = product
    stack[:, trace.rows_of(of.key("pattern")).padding] = np.nan
    stack.flags.writeable = False
    return stack


def _alone(trace: Trace, kind: Kind, joining: Joining) -> Iterator[FloatArray]:
    """A text that looks at itself. [n, n] a layer."""
    maps = _maps(trace, kind, joining)
    return rolled(maps, has_residual=trace.config.residual)


def _maps(trace: Trace, kind: Kind, joining: Joining) -> Iterator[FloatArray]:
    """The heads of each layer as one map."""
    layers = range(kind.n_layers)
    return (joined(patterns(trace, kind, layer), joining) for layer in layers)


def _crossed(trace: Trace, kind: Kind, joining: Joining) -> Iterator[FloatArray]:
    """A text that looks at a source. [n_query, n_key] a layer."""
    encoder, decoder, _ = kinds_of_attention(trace.config)
    memory = rollout(trace, joining, encoder.name)[-1]
    has_path = trace.config.residual
    found = np.zeros((trace.n, len(memory)), np.float32)
    pairs = zip(
        _maps(trace, decoder, joining), _maps(trace, kind, joining), strict=True
    )
    for own, across in pairs:
        kept = times(_step(own, has_residual=has_path), found)
        found = across_once(across, memory, kept if has_path else None)
        yield found


@may_be_broken
def across_once(
    across: FloatArray, memory: FloatArray, kept: FloatArray | None
) -> FloatArray:
    """What a layer's cross attention takes, beside what was there before.

    [n_query, n_key], [n_key, n_key], [n_query, n_key] -> [n_query, n_key]
    """
    taken, whole = times(across, memory), across.sum(axis=1, keepdims=True)
    return _over(taken, whole) if kept is None else (kept + taken) / (1 + whole)


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


def rolled(
    layers: Iterable[FloatArray], *, has_residual: bool = True
) -> Iterator[FloatArray]:
    """The products of the layers' maps, one after another; each [n, n].

    Raises:
        TraceError: A map is not square.
    """
    product = None
    for pattern in layers:
        step = _step(pattern, has_residual=has_residual)
        product = step if product is None else times(step, product)
        yield product


def _step(pattern: FloatArray, *, has_residual: bool) -> FloatArray:
    """One layer's map, with the residual path where the model has one. [n, n]."""
    if has_residual:
        return with_residual(pattern)
    return _over(pattern, pattern.sum(axis=1, keepdims=True))


def _over(rows: FloatArray, sums: FloatArray) -> FloatArray:
    """Rows over their sums; a row that sums to nothing stays as it is."""
    return np.divide(rows, sums, out=rows.copy(), where=sums != 0)


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
    """The product of two maps; rows without numbers spoil only who uses them.

    [n, n], [n, n_key] -> [n, n_key]

    Plain multiplication would carry a NaN into every row, by 0 times NaN.
    """
    unknown = np.isnan(before).any(axis=1)
    if not unknown.any() and not np.isnan(step).any():
        return step @ before
    product: FloatArray = np.nan_to_num(step) @ np.nan_to_num(before)
    uses = (np.nan_to_num(step)[:, unknown] > 0).any(axis=1)
    product[uses | np.isnan(step).any(axis=1)] = np.nan
    return product
