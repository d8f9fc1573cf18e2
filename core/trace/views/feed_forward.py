"""The feed-forward network of one layer: what each token finds, and what it writes.

Steps: ffn.norm, ffn.gate, ffn.hidden, ffn.active, ffn.out. In: a trace, a layer's key
and the places looked at. Out: matrices, the curve of the bend, and the neurons that
count most. Neurons, features and tokens count from 1 for a reader, from 0 here.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from core.trace.matrix import Axis, FloatArray, Matrix
from core.trace.numbers import MINUS, may_be_broken, short
from core.trace.statistics import lengths
from core.trace.steps import ACTIVATION_NAMES
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, row_axis, signed_scale
from core.trace.views.roles import role_of

N_LISTED = 24
"""Neurons and tokens in a list; the rest matters less than any of them."""
N_SAMPLES = 129
"""Places at which the curve of the bend is computed."""
LEAST_REACH = 3.0
"""The curve reaches at least this far to both sides, so that its bend is seen."""
QUIET = 0.01
"""A neuron whose activation is smaller than this in size counts as near zero."""


@dataclass(frozen=True, slots=True, eq=False)
class NormView:
    """The stream before and after a norm."""

    before: Matrix
    after: Matrix
    note_before: str
    """What the chosen token's row comes to, before."""
    note_after: str


@dataclass(frozen=True, slots=True)
class Neuron:
    """One neuron at one token."""

    index: int
    values: tuple[float, ...]
    """Its numbers along the way: (gate, ) hidden, active."""
    share: float
    """Length of what it writes, against the length of the layer's whole output."""


@dataclass(frozen=True, slots=True, eq=False)
class Bend:
    """The activation's curve, and where one neuron stands on it at every token."""

    name: str
    """"GELU", "ReLU", ..."""
    argument: str
    """What is bent: "hidden", or "gate" in a gated network."""
    x: FloatArray
    y: FloatArray
    dots: tuple[int, ...]
    """The sample at which each token stands, in the order of the sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class HiddenView:
    """The hidden layer: of all tokens, of the chosen one, of the chosen neuron."""

    whole: Matrix
    """[n, d_ff]: the present step."""
    strips: Matrix
    """[stages, d_ff]: the chosen token before and after the bend."""
    stages: tuple[str, ...]
    """The keys of the strips, in the order of computation."""
    neurons: tuple[Neuron, ...]
    """Those that write most for the chosen token, the strongest first."""
    tokens: tuple[int, ...]
    """The tokens at which the chosen neuron is most active, the strongest first."""
    bend: Bend
    equation: str
    """The chosen number's arithmetic: "GELU(1.23) = 1.10"."""
    note: str
    """How many neurons are silent."""


@dataclass(frozen=True, slots=True, eq=False)
class OutView:
    """The way back to the stream's width: active times W_2."""

    active: Matrix
    weight: Matrix
    out: Matrix
    columns: tuple[FloatArray, FloatArray, FloatArray]
    """[d_ff] each: the row of active, the column of W_2, and their products."""
    order: tuple[int, ...]
    """The neurons that add most in size, the strongest first."""
    note: str
    """What the effects add up to."""


def hidden_keys(trace: Trace, ffn: str) -> tuple[str, ...]:
    """The steps of a hidden layer, such as "layers.0.ffn": (gate, ) hidden, active."""
    names = ("gate", "hidden", "active")
    return tuple(key for name in names if (key := f"{ffn}.{name}") in trace.keys)


def stream_matrix(trace: Trace, key: str) -> Matrix:
    """A step whose rows are tokens and whose columns are features or neurons."""
    values = trace.part(key)
    return _matrix(trace, key, values, signed_scale(values).limit)


def norm_view(trace: Trace, key: str, query: int) -> NormView:
    """What a norm does with every row, and in figures with the row of `query`."""
    before, after = trace.step(key).inputs[0], key
    is_rms = trace.step(key).op == "rms_norm"
    return NormView(
        stream_matrix(trace, before),
        stream_matrix(trace, after),
        _moments(trace, before, query, is_rms=is_rms),
        _moments(trace, after, query, is_rms=is_rms),
    )


def hidden_view(trace: Trace, key: str, query: int, neuron: int) -> HiddenView:
    """The hidden layer at one of its steps, around a token and a neuron."""
    ffn = key.rpartition(".")[0]
    stages = hidden_keys(trace, ffn)
    values = {stage: trace.part(stage) for stage in stages}
    limit = signed_scale(*values.values()).limit
    whole = _matrix(trace, key, values[key], limit)
    rows = Axis("", tuple(stage.rpartition(".")[2] for stage in stages))
    token = trace.rows_of(key).label(query)
    strips = Matrix(
        np.stack([values[stage][query] for stage in stages]),
        rows,
        feature_axis(trace.config.d_ff, f"{token} · neuron"),
        whole.scale,
        "feed_forward",
    )
    active = values[stages[-1]]
    return HiddenView(
        whole,
        strips,
        stages,
        strongest_neurons(trace, ffn, query),
        # Behind a gate the sign says nothing of how far a neuron is on.
        _strongest(np.abs(active[:, neuron]) if len(stages) > 2 else active[:, neuron]),
        _bend(trace, ffn, neuron),
        _equation(trace, stages, (query, neuron)),
        _silence(trace, active[query]),
    )


