"""How a number is written for a person, and what is done where it is none."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.step import name_of

MINUS = "\u2212"
WHOLE_NUMBERS = (
    "tokens.ids",
    "output.pick",
    "positions",
    "segments",
    "mask",
    "cross_mask",
    "config.d_",
    "config.relative_",
)
"""How names begin whose numbers count or say yes or no."""

may_be_broken = np.errstate(invalid="ignore", over="ignore")
"""Decorates what measures a model's numbers: where these are infinite, or too large to
be squared, NaN and infinity come out, which is shown and needs no warning."""


def short(x: float, digits: int = 3) -> str:
    """A number with about `digits` figures and a real minus sign: "−0.0205", "−∞"."""
    if math.isnan(x):
        return "not a number"
    if math.isinf(x):
        return "∞" if x > 0 else f"{MINUS}∞"
    size = abs(x)
    if size != 0 and not 1e-4 <= size < 1e6:
        return f"{x:.{digits - 1}e}".replace("-", MINUS)
    before = max(1, math.floor(math.log10(size)) + 1) if size else 1
    # Leading zeros behind the point are not figures: 0.0205 has three.
    zeros = max(0, -math.floor(math.log10(size)) - 1) if size else 0
    text = f"{x:.{max(0, digits - before + (zeros if size < 1 else 0))}f}"
    return text.replace("-", MINUS)


def is_whole(address: str) -> bool:
    """Whether the numbers at an address are written without a point."""
    return name_of(address).startswith(WHOLE_NUMBERS)


def brief(x: float, digits: int = 3) -> str:
    """As `short`, for a narrow column: what is not a number is "NaN"."""
    return "NaN" if math.isnan(x) else short(x, digits)


def number_text(address: str, x: float, digits: int = 3) -> str:
    """A number as its kind is written: "704", "−0.0205"."""
    return str(int(x)) if is_whole(address) else brief(x, digits)


def latex(x: float, digits: int = 3) -> str:
    """A number of so many figures for a formula: -0.0205, or the signs for infinity."""
    if math.isnan(x):
        return r"\text{NaN}"
    if math.isinf(x):
        return r"\infty" if x > 0 else r"-\infty"
    # `short` does not count the zero before the point; a sum shows what it leaves out.
    is_below_one = 1e-4 <= abs(x) < 1
    text = short(x, digits + is_below_one).replace(MINUS, "-")
    mantissa, has_exponent, exponent = text.partition("e")
    if has_exponent:
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    return text


def bracketed(x: float, digits: int = 3) -> str:
    """A LaTeX number that may stand behind an operator: negative ones in brackets."""
    text = latex(x, digits)
    return f"({text})" if text.startswith("-") else text


def place_name(address: str, index: Sequence[int | None]) -> str:
    """An address with its place as code writes it: "layers.0.attn.q[1, 2, :]"."""
    places = ", ".join(":" if place is None else str(place) for place in index)
    return f"{address}[{places}]" if index else address


def largest(values: NDArray[Any], n: int) -> NDArray[np.intp]:
    """The places of the `n` largest values, falling; equal ones in order, NaN last.

    As `argsort(-values, kind="stable")[:n]`, which takes ten times as long for all the
    logits of a vocabulary.
    """
    if not 0 < n < len(values):
        return np.argsort(-values, kind="stable")[:n]
    falling = -values
    bound = np.partition(falling, n - 1)[n - 1]
    if np.isnan(bound):
        return np.argsort(falling, kind="stable")[:n]
    places = np.flatnonzero(falling <= bound)
    return places[np.argsort(falling[places], kind="stable")][:n]


def by_size(terms: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
    """The places of terms, the largest first; before them those that are no numbers."""
    sizes = np.where(np.isnan(terms), np.inf, np.abs(terms))
    return np.argsort(-sizes, kind="stable")
