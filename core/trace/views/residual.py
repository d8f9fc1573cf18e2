"""The residual stream: what every part of every layer added to it.

Steps: resid_in, resid_mid, resid_cross, resid_out. In: a trace and the chosen token.
Out: the sizes of the stream and of what joined it, per station; and one addition in
full. Stations are the sums of one side of the model in order, two in a layer: attention
and feed-forward network; in a decoder three, cross attention between them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.matrix import Axis, Cell, FloatArray, Matrix
from core.trace.needs import Index
from core.trace.numbers import MINUS, may_be_broken, short
from core.trace.statistics import cosines, lengths, statistic_cell
from core.trace.steps import Step
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, signed_scale
from core.trace.views.places import bare_name

Norms = NDArray[np.floating[Any]]

SUMS = ("resid_mid", "resid_cross", "resid_out")
"""The steps at which the parts of a layer are added, in this order."""
FAR_BEYOND = 4.0
"""A token whose longest stream is so many times the median's is cut in the picture."""
SIGNS = ("", "+ ", "= ", "→ ")
"""What stands before the rows of an addition: stream, part, sum, its norm."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamNorms:
    """Lengths of the stream and of what was added to it, for every token."""

    before: Norms
    """[n_stations, n]: the stream that a part's output is added to."""
    added: Norms
    """[n_stations, n]"""
    after: Norms
    """[n_stations, n]: the sum, before any norm that may follow it."""
    cosine: Norms
    """[n_stations, n]: between what was added and the stream; NaN where one is 0."""
    last: Norms
    """[n]: the stream that leaves the last layer."""

    @property
    def carried(self) -> Norms:
        """[n_stations + 1, n]: the stream as it comes to each station, and leaves."""
        return np.vstack((self.before, self.last))


@dataclass(frozen=True, slots=True)
class StreamScale:
    """How high lengths are drawn, so that one token does not make all others flat."""

    limit: float
    """The length of full height."""
    cut: tuple[int, ...]
    """Tokens with a length beyond it."""


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """One addition of one token, number by number."""

    rows: Matrix
    """[rows, d_model] in one scale: the stream, what joins, the sum, its norm."""
    keys: tuple[str, ...]
    """The step of each row."""
    note: str
    """The chosen number's arithmetic."""


def station_keys(trace: Trace, side: str = "") -> tuple[str, ...]:
    """The sum at each station of a side."""
    sums = (step for step in trace.steps if step.name in SUMS)
    return tuple(step.key for step in sums if step.side == side)


def station_of(trace: Trace, step: Step) -> int | None:
    """The station that a resid_ step lies behind; None before all layers."""
    keys = station_keys(trace, step.side)
    if step.key in keys:
        return keys.index(step.key)
    n_in_layer = len(keys) // n_layers_of(trace, step.side)
    return n_in_layer * step.layer - 1 if step.layer else None


def n_layers_of(trace: Trace, side: str) -> int:
    """Layers of a side."""
    layers = (step for step in trace.steps if step.name == "resid_in")
    return sum(step.side == side for step in layers)


def measure_cells(trace: Trace, key: str, query: int) -> tuple[Cell, ...]:
    """Where the numbers of a sum come from: before, added, cosine, after."""
    total = trace.step(key)
    if total.op != "add":
        handed_on = Cell(total.key, (query, 0))  # nothing was added: the step says so
        own = statistic_cell("length", (total.key, query))
        there = statistic_cell("length", (_before(trace, total), query))
        return there, handed_on, handed_on, own
    before, added, after = ((key, query) for key in (*total.inputs, total.key))
    return (
        statistic_cell("length", before),
        statistic_cell("length", added),
        statistic_cell("cosine", before, added),
        statistic_cell("length", after),
    )


def norm_parts(trace: Trace, side: str = "") -> tuple[tuple[str, Index], ...]:
    """The parts that `stream_norms` asks for."""
    sums = station_keys(trace, side)
    keys = [key for total in sums for key in (_before(trace, trace.step(total)), total)]
    return tuple((key, ()) for key in dict.fromkeys([*keys, _last(trace, side)]))


