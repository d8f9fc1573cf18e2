"""Numbers that panels work out of rows of the trace: lengths, cosines, entropies.

No step holds them, so each is addressed by what it is and the rows it is made of, such
as "length:layers.0.resid_mid" at (token,). In: rows of steps or weights. Out: the
number, the terms of its sum and its formula, for panels and for `explain` alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.matrix import Cell
from core.trace.numbers import bracketed, by_size, latex, may_be_broken

Numbers = NDArray[np.floating[Any]]
Row = tuple[str, int]
"""A step or weight, and a place on its first axis."""

SIGN, BETWEEN = ":", ","
"""What stands behind the statistic's name, and between its sources."""
SHOWN_TERMS = 3


@dataclass(frozen=True, slots=True)
class Statistic:
    """One kind of number made of one or two rows."""

    of: Callable[..., Numbers]
    """Rows [..., d] to numbers [...]."""
    terms: Callable[..., Numbers]
    """What each place of the rows adds to the sum: [d]."""
    equation: Callable[..., str]
    """The right-hand side in LaTeX, of rows [d]."""
    heads: tuple[str, ...]
    """What the columns of the terms are called: each row's number, and the term."""


@may_be_broken
def lengths(rows: Numbers) -> Numbers:
    """The root of every row's summed squares. [..., d] -> [...]."""
    return np.asarray(np.sqrt(np.einsum("...d,...d->...", rows, rows)))


@may_be_broken
def cosines(rows: Numbers, others: Numbers) -> Numbers:
    """How far every two rows point the same way; NaN where one is 0.

    [..., d], [..., d] -> [...]
    """
    whole = lengths(rows) * lengths(others)
    found = np.full_like(whole, np.nan)
    products = np.einsum("...d,...d->...", rows, others)
    np.divide(products, whole, out=found, where=whole > 0)
    return found


def entropies(shares: Numbers) -> Numbers:
    """The surprise to be expected of every row, in bits. [..., n] -> [...]."""
    return np.asarray(np.maximum(surprises(shares).sum(axis=-1), 0))


def surprises(shares: Numbers) -> Numbers:
    """What every share adds to the entropy: p log2(1 / p), 0 for 0. [..., n]."""
    bits = np.zeros_like(shares)
    np.log2(shares, where=shares > 0, out=bits)
    return np.asarray(0 - shares * bits)


@may_be_broken
def _squares(row: Numbers) -> Numbers:
    return row * row


@may_be_broken
def _products(row: Numbers, other: Numbers) -> Numbers:
    return row * other


def _length_equation(row: Numbers) -> str:
    return rf"\sqrt{{{_sum(_squares(row), lambda i: f'{bracketed(row[i])}^2')}}}"


def _cosine_equation(row: Numbers, other: Numbers) -> str:
    product = latex(float(_products(row, other).sum()))
    sizes = [latex(float(lengths(x))) for x in (row, other)]
    return rf"\frac{{{product}}}{{{sizes[0]} \cdot {sizes[1]}}}"


def _entropy_equation(shares: Numbers) -> str:
    def term(i: int) -> str:
        share = latex(shares[i])
        return rf"{share} \log_2 \tfrac{{1}}{{{share}}}"

    return _sum(surprises(shares), term)


def _sum(terms: Numbers, term: Callable[[int], str]) -> str:
    """The largest terms as they are, and what the others come to."""
    order = by_size(terms)
    shown, others = order[:SHOWN_TERMS], order[SHOWN_TERMS:]
    parts = [term(int(i)) for i in shown]
    if len(others):
        rest = bracketed(float(terms[others].sum()))
        parts.append(rf"\underbrace{{{rest}}}_{{{len(others)} \text{{ more}}}}")
    return " + ".join(parts)


STATISTICS: dict[str, Statistic] = {
    "length": Statistic(lengths, _squares, _length_equation, ("number", "square")),
    "cosine": Statistic(
        cosines, _products, _cosine_equation, ("one", "other", "product")
    ),
    "entropy": Statistic(entropies, surprises, _entropy_equation, ("p", "bits")),
}
"""Every kind, by the name that its addresses begin with."""


def statistic_cell(name: str, *rows: Row) -> Cell:
    """The address of a statistic of these rows."""
    sources, places = zip(*rows, strict=True)
    return Cell(f"{name}{SIGN}{BETWEEN.join(sources)}", places)


def is_statistic(address: str) -> bool:
    """Whether an address is that of a statistic, and of no step or weight."""
    name, sign, _ = address.partition(SIGN)
    return bool(sign) and name in STATISTICS


def parts_of(address: str) -> tuple[str, tuple[str, ...]]:
    """The statistic's name, and the steps or weights that its rows are from."""
    name, _, sources = address.partition(SIGN)
    return name, tuple(sources.split(BETWEEN))


def rows_of(address: str, index: Sequence[int]) -> tuple[Row, ...]:
    """The rows that a statistic is made of."""
    return tuple(zip(parts_of(address)[1], index, strict=True))
