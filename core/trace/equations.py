"""The formula of a step with the numbers of one cell filled in, in LaTeX.

One function per op, taking what the cell's operands are: arrays in the order of the
step's inputs. Long sums show their largest terms and the sum of the rest.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.needs import SUMS_OF_PRODUCTS
from core.trace.numbers import bracketed, by_size, largest, latex, may_be_broken
from core.trace.steps import ACTIVATION_NAMES, Step

Values = Sequence[NDArray[Any]]
Writer = Callable[[tuple[int, ...], Values], str]

SUM_TERMS = 3
SOFTMAX_TERMS = 5


def equation(
    step: Step, index: tuple[int, ...], values: Values, activation: str
) -> str:
    """The right-hand side of "this number = ..."; a gate names its activation."""
    if step.op in SUMS_OF_PRODUCTS:
        return _products(step.op, values)
    if step.op == "lookup":
        return _looked_up(step.inputs[1].rpartition(".")[2], index, values)
    if step.op.startswith("relative_bias"):
        return _shifted(values)
    if step.op == "gate":
        return _gated(ACTIVATION_NAMES[activation], values)
    return WRITERS[step.op](index, values)


@may_be_broken
def products(op: str, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The terms of a sum of products; what has no share adds nothing, even NaN."""
    if op in ("mix", "weigh_experts"):
        return np.where(left == 0, 0.0, left * right)
    return np.asarray(left * right)


def _products(op: str, values: Values) -> str:
    left, right, *bias = values
    terms = products(op, left, right)
    order = by_size(terms)
    shown, others = order[:SUM_TERMS], order[SUM_TERMS:]
    firsts = [latex(left[i]) for i in shown[:1]]  # nothing stands before this one
    firsts += [bracketed(left[i]) for i in shown[1:]]
    parts = [
        rf"{first} \cdot {bracketed(right[i])}"
        for first, i in zip(firsts, shown, strict=True)
    ]
    if len(others):
        rest = bracketed(float(terms[others].sum()))
        parts.append(rf"\underbrace{{{rest}}}_{{{len(others)} \text{{ more}}}}")
    parts += [bracketed(float(b[0])) for b in bias]
    return " + ".join(parts)


def _one(index: tuple[int, ...], values: Values) -> str:
    return latex(values[0][0])


def _looked_up(table: str, index: tuple[int, ...], values: Values) -> str:
    """A row by its id, as ids are counted; the feature from 1, as features are."""
    row, feature = int(values[0][0]), index[1] + 1
    return rf"{table}[{row}]_{{{feature}}} = {latex(values[1][0])}"


def _shifted(values: Values) -> str:
    """A number of a table, by how far the key is from the query."""
    query, key, shift = (float(each[0]) for each in values[:3])
    distance = rf"{int(key)} - {int(query)}"
    return rf"W_B[\text{{bucket}}({distance})] = {latex(shift)}"


def _sum(index: tuple[int, ...], values: Values) -> str:
    first, *others = values
    return " + ".join([latex(first[0]), *(bracketed(each[0]) for each in others)])


def _times_root(index: tuple[int, ...], values: Values) -> str:
    return rf"{latex(values[0][0])} \cdot \sqrt{{{int(values[1][0])}}}"


def _over_root(index: tuple[int, ...], values: Values) -> str:
    return rf"\frac{{{latex(values[0][0])}}}{{\sqrt{{{int(values[1][0])}}}}}"


def _wave(index: tuple[int, ...], values: Values) -> str:
    position, d_model, base = int(values[0][0]), int(values[1][0]), values[2][0]
    name = r"\sin" if index[1] % 2 == 0 else r"\cos"
    exponent = rf"{2 * (index[1] // 2)} / {d_model}"
    return rf"{name}\frac{{{position}}}{{{float(base):g}^{{{exponent}}}}}"


def _half_wave(index: tuple[int, ...], values: Values) -> str:
    """The first half of a row are sines, the other cosines."""
    n_sines = (int(values[1][0]) + 1) // 2
    feature = index[1]
    is_sine = feature < n_sines
    place = 2 * feature if is_sine else 2 * (feature - n_sines) + 1
    return _wave((index[0], place), values)


def _layer_norm(index: tuple[int, ...], values: Values) -> str:
    row, eps, gamma = values[:3]
    top = f"{latex(row[index[1]])} - {bracketed(float(row.mean()))}"
    bottom = rf"\sqrt{{{latex(float(row.var()))} + {_eps(eps)}}}"
    text = rf"\frac{{{top}}}{{{bottom}}} \cdot {bracketed(gamma[0])}"
    return text + "".join(f" + {bracketed(beta[0])}" for beta in values[3:])


