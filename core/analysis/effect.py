"""What attention moves: how long the rows are that each head takes and adds.

In: a trace, an attention ("layers.0.attn"), a head. Out: lengths. A head adds, for
every token it looks at, the share times the value row times W_O to the stream; a large
share of a value row that W_O makes short moves little. Source: Kobayashi et al. 2020,
"Attention is Not Only a Weight". The rows of width d_model are never made: ‖v W‖² =
v (W Wᵀ) vᵀ.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.matrix import FloatArray
from core.trace.numbers import may_be_broken
from core.trace.trace import Trace

Wide = NDArray[np.float64]


def output_weights(trace: Trace, attn: str, head: int) -> FloatArray:
    """The rows of W_O that a head's output meets. [d_head, d_model].

    Where heads are laid side by side as they are, they are rows of ones and zeros.
    """
    width = trace.config.d_head
    rows = slice(head * width, (head + 1) * width)
    if not trace.config.mix_heads:
        return np.eye(trace.config.d_heads, dtype=np.float32)[rows]
    weights: FloatArray = trace.part(f"{attn}.W_O")
    return weights[rows]


def reach(trace: Trace, attn: str, head: int) -> FloatArray:
    """How long the value row of every token is once it has passed W_O. [n_key]."""
    place = head // trace.config.n_queries_per_key
    values = trace.part(f"{attn}.v", (place,))
    return lengths_through(values, output_weights(trace, attn, head))


@may_be_broken
def weighted_pattern(trace: Trace, attn: str, head: int) -> FloatArray:
    """What a head adds to each token from each: share x reach, as lengths.

    [n_query, n_key]
    """
    shares: FloatArray = trace.part(f"{attn}.pattern", (head,))
    return shares * reach(trace, attn, head)


@may_be_broken
def summed_pattern(trace: Trace, attn: str) -> FloatArray:
    """The same, added up over the layer's heads. [n_query, n_key].

    A sum of lengths: rows that cancel each other count twice.
    """
    heads = range(trace.config.n_heads)
    reaches = np.stack([reach(trace, attn, head) for head in heads])
    pattern = trace.part(f"{attn}.pattern")
    return np.asarray(np.einsum("hqk,hk->qk", pattern, reaches))


def output_lengths(trace: Trace, attn: str, head: int) -> FloatArray:
    """How long the row is that a head adds to the stream of every token. [n]."""
    outputs = trace.part(f"{attn}.heads", (head,))
    return lengths_through(outputs, output_weights(trace, attn, head))


@may_be_broken
def lengths_through(rows: NDArray[Any], weights: NDArray[Any]) -> FloatArray:
    """The lengths of rows after a matrix. [n, d_in], [d_in, d_out] -> [n]."""
    wide: Wide = weights.astype(np.float64)
    between = wide @ wide.T
    squares = np.einsum("nd,nd->n", rows @ between, rows, dtype=np.float64)
    lengths: FloatArray = np.sqrt(np.maximum(squares, 0)).astype(np.float32)
    return lengths


def is_edited(trace: Trace, attn: str) -> bool:
    """Whether an edit set heads' outputs, which then are not pattern times values."""
    key = f"{attn}.heads"
    return any(edit.key == key for edit in trace.edits)
