"""How a head's output row is mixed: shares of attention as weights on value rows.

Steps: attn.heads, attn.concat. In: a trace, a head and the token that looks. Out: the
value rows, their shares, and the weighted rows, which add up to the output.
"""

from dataclasses import dataclass

import numpy as np

from core.trace.matrix import Axis, FloatArray, Matrix, Scale
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.views.attention_products import sharing_note
from core.trace.views.axes import (
    feature_axis,
    key_axis,
    largest_size,
    row_axis,
    signed_scale,
)
from core.trace.views.masking import AFTER, FAR, NO_KEY, PADDING, why_hidden

Part = tuple[str, Index]

HIDDEN = {
    AFTER: "masked: it comes after the token that looks",
    FAR: f"masked: {FAR}",
    PADDING: "masked: padding",
    NO_KEY: NO_KEY,
}


@dataclass(frozen=True, slots=True, eq=False)
class MixView:
    """One head's output for one token: shares x value rows, added up."""

    layer: int
    head: int
    query: int
    query_label: str
    keys: Axis
    hidden: tuple[str, ...]
    """[n_key]: why the mask forbids to look; "" where it does not."""
    shares: FloatArray
    """[n_key]; NaN where the mask forbids to look."""
    values: FloatArray
    """[n_key, d_head]; NaN where masked: this token cannot see those rows."""
    weighted: FloatArray
    """[n_key, d_head]: each value row times its share."""
    mixed: FloatArray
    """[d_head]: the head's output, their sum."""
    scale: Scale
    """Of values and weighted values; the output keeps within it, being a mean."""
    note: str
    """Which key head the values come from, where query heads share one."""

    @property
    def title(self) -> str:
        """What is mixed for whom: "What ·LOVELY takes through head 1"."""
        return f"What {self.query_label} takes through head {self.head + 1}"

    @property
    def reading(self) -> str:
        """How to read the sum."""
        words = "each value row times its share; the weighted rows add up to one row"
        return f"{words} · {self.note}" if self.note else words

    def where(self, row: int) -> str:
        """The token whose value row it is, and the share it gets."""
        share = float(self.shares[row])
        hidden = self.hidden[row]
        words = HIDDEN[hidden] if hidden else f"share {short(share, 4)}"
        return f"value row of {self.keys.labels[row]} ({row + 1}) · {words}"

    def tip(self, part: str, row: int, column: int) -> str:
        """What a cell of the picture is, and how it came."""
        if part == "mixed":
            number = short(float(self.mixed[column]), 4)
            return (
                f"output of head {self.head + 1} for {self.query_label} "
                f"({self.query + 1}) · feature {column + 1}\nH = {number}, the sum of "
                "the column above"
            )
        if part == "shares" or np.isnan(self.shares[row]):
            return self.where(row)
        value, product = self.values[row, column], self.weighted[row, column]
        numbers = f"V = {short(float(value), 4)}"
        if part == "weighted":
            share = short(float(self.shares[row]), 4)
            numbers = f"{share} × {short(float(value), 4)} = {short(float(product), 4)}"
        return f"{self.where(row)}\nfeature {column + 1} · {numbers}"


def mix_parts(trace: Trace, key: str, head: int, query: int) -> tuple[Part, ...]:
    """What `mix_view` asks of the trace."""
    pattern, values = trace.step(key).inputs
    group = trace.config.n_queries_per_key
    return ((pattern, (head, query)), (values, (head // group,)), (key, ()))


def mix_view(trace: Trace, key: str, head: int, query: int) -> MixView:
    """The output of one head for one token."""
    pattern, source = trace.step(key).inputs
    values = trace.part(source, (head // trace.config.n_queries_per_key,))
    mask = trace.mask_of(key)
    allowed = mask[query]
    values = np.where(allowed[:, None], values, np.float32(np.nan))
    shares = np.where(allowed, trace.part(pattern, (head, query)), np.float32(np.nan))
    layer = trace.step(key).layer
    assert layer is not None
    return MixView(
        layer=layer,
        head=head,
        query=query,
        query_label=trace.rows_of(key).label(query),
        keys=key_axis(trace, key),
        hidden=tuple(why_hidden(mask, query, key) for key in range(len(allowed))),
        shares=shares,
        values=values,
        weighted=shares[:, None] * values,
        mixed=trace.part(key, (head, query)),
        scale=Scale("signed", largest_size(values)),
        note=sharing_note(trace, head),
    )


@dataclass(frozen=True, slots=True)
class Stretch:
    """The columns of one head among all heads side by side."""

    name: str
    start: int
    stop: int


def stretches(trace: Trace) -> tuple[Stretch, ...]:
    """Which columns of the joined heads belong to which head."""
    width = trace.config.d_head
    return tuple(
        Stretch(f"head {head + 1}", head * width, (head + 1) * width)
        for head in range(trace.config.n_heads)
    )


def concat_view(trace: Trace, key: str) -> Matrix:
    """All heads side by side, one row a token: [n, d_model]."""
    values = trace[key]
    rows, columns = row_axis(trace, key), feature_axis(values.shape[1])
    return Matrix(values, rows, columns, signed_scale(values), "value", key)