@may_be_broken
def strongest_neurons(trace: Trace, ffn: str, query: int) -> tuple[Neuron, ...]:
    """The neurons of a token by the length of what they write into the stream.

    A neuron writes its activation times its row of W_2; the lengths do not add up to
    that of the whole output, since rows may point against each other.
    """
    stages = hidden_keys(trace, ffn)
    values = np.stack([trace.part(stage, (query,)) for stage in stages], axis=1)
    written = np.abs(values[:, -1]) * lengths(trace.part(f"{ffn}.W_2"))
    whole = float(lengths(trace.part(f"{ffn}.out", (query,))))
    shares = written / whole if whole > 0 else np.zeros_like(written)
    return tuple(
        Neuron(index, tuple(values[index].tolist()), float(shares[index]))
        for index in _strongest(written)
    )


@may_be_broken
def out_view(trace: Trace, key: str, query: int, feature: int) -> OutView:
    """The product active x W_2, and what makes one number of it."""
    ffn = key.rpartition(".")[0]
    active = stream_matrix(trace, f"{ffn}.active")
    row = active.values[query]
    column = trace.part(f"{ffn}.W_2", (None, feature))
    effects = row * column
    return OutView(
        active,
        _weight(trace, f"{ffn}.W_2"),
        stream_matrix(trace, key),
        (row, column, effects),
        _strongest(np.abs(effects)),
        _total(trace, key, (query, feature), float(effects.sum())),
    )


def _matrix(trace: Trace, key: str, values: FloatArray, limit: float) -> Matrix:
    columns = feature_axis(values.shape[1], _column_name(trace, key))
    scale = signed_scale(np.array([limit], dtype=np.float32))
    rows = row_axis(trace, key)
    return Matrix(values, rows, columns, scale, role_of(key), key)


def _column_name(trace: Trace, key: str) -> str:
    return "neuron" if trace.step(key).axes[-1] == "d_ff" else "feature"


def _weight(trace: Trace, address: str) -> Matrix:
    values = trace.part(address)
    n_rows, n_columns = values.shape
    return Matrix(
        values,
        feature_axis(n_rows, "neuron"),
        feature_axis(n_columns),
        signed_scale(values),
        role_of(address),
        address,
    )


@may_be_broken
def _moments(trace: Trace, key: str, query: int, *, is_rms: bool) -> str:
    row = trace.part(key, (query,)).astype(np.float64)
    token = trace.rows_of(key).label(query)
    if is_rms:
        return f"{token}: root mean square {_rounded(sqrt((row**2).mean()))}"
    return f"{token}: mean {_rounded(row.mean())}, deviation {_rounded(row.std())}"


def _rounded(value: float) -> str:
    """A figure of a row; what is left of 0 by rounding alone is written as 0."""
    return short(round(float(value), 4) + 0.0)


def _strongest(values: FloatArray) -> tuple[int, ...]:
    """The places of the largest values, at most N_LISTED. Equal ones stay in order."""
    order = np.argsort(-values, kind="stable")[:N_LISTED]
    return tuple(order.tolist())


def _bend(trace: Trace, ffn: str, neuron: int) -> Bend:
    """The curve, computed by the function of the forward pass itself."""
    import torch

    from core.model.functions import ACTIVATIONS

    argument = "gate" if trace.config.gated else "hidden"
    values = trace.part(f"{ffn}.{argument}", (None, neuron))
    finite = values[np.isfinite(values)]
    low = min(-LEAST_REACH, float(finite.min(initial=0.0)))
    high = max(LEAST_REACH, float(finite.max(initial=0.0)))
    grid = np.linspace(low, high, N_SAMPLES, dtype=np.float32)
    x = np.unique(np.concatenate((grid, finite)))
    bent = ACTIVATIONS[trace.config.activation](torch.from_numpy(x))
    dots = np.minimum(np.searchsorted(x, values), len(x) - 1)
    name = ACTIVATION_NAMES[trace.config.activation]
    return Bend(name, argument, x, bent.numpy(), tuple(dots.tolist()))


def _equation(trace: Trace, stages: tuple[str, ...], place: tuple[int, int]) -> str:
    numbers = [short(trace.value(stage, place)) for stage in stages]
    name = ACTIVATION_NAMES[trace.config.activation]
    factor = f"({numbers[1]})" if numbers[1].startswith(MINUS) else numbers[1]
    between = f" × {factor}" if trace.config.gated else ""
    return f"{name}({numbers[0]}){between} = {numbers[-1]}"


def _silence(trace: Trace, active: FloatArray) -> str:
    if trace.config.activation == "relu":
        n_silent, words = int((active == 0).sum()), "are exactly 0"
    else:
        n_silent = int((np.abs(active) < QUIET).sum())
        words = f"are within {QUIET} of 0"
    return f"{n_silent} of {len(active)} neurons {words}"


def _total(trace: Trace, key: str, place: tuple[int, int], total: float) -> str:
    _, feature = place
    words = (
        f"The lit row of active meets column {feature + 1} of W_2. "
        f"The {trace.config.d_ff} products add up to {short(total, 4)}"
    )
    if not trace.config.bias:
        return f"{words}."
    bias = short(trace.value(f"{key.rpartition('.')[0]}.b_2", (feature,)), 4)
    return (
        f"{words}; with the bias {bias} they make {short(trace.value(key, place), 4)}."
    )
