"""How a token is written on a chip: every byte visible, nothing guessed.

In: the bytes of one token. Out: text without white space, control characters or U+FFFD.
"""

import unicodedata
from functools import lru_cache
from itertools import groupby

from core.tokenizers.decoding import BROKEN, decoded_characters

VISIBLE = {" ": "·", "\n": "↵", "\t": "→", "\x7f": "␡"}
CONTROL_PICTURES = 0x2400  # U+2400 + c is the picture of control character c
DOTTED_CIRCLE = "◌"  # what an accent stands on when its letter is in another token
N_REMEMBERED = 16384
"""Labels kept: every map and every list asks for those of the sentence again."""
WITHOUT_INK = frozenset({"Cc", "Cf", "Cn", "Co", "Zl", "Zp", "Zs"})


@lru_cache(maxsize=N_REMEMBERED)
def label_of(data: bytes) -> str:
    """The bytes of a token as a person can read them; never shortened.

    Space is "·", newline "↵", tab "→"; other control characters are their pictures
    ("␀"); bytes that are no whole character are hexadecimal ("⟨F0 9F⟩"); characters
    without ink are their numbers ("⟨U+200B⟩"); a lone accent stands on "◌".
    """
    label = ""
    offset = 0
    characters = decoded_characters(data)
    for is_text, run in groupby(characters, key=lambda pair: is_whole(*pair)):
        parts = list(run)
        stop = offset + sum(length for _, length in parts)
        if is_text:
            label += "".join(character_label(character) for character, _ in parts)
        else:
            label += f"⟨{data[offset:stop].hex(' ').upper()}⟩"
        offset = stop
    starts_with_mark = unicodedata.category(label[:1] or " ").startswith("M")
    return DOTTED_CIRCLE + label if starts_with_mark else label


def is_whole(character: str, n_bytes: int) -> bool:
    """A decoded character that is neither a broken sequence nor a lone surrogate."""
    is_broken = character == BROKEN and n_bytes < len(BROKEN.encode())
    return not is_broken and unicodedata.category(character) != "Cs"


def character_label(character: str) -> str:
    """One character made visible."""
    if character in VISIBLE:
        return VISIBLE[character]
    if character < " ":
        return chr(CONTROL_PICTURES + ord(character))
    if unicodedata.category(character) in WITHOUT_INK or character == BROKEN:
        return f"⟨U+{ord(character):04X}⟩"
    return character
