"""Where a number comes from: its operands, the arithmetic, and the proof.

`explain(trace, address, index)` gathers exactly the operands of one cell, runs the op
of its step on them alone, and sets the result beside what the pass computed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.errors import MissingWeightError, TraceError
from core.trace.broken import broken_note
from core.trace.equations import equation, products
from core.trace.given import given_note
from core.trace.needs import SUMS_OF_PRODUCTS, Index, input_letters, places
from core.trace.numbers import may_be_broken
from core.trace.printed import printed
from core.trace.statistics import STATISTICS, is_statistic, parts_of, rows_of
from core.trace.steps import TOKEN_OPS, Step
from core.trace.trace import Trace

EDITED = "An edit set this number."


@dataclass(frozen=True, slots=True)
class Operand:
    """A number that took part: its step or weight, its index, its value."""

    address: str
    index: tuple[int, ...]
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Operands that lie in one row (or one place) of one array."""

    address: str
    index: Index
    """None where the operands run along an axis."""
    values: NDArray[Any]
    """[n_operands], float64."""

    def operand(self, place: int) -> Operand:
        """The operand at `place` along the row."""
        index = tuple(place if i is None else i for i in self.index)
        return Operand(self.address, index, float(self.values[place]))

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Operand]:
        return (self.operand(place) for place in range(len(self)))


class Term(NamedTuple):
    """One part of a sum: what is multiplied, and what it adds."""

    operands: tuple[Operand, ...]
    value: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a number is what it is."""

    address: str
    index: tuple[int, ...]
    op: str
    """The function that made it; "given" for weights and what the person typed."""
    value: float
    """Computed anew from the operands alone, by the step's own function."""
    recorded: float
    """What the trace holds."""
    blocks: tuple[Block, ...]
    equation: str
    """LaTeX: the formula with this cell's numbers filled in."""
    note: str = ""
    """What there is to say where nothing is computed."""

    @property
    def difference(self) -> float:
        """Recomputed minus recorded; 0 where both are the same infinity, or none."""
        are_none = math.isnan(self.value) and math.isnan(self.recorded)
        if are_none or self.value == self.recorded:
            return 0.0
        return self.value - self.recorded

    @property
    def operands(self) -> list[Operand]:
        """Every operand: (step or weight, index, value)."""
        return [operand for block in self.blocks for operand in block]

    @cached_property
    @may_be_broken
    def contributions(self) -> NDArray[np.float64]:
        """What each term of the sum adds, in order; empty where it is no sum.

        For a softmax, the share each entry of the row takes.
        """
        if self.op in SUMS_OF_PRODUCTS:
            left, right, *bias = (block.values for block in self.blocks)
            return np.concatenate((products(self.op, left, right), *bias))
        if self.op in STATISTICS:
            rows = (block.values for block in self.blocks)
            return np.asarray(STATISTICS[self.op].terms(*rows))
        if self.op == "add":
            return np.concatenate([block.values for block in self.blocks])
        if self.op == "softmax":
            row = self.blocks[0].values
            if row.max() == -np.inf:  # it may look at nothing: there is no share
                return np.zeros_like(row)
            powers = np.exp(row - row.max())
            shares: NDArray[np.float64] = powers / powers.sum()
            return shares
        return np.empty(0)

    def term(self, place: int) -> Term:
        """The term at `place`: a product of two, a bias, or one entry of a row."""
        first = self.blocks[0]
        is_product = self.op in SUMS_OF_PRODUCTS and place < len(first)
        if is_product:
            parts = tuple(block.operand(place) for block in self.blocks[:2])
        elif self.op in STATISTICS:
            parts = tuple(block.operand(place) for block in self.blocks)
        elif self.op == "softmax":
            parts = (first.operand(place),)
        else:
            single = self.blocks[2 if self.op in SUMS_OF_PRODUCTS else place]
            parts = (single.operand(0),)
        return Term(parts, float(self.contributions[place]))

    @property
    def text(self) -> str:
        """The whole answer as plain lines: what is copied and what `print` prints."""
        return printed(self)

    def __str__(self) -> str:
        return self.text


def explain(trace: Trace, address: str, index: Index) -> Explanation:
    """Explain one number of a step or a weight, or a statistic of its rows.

    `index` has a place for every axis; of a statistic, for every row.
    """
    place = tuple(i for i in index if i is not None)
    if len(place) < len(index):
        raise TraceError(f"{address}: {place} is not one place; give all {len(index)}.")
    if is_statistic(address):
        return _measured(trace, address, place)
    if address not in trace.keys or trace.step(address).op in TOKEN_OPS:
        return _given(trace, address, place)
    step = trace.step(address)
    try:
        blocks = _blocks(trace, step, place)
    except MissingWeightError as error:
        return _unproven(trace, address, place, str(error))
    explanation = Explanation(
        address=address,
        index=place,
        op=step.op,
        value=float(trace.recomputed(address, place)),
        recorded=trace.value(address, place),
        blocks=blocks,
        equation=equation(
            step, place, [block.values for block in blocks], trace.config.activation
        ),
        note=EDITED if _is_edited(trace, address, place) else "",
    )
    return _with_warning(explanation, trace.config)


