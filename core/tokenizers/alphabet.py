"""How tokenizer files write bytes: each of the 256 as one visible letter.

GPT-2's table: printable bytes of Latin-1 stand for themselves, the other 68 are written
as U+0100 and up, in order; a space is "Ġ", a newline "Ċ".
"""

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = tuple(byte for byte in range(0x100) if byte not in _PRINTABLE)
_LETTER_OF = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(0x100 + place) for place, byte in enumerate(_HIDDEN)
}
_BYTE_OF = {letter: byte for byte, letter in _LETTER_OF.items()}


def to_letters(data: bytes) -> str:
    """Bytes as tokenizer files write them."""
    return "".join(map(_LETTER_OF.__getitem__, data))


def from_letters(letters: str) -> bytes:
    """The bytes behind a name in a file.

    Raises:
        KeyError: A letter stands for no byte.
    """
    return bytes(map(_BYTE_OF.__getitem__, letters))
