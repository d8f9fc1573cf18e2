"""The residual stream: what every part of every layer added to it.

Steps: resid_in, resid_mid, resid_out. In: a trace and the chosen token. Out: the sizes
of the stream and of what joined it, per station; and one addition in full. Station 2 i
is attention of layer i, station 2 i + 1 its feed-forward network.
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

SUMS = ("resid_mid", "resid_out")
"""The steps at which attention and feed-forward are added, in this order."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """One addition of one token, number by number."""

    rows: Matrix
    """[rows, d_model] in one scale: the stream, what joins, the sum, its norm."""
    keys: tuple[str, ...]
    """The step of each row."""
    note: str
    """The chosen number's arithmetic."""


def station_of(step: Step) -> int | None:
    """The station that a resid_ step lies behind; None before all layers."""
    layer = step.layer or 0
    if step.name in SUMS:
        return 2 * layer + SUMS.index(step.name)
    return 2 * layer - 1 if layer else None


def key_of(station: int) -> str:
    """The sum at a station."""
    return f"layers.{station // 2}.{SUMS[station % 2]}"


def measure_cells(trace: Trace, station: int, query: int) -> tuple[Cell, ...]:
    """Where the numbers of a station come from: before, added, cosine, after."""
    total = trace.step(key_of(station))
    if total.op != "add":
        handed_on = Cell(total.key, (query, 0))  # nothing was added: the step says so
        length = statistic_cell("length", (total.key, query))
        return length, handed_on, handed_on, length
    before, added, after = ((key, query) for key in (*total.inputs, total.key))
    return (
        statistic_cell("length", before),
        statistic_cell("length", added),
        statistic_cell("cosine", before, added),
        statistic_cell("length", after),
    )


def norm_parts(trace: Trace) -> tuple[tuple[str, Index], ...]:
    """The parts that `stream_norms` asks for."""
    sums = [key_of(station) for station in range(2 * trace.config.n_layers)]
    keys = [key for total in sums for key in (trace.step(total).inputs[0], total)]
    return tuple((key, ()) for key in dict.fromkeys([*keys, _last(trace)]))


def stream_norms(trace: Trace) -> StreamNorms:
    """Measure every addition at every token.

    What was added is the sum minus the stream before it. Both are kept by the forward
    pass, so long sentences cost no more, and an edit of the sum is counted in.
    """
    stations = range(2 * trace.config.n_layers)
    rows = [_measured(trace, trace.step(key_of(station))) for station in stations]
    before, added, after, cosine = (np.stack(part) for part in zip(*rows, strict=True))
    last = lengths(trace.part(_last(trace)))
    return StreamNorms(before, added, after, cosine, last)


def addition_of(trace: Trace, step: Step, query: int, feature: int) -> Addition:
    """The addition that a resid_ step is, or comes from, for one token.

    With norm_place "post" the stream that enters a layer is the norm of a sum; the norm
    then is the last row.
    """
    chain = _back_to_sum(trace, step)
    total = chain[-1]
    keys = (*total.inputs, total.key) if total.op == "add" else (total.key,)
    keys += tuple(row.key for row in reversed(chain[:-1]) if row.op != "same")
    names = [bare_name(key) for key in keys]
    signs = SIGNS if total.op == "add" else SIGNS[::3]
    labels = tuple(map("".join, zip(signs, names, strict=False)))
    values = np.stack([trace.part(key, (query,)) for key in keys])
    columns = feature_axis(values.shape[1], f"{_label(trace, query)} · feature")
    scale = signed_scale(values)
    rows = Matrix(values, Axis("", labels), columns, scale, "residual")
    return Addition(rows, keys, _arithmetic(values[:, feature], signs))


@may_be_broken
def _measured(trace: Trace, total: Step) -> tuple[Norms, Norms, Norms, Norms]:
    """Lengths before, added and after, and the cosine, of one station: [n] each."""
    before, after = trace.part(total.inputs[0]), trace.part(total.key)
    added = after - before
    return lengths(before), lengths(added), lengths(after), cosines(before, added)


def _last(trace: Trace) -> str:
    """The key of the stream that leaves the last layer."""
    layer = f"layers.{trace.config.n_layers - 1}"
    return (
        f"{layer}.resid_out"
        if trace.config.norm_place == "pre"
        else (f"{layer}.ffn.norm")
    )


def _back_to_sum(trace: Trace, step: Step) -> list[Step]:
    """The step, and those it hands on or norms, back to what was added or looked up."""
    chain = [step]
    while chain[-1].op in ("same", "layer_norm", "rms_norm"):
        chain.append(trace.step(chain[-1].inputs[0]))
    return chain


def _label(trace: Trace, query: int) -> str:
    return trace.encoding.pieces[query].label


def _arithmetic(column: FloatArray, signs: tuple[str, ...]) -> str:
    """One column in a line: "0.412 + (−0.031) = 0.381"."""
    texts = [short(float(value)) for value in column]
    joined = (
        f"{sign}({text})" if sign == "+ " and text[0] == MINUS else sign + text
        for sign, text in zip(signs, texts, strict=False)
    )
    return " ".join(joined)
