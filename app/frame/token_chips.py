"""Tokens as chips: labels, ids, notes, and how each is dressed.

In: an `Encoding`. Out: what a `TokenStrip` shows. Nothing here knows the session.
"""

from dataclasses import replace

from app.widgets.chip import Chip, State
from core.tokenizers.base import Encoding, Piece

MOST_CHIPS = 4096
"""While no model says how many tokens it reads."""
BEYOND_NOTE = "More tokens than the model can read at once."
UNKNOWN_SUB = "no id"
UNKNOWN_NOTE = "The model has no token for this; its training text did not have it."
UNREAD_NOTE = "The model has written this token and not looked at it."
ADDED_NOTE = "The tokenizer puts it around every text; nobody typed it."
START_NOTE = "The model begins every target with it; nobody typed it."
STAND_IN_NOTE = "It stands for what the tokenizer has no token for."
SPACE_NOTE = "The dot is a space: it belongs to the token."


def chips_of(
    encoding: Encoding,
    most: int = MOST_CHIPS,
    n_typed: int = MOST_CHIPS,
    n_unread: int = 0,
    *,
    is_target: bool = False,
) -> tuple[Chip, ...]:
    """A chip a token; those that share a character stand in one bracket.

    Those behind the first `n_typed` are dressed as new, the last `n_unread` as unread.
    Tokens beyond the `most` that a model can read are counted by one chip at the end.
    The first of a target is the model's own.
    """
    bracket_of = {
        place: number
        for number, (start, stop) in enumerate(encoding.brackets)
        for place in range(start, stop)
    }
    first_unread = len(encoding.pieces) - n_unread
    chips = tuple(
        Chip(
            label=piece.label,
            sub=UNKNOWN_SUB if piece.is_unknown else str(piece.id),
            bracket=bracket_of.get(place),
            note=UNREAD_NOTE if place >= first_unread else note_of(piece),
            state=(
                "unread"
                if place >= first_unread
                else state_of(piece, is_new=place >= n_typed)
            ),
        )
        for place, piece in enumerate(encoding.pieces[:most])
    )
    n_more = len(encoding.pieces) - len(chips)
    more = (Chip("…", f"{n_more:,} more", note=BEYOND_NOTE),) if n_more else ()
    return (start_chip(chips[0]), *chips[1:], *more) if is_target else chips + more


def start_chip(chip: Chip) -> Chip:
    """The token that the model puts in front of a target."""
    return replace(chip, sub=f"{chip.sub} · start", note=START_NOTE, state="start")


def note_of(piece: Piece) -> str:
    """What the tip adds: no token, nobody's, part of a character, a space at the front.

    The first of these that is so.
    """
    if piece.is_unknown:
        return UNKNOWN_NOTE
    if piece.is_added:
        return ADDED_NOTE
    if piece.is_stand_in:
        return STAND_IN_NOTE
    if piece.part is not None:
        first, n_bytes = piece.part
        return f"from byte {first} of {n_bytes} of one character"
    return SPACE_NOTE if piece.data.startswith(b" ") and len(piece.data) > 1 else ""


def state_of(piece: Piece, *, is_new: bool) -> State:
    """How the chip is drawn."""
    if piece.is_unknown:
        return "bad"
    if piece.is_special:
        return "special"
    return "new" if is_new else "plain"
