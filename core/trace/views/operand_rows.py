"""The rows of operands that the inspector lists: one maker for each kind of op.

In: the `Explanation` of a cell. Out: rows, each operand a link to its own cell, the
largest terms of a sum first, and what the terms that are left out add up to.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.explain import Block, Explanation, Operand
from core.trace.matrix import Cell
from core.trace.needs import SUMS_OF_PRODUCTS
from core.trace.numbers import brief, by_size, largest, number_text
from core.trace.statistics import STATISTICS, lengths, statistic_cell
from core.trace.step import Step, name_of, on_side, side_of
from core.trace.trace import Trace
from core.trace.views.places import (
    FEATURES,
    LabelOf,
    Words,
    bare_name,
    place_text,
    place_words,
    token_label,
)
from core.trace.views.roles import role_of

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Link:
    """One number that took part, and the way to it."""

    text: str
    role: str
    """Theme colour."""
    cell: Cell | None = None
    """Where it comes from; None where there is nowhere to go."""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line: label, factors and what they make."""

    label: Words
    factors: tuple[Link, ...]
    result: str = ""
    """The product or the share; "" where the factor stands for itself."""
    is_own: bool = False
    """The line of the inspected cell itself, in a softmax."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the row makers need beside the explanation."""

    trace: Trace
    label_of: LabelOf
    n_terms: int

    def cut(self, order: Places) -> tuple[Places, Places]:
        """Terms that have a row, and those that are added up."""
        return order[: self.n_terms], order[self.n_terms :]

    def link(self, operand: Operand, digits: int = 3) -> Link:
        """The operand as a number, and the way to where it comes from."""
        address = operand.address
        text = number_text(address, operand.value, digits)
        if address.startswith("config."):
            return Link(text, "text")
        cell = Cell(address, operand.index)
        tip = place_text(self.trace, cell, self.label_of)
        return Link(text, role_of(address), cell, tip)


Made = tuple[list[Row], str, str]
"""Rows, and what is to say of the terms they leave out: words and their sum."""


def maker_of(op: str) -> Callable[[Explanation, Reading], Made]:
    """What lays out the operands of an op."""
    return _products if op in SUMS_OF_PRODUCTS else MAKERS.get(op, _operands)


def _products(explanation: Explanation, reading: Reading) -> Made:
    """The largest products of a long sum, and the biases beside them."""
    n_products = len(explanation.blocks[0])
    sums = explanation.contributions
    order = by_size(sums[:n_products])
    shown, others = reading.cut(order)
    biases = range(n_products, len(sums))
    rows = []
    for place in [*map(int, shown), *biases]:
        operands, value = explanation.term(place)
        links = tuple(map(reading.link, operands))
        is_product = len(links) > 1
        label = _term_label(explanation, reading, place) if is_product else _BIAS
        rows.append(Row(label, links, brief(value) if is_product else ""))
    if not len(others):
        return rows, "", ""
    return rows, f"{len(others):,} more", brief(float(sums[others].sum()))


_BIAS = Words("bias")


def _term_label(explanation: Explanation, reading: Reading, place: int) -> Words:
    """What the terms of this sum run over: tokens, features or neurons."""
    block = explanation.blocks[0]
    step = reading.trace.step(block.address)
    return _place_label(step, step.axes[block.index.index(None)], reading, place)


def _place_label(step: Step, axis: str, reading: Reading, place: int) -> Words:
    """A place on an axis: a token looked at, one of the vocabulary, a feature."""
    if axis == "n_key":
        label = token_label(reading.trace, place, step.side_of(axis))
        return Words(label, "key")
    if axis == "n_vocab":
        return Words(reading.label_of(place), "accent")
    return Words(f"{FEATURES[axis]} {place + 1}")


def _shares(explanation: Explanation, reading: Reading) -> Made:
    """The entries of a softmax row that take most, in order, and always the cell's."""
    block, shares = explanation.blocks[0], explanation.contributions
    own = explanation.index[-1]
    allowed = np.flatnonzero(block.values > -np.inf)
    shown = allowed[largest(shares[allowed], reading.n_terms)].tolist()
    if own not in shown:
        shown = [*shown[: reading.n_terms - 1], own]
    step = reading.trace.step(explanation.address)
    axis = step.axes[-1]
    rows = []
    for place in shown if axis == "n_vocab" else sorted(shown):
        label = _place_label(step, axis, reading, place)
        link = reading.link(block.operand(place), 4)
        rows.append(Row(label, (link,), _share(shares[place]), place == own))
    left = np.setdiff1d(allowed, shown, assume_unique=True)
    if not len(left):
        return rows, "", ""
    return rows, f"{len(left):,} more", _share(shares[left].sum())


def _share(share: float) -> str:
    """A share with three places, for comparing down a column; 0.000 is 0 alone."""
    if share >= 0.0005 or share == 0:
        return f"{share:.3f}"
    return f"{share:.4f}" if share >= 1e-4 else brief(share, 1)


def _norm(explanation: Explanation, reading: Reading) -> Made:
    """The number itself, what the row's numbers come to, and the learned scales."""
    row, eps, *learned = explanation.blocks
    is_rms = explanation.op != "layer_norm"
    own = Row(Words("this number"), (reading.link(row.operand(explanation.index[-1])),))
    n = len(row)
    facts = (
        [("mean square", float((row.values**2).mean()))]
        if is_rms
        else [("mean", float(row.values.mean())), ("variance", float(row.values.var()))]
    )
    rows = [own]
    rows += [
        Row(Words(f"{name} of {n}"), (Link(brief(value), "text"),))
        for name, value in facts
    ]
    rows.append(Row(Words("ε"), (reading.link(eps.operand(0), 1),)))
    for block, sign in zip(learned, ("γ", "β"), strict=False):
        rows.append(Row(Words(sign), (reading.link(block.operand(0)),)))
    return rows, "", ""


