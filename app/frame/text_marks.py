"""Which tokens of a text are the query and the key, and how a field of text wears them.

The texts of the window are known by the side of the model that reads them: "encoder",
"decoder", or "" where there is one stack, and so one text.
"""

from app.session import Session
from app.style.theme import theme
from app.widgets.text_field import TextField
from core.tokenizers.base import Encoding
from core.trace.selection import sides_at
from core.trace.step import DECODER, ENCODER, ONE

Pair = tuple[int | None, int | None]


def side_of_text(session: Session, *, is_target: bool) -> str:
    """The side that reads the sentence, or the target so far."""
    if not session.has_target:
        return ONE
    return DECODER if is_target else ENCODER


def sides_now(session: Session) -> tuple[str, str]:
    """Whose tokens the query and the key of the present step are."""
    query, key = sides_at(session.selection.step)
    written = DECODER if session.has_target else ONE
    return query or written, key or written


def places_on(session: Session, side: str, query: int | None, key: int | None) -> Pair:
    """Of a query and a key those that are tokens of a side; None for the other."""
    of_query, of_key = sides_now(session)
    return (query if of_query == side else None), (key if of_key == side else None)


def mark_tokens(field: TextField, encoding: Encoding, places: Pair) -> None:
    """Colour a query and a key in a text, the query over the key."""
    stretches = []
    for place, name in zip(reversed(places), ("key", "query"), strict=True):
        if place is not None and place < len(encoding.pieces):
            start, stop = encoding.pieces[place].char_span
            colours = theme().colour(f"{name}_soft"), theme().colour(name)
            stretches.append((start, stop, *colours))
    field.mark(tuple(stretches))
