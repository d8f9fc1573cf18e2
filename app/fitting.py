"""What becomes of the reader's place when the sentence changes under it."""

from dataclasses import replace

from core.trace.selection import Selection, chosen, clamped
from core.trace.step import CROSS, DECODER, ENCODER, part_of, side_of
from core.trace.token_side import TokenSide
from core.trace.trace import Trace

Ends = frozenset[str]
"""The sides on which the reader stays at the end while their text changes."""
BOTH_ENDS: Ends = frozenset((ENCODER, DECODER))
"""Of the source, and of the text that is written, also where it is the only one."""
WRITTEN_END: Ends = frozenset((DECODER,))


def fitted(selection: Selection, trace: Trace, ends: Ends) -> Selection:
    """The place in a new trace: the same, as far as it exists there.

    At one of the `ends` the chosen token is the last one that the tokenizer did not put
    there itself, and a key right before the query stays right before it.
    """
    is_neighbour = selection.key == max(selection.query - 1, 0)
    selection = clamped(selection, trace)
    step = trace.step(selection.step)
    query, key, other = selection.query, selection.key, selection.other
    if (ENCODER if step.side == ENCODER else DECODER) in ends:
        query = last_typed(trace.tokens(step.side))
        if is_neighbour and not step.is_cross:
            key = max(query - 1, 0)
    if step.side == ENCODER and DECODER in ends:
        other = last_typed(trace.tokens(DECODER))
    return clamped(replace(selection, query=query, key=key, other=other), trace)


def ends_left(ends: Ends, before: Selection, after: Selection) -> Ends:
    """The ends at which the reader still is after choosing other tokens."""
    moved = zip((ENCODER, DECODER), chosen(before), chosen(after), strict=True)
    left = {side for side, old, new in moved if old != new}
    sides = side_of_keys(before.step), side_of_keys(after.step)
    if before.key != after.key and sides[0] == sides[1]:
        left.add(sides[0])
    return ends - left


def side_of_keys(step: str) -> str:
    """The side, by its name among the ends, whose tokens are looked at in a step."""
    is_of_source = side_of(step) == ENCODER or part_of(step) == CROSS
    return ENCODER if is_of_source else DECODER


def last_typed(tokens: TokenSide) -> int:
    """The last token that the tokenizer did not put there itself."""
    pieces = enumerate(tokens.encoding.pieces)
    typed = (place for place, piece in pieces if not piece.is_added)
    return max(typed, default=tokens.n - 1)


def kept_inside(selection: Selection, trace: Trace) -> Selection:
    """A wished place, clamped to the trace.

    A number outside the step stays chosen where the trace has it: a wish may be from
    before, when the sentence was longer or the model another.
    """
    focus = selection.focus
    is_there = focus is not None and trace.has_number(focus.key, focus.index)
    return replace(clamped(selection, trace), focus=focus if is_there else None)