def stream_norms(trace: Trace, side: str = "") -> StreamNorms:
    """Measure every addition at every token of a side.

    What was added is the sum minus the stream before it. Both are kept by the forward
    pass, so long sentences cost no more, and an edit of the sum is counted in.
    """
    rows = [_measured(trace, trace.step(key)) for key in station_keys(trace, side)]
    before, added, after, cosine = (np.stack(part) for part in zip(*rows, strict=True))
    last = lengths(trace.part(_last(trace, side)))
    return StreamNorms(before, added, after, cosine, last)


@may_be_broken
def stream_scale(norms: StreamNorms) -> StreamScale:
    """The largest length of the tokens that are not far beyond the others.

    In many models one token, most often the first, has a stream a hundred times as long
    as any other.
    """
    largest = np.maximum(norms.carried.max(axis=0), norms.added.max(axis=0))
    finite = np.where(np.isfinite(largest), largest, 0)
    usual = finite[finite <= FAR_BEYOND * float(np.median(finite))]
    limit = float(usual.max(initial=0.0)) or float(finite.max(initial=0.0))
    return StreamScale(limit, tuple(np.flatnonzero(largest > limit).tolist()))


def addition_of(trace: Trace, step: Step, query: int, feature: int) -> Addition:
    """The addition that a resid_ step is, or comes from, for one token.

    With norm_place "post" the stream that enters a layer is the norm of a sum; the norm
    then is the last row. Where nothing is added, what was there is above what takes its
    place.
    """
    chain = _back_to_sum(trace, step)
    total = chain[-1]
    keys: tuple[str, ...] = (total.key,)
    signs: tuple[str, ...] = SIGNS[::3]
    if total.op == "add":
        keys, signs = (*total.inputs, total.key), SIGNS
    elif total.is_replaced:
        keys, signs = (_before(trace, total), total.key), (*SIGNS[::3], SIGNS[3])
    keys += tuple(row.key for row in reversed(chain[:-1]) if row.op != "same")
    names = [bare_name(key) for key in keys]
    labels = tuple(map("".join, zip(signs, names, strict=False)))
    values = np.stack([trace.part(key, (query,)) for key in keys])
    token = trace.tokens(step.side).label(query)
    columns = feature_axis(values.shape[1], f"{token} · feature")
    scale = signed_scale(values)
    rows = Matrix(values, Axis("", labels), columns, scale, "residual")
    return Addition(rows, keys, _arithmetic(values[:, feature], signs))


@may_be_broken
def _measured(trace: Trace, total: Step) -> tuple[Norms, Norms, Norms, Norms]:
    """Lengths before, added and after, and the cosine, of one station: [n] each."""
    before, after = trace.part(_before(trace, total)), trace.part(total.key)
    added = after - before if total.op == "add" else np.zeros_like(after)
    return lengths(before), lengths(added), lengths(after), cosines(before, added)


def _before(trace: Trace, total: Step) -> str:
    """The stream that a part is added to, or whose place it takes."""
    if not total.is_replaced:
        return total.inputs[0]
    part = total.inputs[0].removesuffix("out")
    place = next(i for i, step in enumerate(trace.steps) if step.key.startswith(part))
    return trace.steps[place - 1].key


def _last(trace: Trace, side: str) -> str:
    """The key of the stream that leaves the last layer of a side."""
    last = [
        step for step in trace.steps if step.side == side and step.layer is not None
    ]
    return last[-1].key


def _back_to_sum(trace: Trace, step: Step) -> list[Step]:
    """The step, and those it hands on or norms, back to what was added or looked up."""
    chain = [step]
    while chain[-1].op in CARRIED_ON and not chain[-1].is_replaced:
        chain.append(trace.step(chain[-1].inputs[0]))
    return chain


CARRIED_ON = ("same", "layer_norm", "rms_norm")
"""Ops that hand a row on, or norm it."""


def _arithmetic(column: FloatArray, signs: tuple[str, ...]) -> str:
    """One column in a line: "0.412 + (−0.031) = 0.381"."""
    texts = [short(float(value)) for value in column]
    joined = (
        f"{sign}({text})" if sign == "+ " and text[0] == MINUS else sign + text
        for sign, text in zip(signs, texts, strict=False)
    )
    return " ".join(joined)
