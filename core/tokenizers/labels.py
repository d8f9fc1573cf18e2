"""How a token is written on a chip, and many in a row: every byte visible.

In: the bytes of tokens. Out: text without control characters or U+FFFD; on a chip
without white space, too.
"""

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby

from core.tokenizers.decoding import BROKEN, decoded_characters, unfinished_length

VISIBLE = {" ": "·", "\n": "↵", "\t": "→"}
# fmt: off
CONTROLS = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL",
    "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB",
    "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)
# fmt: on
"""The names of the control characters, 0 to 31; their pictures lack in many fonts."""
DELETE = "\x7f"
DOTTED_CIRCLE = "◌"  # what an accent stands on when its letter is in another token
N_REMEMBERED = 16384
"""Labels kept: every map and every list asks for those of the sentence again."""
WITHOUT_INK = frozenset({"Cc", "Cf", "Cn", "Co", "Zl", "Zp", "Zs"})


@lru_cache(maxsize=N_REMEMBERED)
def label_of(data: bytes) -> str:
    """The bytes of a token as a person can read them; never shortened.

    Space is "·", newline "↵", tab "→"; other control characters are their names
    ("⟨ESC⟩"); bytes that are no whole character are hexadecimal ("⟨F0 9F⟩"); characters
    without ink are their numbers ("⟨U+200B⟩"); a lone accent stands on "◌".
    """
    label = _spelled(data, character_label)
    starts_with_mark = unicodedata.category(label[:1] or " ").startswith("M")
    return DOTTED_CIRCLE + label if starts_with_mark else label


def readable_text(data: bytes) -> str:
    """What a model wrote, to be read: never U+FFFD, and no control character.

    A character that is not finished at the end is left out; other bytes that are no
    character are hexadecimal, as on a chip. White space stays as it is.
    """
    return _spelled(data[: len(data) - unfinished_length(data)], character_in_text)


def _spelled(data: bytes, written: Callable[[str], str]) -> str:
    """The characters as `written` says, bytes that are none as numbers."""
    text = ""
    offset = 0
    characters = decoded_characters(data)
    for is_text, run in groupby(characters, key=lambda pair: is_whole(*pair)):
        parts = list(run)
        stop = offset + sum(length for _, length in parts)
        if is_text:
            text += "".join(written(character) for character, _ in parts)
        else:
            text += f"⟨{data[offset:stop].hex(' ').upper()}⟩"
        offset = stop
    return text


def is_whole(character: str, n_bytes: int) -> bool:
    """A decoded character that is neither a broken sequence nor a lone surrogate."""
    is_broken = character == BROKEN and n_bytes < len(BROKEN.encode())
    return not is_broken and unicodedata.category(character) != "Cs"


def character_label(character: str) -> str:
    """One character made visible."""
    if character in VISIBLE:
        return VISIBLE[character]
    if character < " ":
        return f"⟨{CONTROLS[ord(character)]}⟩"
    if character == DELETE:
        return "⟨DEL⟩"
    if unicodedata.category(character) in WITHOUT_INK or character == BROKEN:
        return f"⟨U+{ord(character):04X}⟩"
    return character


def character_in_text(character: str) -> str:
    """One character of a running text; only what would break its look is replaced."""
    is_control = unicodedata.category(character) == "Cc" and character not in "\n\t"
    return (
        character_label(character) if is_control or character == BROKEN else character
    )
