"""The wire format of protocol buffers, as far as a SentencePiece file needs it.

In: bytes. Out: the numbered fields of a message, in order. Format:
https://protobuf.dev/programming-guides/encoding
"""

import struct
from collections.abc import Iterator

VARINT, FIXED_64, BYTES, FIXED_32 = 0, 1, 2, 5
"""How a field is written."""
SIGN_BIT = 1 << 63
LONGEST_VARINT = 10
Value = int | bytes


def fields_of(message: bytes) -> Iterator[tuple[int, Value]]:
    """Number and value of each field; floats and messages are left as bytes.

    Raises:
        ValueError: The message ends too early, or is none.
    """
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, place = _varint(message, place)
            yield number, value - 2 * SIGN_BIT if value & SIGN_BIT else value
            continue
        if kind == BYTES:
            length, place = _varint(message, place)
        elif kind in (FIXED_32, FIXED_64):
            length = 4 if kind == FIXED_32 else 8
        else:
            raise ValueError(f"byte {place} begins no field")
        if place + length > len(message):
            raise ValueError("it ends in the middle of a field")
        yield number, message[place : place + length]
        place += length


def float_of(value: Value) -> float:
    """The number in four bytes.

    Raises:
        ValueError: There are not four.
    """
    if not isinstance(value, bytes) or len(value) != struct.calcsize("<f"):
        raise ValueError("a score is no number")
    found: float = struct.unpack("<f", value)[0]
    return found


def _varint(message: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    number = 0
    for n_read, byte in enumerate(message[place : place + LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * n_read
        if byte < 0x80:  # the last one
            return number, place + n_read + 1
    raise ValueError("it ends in the middle of a number")