def _with_warning(explanation: Explanation, config: ModelConfig) -> Explanation:
    """The same; a number that is none, or infinite, is spoken of first."""
    warning = broken_note(explanation, config)
    if not warning:
        return explanation
    return replace(explanation, note=f"{warning} {explanation.note}".rstrip())


def _given(trace: Trace, address: str, index: tuple[int, ...]) -> Explanation:
    """A number that no step computed: a weight, an id, a position."""
    value = trace.value(address, index)
    note = given_note(trace, address, index)
    explanation = Explanation(address, index, "given", value, value, (), "", note)
    return _with_warning(explanation, trace.config)


def _unproven(
    trace: Trace, address: str, index: tuple[int, ...], reason: str
) -> Explanation:
    """A number that is recorded, of a trace that lacks the weights which made it."""
    value = trace.value(address, index)
    return Explanation(address, index, "given", value, value, (), "", reason)


def _measured(trace: Trace, address: str, index: tuple[int, ...]) -> Explanation:
    """A number that a panel made of rows, and once more of the same in float64."""
    op, _ = parts_of(address)
    rows = rows_of(address, index)
    exact = [trace.part(source, (place, None)) for source, place in rows]
    wide = [row.astype(np.float64) for row in exact]
    statistic = STATISTICS[op]
    explanation = Explanation(
        address=address,
        index=index,
        op=op,
        value=float(statistic.of(*wide)),
        recorded=float(statistic.of(*exact)),
        blocks=tuple(
            Block(source, (place, None), row)
            for (source, place), row in zip(rows, wide, strict=True)
        ),
        equation=statistic.equation(*wide),
    )
    return _with_warning(explanation, trace.config)


def _blocks(trace: Trace, step: Step, index: tuple[int, ...]) -> tuple[Block, ...]:
    indices = _EXACT.get(step.op, _by_letters)(trace, step, index)
    return tuple(
        Block(address, part, _numbers(trace, address, part))
        for address, part in zip(step.inputs, indices, strict=False)
        if address != "config.activation"
    )


def _numbers(trace: Trace, address: str, index: Index) -> NDArray[np.float64]:
    if address.startswith("config."):
        value = getattr(trace.config, address.removeprefix("config."))
        return np.array([value], dtype=np.float64)
    return np.asarray(trace.part(address, index), dtype=np.float64).reshape(-1)


def _by_letters(trace: Trace, step: Step, index: tuple[int, ...]) -> Sequence[Index]:
    at = places(step, index, trace.config)
    # A capital letter is a whole row of the input, but one place of weights beside it.
    row: list[Index] = []
    for i, letters in enumerate(input_letters(step.op)):
        if letters == "*":
            row.append(index)
        elif letters == "*!":
            row.append((*index[:-1], None))
        elif letters == ".":
            row.append(())
        else:
            row.append(
                tuple(None if c.isupper() and i == 0 else at.get(c) for c in letters)
            )
    return row


def _looked_up(trace: Trace, step: Step, index: tuple[int, ...]) -> Sequence[Index]:
    row = int(trace.value(step.inputs[0], index[:1]))
    return (index[:1], (row, index[1]))


def _in_bucket(trace: Trace, step: Step, index: tuple[int, ...]) -> Sequence[Index]:
    """Both places, and the number of the head in the row of their distance."""
    from torch import tensor

    from core.model.relative import bucket_of

    head, query, key = index
    places = trace.part(step.inputs[0])
    n_buckets, farthest = trace.shape(step.inputs[2])[0], trace.config.relative_distance
    distance = tensor(int(places[key]) - int(places[query]))
    is_both = step.op == "relative_bias"
    row = int(bucket_of(distance, n_buckets, farthest, is_both=is_both))
    return ((query,), (key,), (row, head), ())


def _side_by_side(trace: Trace, step: Step, index: tuple[int, ...]) -> Sequence[Index]:
    head, feature = divmod(index[1], trace.config.d_head)
    return ((head, index[0], feature),)


def _of_the_first(trace: Trace, step: Step, index: tuple[int, ...]) -> Sequence[Index]:
    return ((0, index[1]),)


_EXACT = {
    "lookup": _looked_up,
    "concat": _side_by_side,
    "first_row": _of_the_first,
    "relative_bias": _in_bucket,
    "relative_bias_back": _in_bucket,
}


def _is_edited(trace: Trace, address: str, index: tuple[int, ...]) -> bool:
    return any(
        edit.key == address
        and all(a in (None, b) for a, b in zip(edit.index, index, strict=False))
        for edit in trace.edits
    )
