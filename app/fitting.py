"""What becomes of the reader's place when the sentence changes under it."""

from dataclasses import replace

from core.trace.selection import Selection, clamped
from core.trace.step import side_of
from core.trace.token_side import TokenSide
from core.trace.trace import Trace


def fitted(selection: Selection, trace: Trace, *, follows_end: bool) -> Selection:
    """The place in a new trace: the same, as far as it exists there.

    Where it `follows_end`, the query is the last token that the tokenizer did not put
    there itself, and a key right before the query stays right before it.
    """
    if follows_end:
        is_neighbour = selection.key == max(selection.query - 1, 0)
        selection = clamped(selection, trace)
        query = last_typed(trace.tokens(side_of(selection.step)))
        key = max(query - 1, 0) if is_neighbour else selection.key
        selection = replace(selection, query=query, key=key)
    return clamped(selection, trace)


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