def _rms_norm(index: tuple[int, ...], values: Values) -> str:
    row, eps, gamma = values
    bottom = rf"\sqrt{{{latex(float((row**2).mean()))} + {_eps(eps)}}}"
    return rf"\frac{{{latex(row[index[-1]])}}}{{{bottom}}} \cdot {bracketed(gamma[0])}"


def _eps(eps: NDArray[Any]) -> str:
    return latex(float(eps[0]), 1)


def _turned(scaling: str, index: tuple[int, ...], values: Values) -> str:
    from core.model.rotation import SLOWED, speeds

    row, position, base, *stretched = values
    half, feature = len(row) // 2, index[2]
    is_low = feature < half
    plain = speeds(half, float(base[0]))
    speed = SLOWED[scaling](plain, *(float(each[0]) for each in stretched))
    angle = float(position[0]) * float(speed[feature % half])
    partner = row[feature + half if is_low else feature - half]
    sign = "-" if is_low else "+"
    return (
        rf"{latex(row[feature])} \cos {latex(angle)} {sign} "
        rf"{bracketed(partner)} \sin {latex(angle)}"
    )


def _masked(index: tuple[int, ...], values: Values) -> str:
    added = "0" if values[1][0] else r"(-\infty)"
    return f"{latex(values[0][0])} + {added}"


def _softmax(index: tuple[int, ...], values: Values) -> str:
    row = values[0]
    own = index[-1]
    allowed = np.flatnonzero(row > -math.inf)
    if not len(allowed):
        return "0"
    shown = allowed[largest(row[allowed], SOFTMAX_TERMS)]
    if own not in shown and row[own] > -math.inf:
        shown = np.append(shown[: SOFTMAX_TERMS - 1], own)
    powers = [rf"e^{{{latex(row[i])}}}" for i in sorted(shown)]
    dots = [r"\dots"] if len(allowed) > len(shown) else []
    return rf"\frac{{e^{{{latex(row[own])}}}}}{{{' + '.join(powers + dots)}}}"


def _chosen(index: tuple[int, ...], values: Values) -> str:
    """Its share over those of all that were chosen."""
    row, n_chosen = values[0], int(values[1][0])
    chosen = np.sort(np.argsort(-row, kind="stable")[:n_chosen])
    if index[-1] not in chosen:
        return r"0 \quad \text{not chosen}"
    below = " + ".join(latex(row[place]) for place in chosen)
    return rf"\frac{{{latex(row[index[-1]])}}}{{{below}}}"


def _tanh(index: tuple[int, ...], values: Values) -> str:
    return rf"\tanh({latex(values[0][0])})"


def _relu(index: tuple[int, ...], values: Values) -> str:
    return rf"\max(0, \; {latex(values[0][0])})"


def _gelu(index: tuple[int, ...], values: Values) -> str:
    x = float(values[0][0])
    below = 0.5 * math.erfc(-x / math.sqrt(2))
    return rf"{latex(x)} \cdot \Phi({latex(x)}) = {latex(x)} \cdot {latex(below)}"


def _gelu_tanh(index: tuple[int, ...], values: Values) -> str:
    x = latex(values[0][0])
    inner = rf"\sqrt{{2 / \pi}} \cdot ({x} + 0.044715 \cdot ({x})^3)"
    return rf"\frac{{{x}}}{{2}} \cdot \left(1 + \tanh\left({inner}\right)\right)"


def _silu(index: tuple[int, ...], values: Values) -> str:
    x = float(values[0][0])
    return rf"\frac{{{latex(x)}}}{{1 + e^{{{latex(-x)}}}}}"


def _gated(bend: str, values: Values) -> str:
    gate, hidden = latex(values[0][0]), bracketed(values[1][0])
    return rf"\text{{{bend}}}({gate}) \cdot {hidden}"


def _largest(index: tuple[int, ...], values: Values) -> str:
    best = int(values[0].argmax())
    return rf"\text{{argmax}} = {best}, \quad p = {latex(float(values[0][best]))}"


WRITERS: dict[str, Writer] = {
    "same": _one,
    "concat": _one,
    "add": _sum,
    "scale_embedding": _times_root,
    "scale": _over_root,
    "sinusoid": _wave,
    "sinusoid_halves": _half_wave,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "norm_heads": _rms_norm,
    "rotate": partial(_turned, "none"),
    "rotate_linear": partial(_turned, "linear"),
    "rotate_llama3": partial(_turned, "llama3"),
    "mask": _masked,
    "softmax": _softmax,
    "choose": _chosen,
    "first_row": _one,
    "tanh": _tanh,
    "relu": _relu,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "silu": _silu,
    "largest": _largest,
}
