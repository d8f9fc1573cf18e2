"""Where a number comes from, laid out to be read: all that the inspector shows.

In: the `Explanation` of a cell. Out: where the number stands, its equation, the rows of
its operands, and the proof that the arithmetic gives the number.
"""

from dataclasses import dataclass

from core.trace.explain import Explanation
from core.trace.matrix import Cell
from core.trace.needs import SUMS_OF_PRODUCTS
from core.trace.numbers import number_text
from core.trace.proof import ProofLine, is_close, proof_lines
from core.trace.statistics import STATISTICS
from core.trace.step import layer_of
from core.trace.trace import Trace
from core.trace.views.operand_rows import Reading, Row, maker_of
from core.trace.views.places import (
    LabelOf,
    Words,
    bare_name,
    home_words,
    place_words,
    source_of,
)
from core.trace.views.roles import role_of
from core.trace.views.typeset import in_lines

N_TERMS = 6
"""Rows of a long sum at first; what is left is one row of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class InspectorView:
    """Everything the inspector shows of one number."""

    cell: Cell
    number: str
    name_words: tuple[Words, ...]
    """The step or weight: ("attn.pattern",)."""
    home: tuple[Words, ...]
    """In a layer of two sides: "decoder layer 2"; with `where` it is too long for one
    line."""
    where: tuple[Words, ...]
    """The layer and the place in it: ("layer 2", "head 1", "·sat", "→", "·cat")."""
    equation: str
    """LaTeX; "" where nothing was computed."""
    heads: tuple[Words, ...]
    """What stands in each column of numbers; none where there is but one."""
    rows: tuple[Row, ...]
    rest: str
    """What the terms that are not shown add up to: "186 more", "−0.0214"."""
    rest_value: str
    proof: tuple[ProofLine, ...]
    """Recomputed, recorded, difference; none where nothing was computed."""
    is_proven: bool
    """Whether recomputing gives what was recorded."""
    note: str
    explanation: Explanation

    @property
    def text(self) -> str:
        """The arithmetic as plain lines, to be copied; made when it is asked for."""
        return self.explanation.text


def inspector_view(
    trace: Trace, cell: Cell, label_of: LabelOf, n_terms: int = N_TERMS
) -> InspectorView:
    """Explain a cell; costs what deriving its operands costs.

    Of a long sum the `n_terms` largest terms have rows.
    """
    explanation = trace.explain(cell.key, cell.index)
    home, where = home_words(cell.key), place_words(trace, cell, label_of)
    is_in_layer = layer_of(source_of(cell.key)) is not None
    if not (trace.config.has_encoder and is_in_layer):
        home, where = (), (*home, *where)
    reading = Reading(trace, label_of, n_terms)
    maker = maker_of(explanation.op)
    rows, rest, rest_value = maker(explanation, reading)
    return InspectorView(
        cell=cell,
        number=number_text(cell.key, explanation.recorded, 4),
        name_words=(Words(bare_name(cell.key), role_of(cell.key)),),
        home=home,
        where=where,
        equation=in_lines(explanation.equation),
        heads=_heads(explanation),
        rows=tuple(rows),
        rest=rest,
        rest_value=rest_value,
        proof=proof_lines(explanation),
        is_proven=is_close(explanation.value, explanation.recorded),
        note=explanation.note,
        explanation=explanation,
    )


def _heads(explanation: Explanation) -> tuple[Words, ...]:
    """What the columns hold: ("q", "k", "product"), ("masked", "share")."""
    if explanation.op in STATISTICS:
        return tuple(map(Words, STATISTICS[explanation.op].heads))
    is_product = explanation.op in SUMS_OF_PRODUCTS
    if not is_product and explanation.op != "softmax":
        return ()
    blocks = explanation.blocks[: 2 if is_product else 1]
    names = (
        Words(block.address.rpartition(".")[2], role_of(block.address))
        for block in blocks
    )
    return *names, Words("product" if is_product else "share")