def _rotated(explanation: Explanation, reading: Reading) -> Made:
    """The two numbers that are turned together, and where."""
    row, *settings = explanation.blocks
    half, feature = len(row) // 2, explanation.index[-1]
    partner = feature + half if feature < half else feature - half
    rows = [
        Row(Words(f"feature {place + 1}"), (reading.link(row.operand(place)),))
        for place in (feature, partner)
    ]
    rows += [line for setting in settings for line in _plain(setting, reading)]
    return rows, "", ""


def _shifted(explanation: Explanation, reading: Reading) -> Made:
    """Where query and key stand, and the number for so large a distance."""
    query, key, *others = explanation.blocks
    rows = []
    for block, role in ((query, "query"), (key, "key")):
        place = block.operand(0)
        label = token_label(reading.trace, place.index[0], side_of(block.address))
        rows.append(Row(Words(f"{label} at", role), (reading.link(place),)))
    rows += [row for block in others for row in _plain(block, reading)]
    return rows, "", ""


def _picked(explanation: Explanation, reading: Reading) -> Made:
    """The likeliest tokens, best first."""
    block = explanation.blocks[0]
    shown = largest(block.values, reading.n_terms).tolist()
    others = np.delete(np.arange(len(block)), shown)
    rows = []
    for rank, place in enumerate(shown):
        link = reading.link(block.operand(place))
        label = Words(reading.label_of(place), "accent")
        rows.append(Row(label, (link,), is_own=rank == 0))
    if not len(others):
        return rows, "", ""
    return rows, f"{len(others):,} more", brief(float(block.values[others].sum()))


def _statistic(explanation: Explanation, reading: Reading) -> Made:
    """The largest terms of the sum; under a cosine's products, the rows' lengths."""
    terms = explanation.contributions
    order = by_size(terms)
    shown, others = reading.cut(order)
    rows = []
    for place in map(int, shown):
        operands, value = explanation.term(place)
        label = _place_in_row(explanation.blocks[0].address, place, reading)
        links = tuple(map(reading.link, operands))
        rows.append(Row(label, links, brief(value)))
    if explanation.op == "cosine":
        is_one_source = len({block.address for block in explanation.blocks}) == 1
        rows += [
            _length(block, reading, is_named=not is_one_source)
            for block in explanation.blocks
        ]
    if not len(others):
        return rows, "", ""
    return rows, f"{len(others):,} more", brief(float(terms[others].sum()))


def _length(block: Block, reading: Reading, *, is_named: bool) -> Row:
    """A row's length, and the way to what makes it; by its step's name or its own."""
    cell = statistic_cell("length", (block.address, block.index[0] or 0))
    tip = place_text(reading.trace, cell, reading.label_of)
    size = brief(float(lengths(block.values)))
    link = Link(size, role_of(block.address), cell, tip)
    source, row = place_words(reading.trace, cell, reading.label_of)
    return Row(Words(f"length of {(source if is_named else row).text}"), (link,))


def _place_in_row(address: str, place: int, reading: Reading) -> Words:
    """What a place along a row is called."""
    trace = reading.trace
    axis = trace.step(address).axes[-1] if address in trace.keys else "d_model"
    if axis == "n_vocab":
        return Words(reading.label_of(place), "accent")
    return Words(f"{FEATURES[axis]} {place + 1}")


def _in_the_text(explanation: Explanation, reading: Reading) -> Made:
    """From an id the way leads to the text; from anything else given, nowhere."""
    address = explanation.address
    if name_of(address) != "tokens.ids":
        return [], "", ""
    tokens, place = reading.trace.tokens(side_of(address)), explanation.index[0]
    cell = Cell(on_side(address, "tokens.pieces"), ())
    link = Link(f"token {place + 1} of {tokens.n}", "accent", cell, "To the text")
    return [Row(Words("in the text"), (link,))], "", ""


def _operands(explanation: Explanation, reading: Reading) -> Made:
    """Every operand as it is."""
    return [r for block in explanation.blocks for r in _plain(block, reading)], "", ""


def _plain(block: Block, reading: Reading) -> list[Row]:
    address = block.address
    said = NAMES.get(name_of(address))
    name = Words(said) if said else Words(bare_name(address), role_of(address))
    return [Row(name, (reading.link(operand, 4),)) for operand in block]


NAMES = {
    "config.d_head": "d_head",
    "config.d_model": "d_model",
    "config.sinusoid_base": "base",
    "config.relative_distance": "one row from",
    "config.rotary_base": "base",
    "config.rotary_factor": "slowed by",
    "config.rotary_low": "slow below",
    "config.rotary_high": "kept above",
    "config.rotary_n_ctx": "turns in",
    "positions": "position",
    "segments": "segment",
    "mask": "may look (1 yes, 0 no)",
    "cross_mask": "may look (1 yes, 0 no)",
    "tokens.ids": "id",
}
"""What operands that are no step are called, by their names without a side."""

MAKERS: dict[str, Callable[[Explanation, Reading], Made]] = {
    "softmax": _shares,
    "layer_norm": _norm,
    "rms_norm": _norm,
    "norm_heads": _norm,
    "rotate": _rotated,
    "rotate_linear": _rotated,
    "rotate_llama3": _rotated,
    "relative_bias": _shifted,
    "relative_bias_back": _shifted,
    "largest": _picked,
    "given": _in_the_text,
    **dict.fromkeys(STATISTICS, _statistic),
}
"""Ops whose operands need more than a plain list."""
