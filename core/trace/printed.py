"""An explanation as plain text: what "copy as text" copies and `print` prints.

In: an `Explanation`. Out: its address and number, what there is to say, the equation,
the operands with their addresses, and the proof. Of a long sum the largest terms are
spelled out and the rest is added up; of a long row, the entries the cell is about.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from core.trace.needs import SUMS_OF_PRODUCTS
from core.trace.numbers import by_size, number_text, place_name, short
from core.trace.plain import plain
from core.trace.proof import proof_lines

if TYPE_CHECKING:
    from core.trace.explain import Block, Explanation, Operand

SHOWN_TERMS = 6
"""Terms of a long sum that are spelled out."""
NUMBER_WIDTH, LABEL_WIDTH = 12, 12
SHORT_ROW = 2
"""A row of operands of this length is spelled out."""


def printed(explanation: "Explanation") -> str:
    """The whole answer as lines."""
    return "\n".join(_lines(explanation))


def _lines(explanation: "Explanation") -> Iterator[str]:
    own = place_name(explanation.address, explanation.index)
    yield f"{own} = {explanation.recorded:.7g}    ({explanation.op})"
    if explanation.note:
        yield f"  {explanation.note}"
    if explanation.equation:
        yield f"  = {plain(explanation.equation)}"
    is_sum = len(explanation.contributions) > 0
    yield from _term_lines(explanation) if is_sum else _operand_lines(explanation)
    proof = proof_lines(explanation)
    width = max((len(line.text) for line in proof), default=0)
    for label, text in proof:
        yield f"  {label:<{LABEL_WIDTH}}{text:>{width}}"


def _term_lines(explanation: "Explanation") -> Iterator[str]:
    """The largest terms of a sum and its bias; of a softmax always the cell's own."""
    terms = explanation.contributions
    shown = _shown_terms(explanation)
    for place in shown:
        operands, value = explanation.term(place)
        yield _line(short(value, 4), " × ".join(map(_factor, operands)))
    left = np.setdiff1d(np.arange(len(terms)), shown)
    if len(left):
        yield _line(short(float(terms[left].sum()), 4), f"{len(left):,} more")


def _shown_terms(explanation: "Explanation") -> list[int]:
    shown = [int(place) for place in by_size(explanation.contributions)]
    if explanation.op == "softmax":
        always = [explanation.index[-1]]
    elif explanation.op in SUMS_OF_PRODUCTS:
        always = list(range(len(explanation.blocks[0]), len(shown)))
    else:
        always = []
    shown = shown[:SHOWN_TERMS]
    return shown + [place for place in always if place not in shown]


def _operand_lines(explanation: "Explanation") -> Iterator[str]:
    """Every operand; of a long row those the cell is about, and how many there are."""
    for block in explanation.blocks:
        if len(block) <= SHORT_ROW:
            shown = list(range(len(block)))
        else:
            shown = PLACES.get(explanation.op, _own)(explanation, block)
        for place in shown:
            operand = block.operand(place)
            name = place_name(operand.address, operand.index)
            yield _line(number_text(block.address, operand.value, 4), name)
        if len(shown) < len(block):
            n_left = len(block) - len(shown)
            row = place_name(block.address, block.index)
            yield f"  {'':>{NUMBER_WIDTH}}  {n_left} more of {row}"


def _own(explanation: "Explanation", block: "Block") -> list[int]:
    """The entry at the cell's own place, as in a norm."""
    return [explanation.index[-1]]


def _turned(explanation: "Explanation", block: "Block") -> list[int]:
    """The two features that are turned together."""
    feature, half = explanation.index[-1], len(block) // 2
    return [feature, feature + half if feature < half else feature - half]


def _likeliest(explanation: "Explanation", block: "Block") -> list[int]:
    """The largest entries, the picked one first."""
    order = np.argsort(-block.values, kind="stable")
    return [int(place) for place in order[:SHOWN_TERMS]]


PLACES: dict[str, Callable[["Explanation", "Block"], list[int]]] = {
    "rotate": _turned,
    "rotate_linear": _turned,
    "rotate_llama3": _turned,
    "largest": _likeliest,
}
"""Which entries of a long row are spelled out, by op; elsewhere the cell's own."""


def _line(number: str, words: str) -> str:
    return f"  {number:>{NUMBER_WIDTH}}  {words}"


def _factor(operand: "Operand") -> str:
    name = place_name(operand.address, operand.index)
    return f"{name} ({short(operand.value, 4)})"
