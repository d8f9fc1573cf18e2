"""From bytes back to text, also where its end is not whole yet.

Lone surrogates, which pasted text may hold, keep their three bytes and come back as
they were. Only bytes that are no character at all become U+FFFD, one for each broken
sequence.
"""

BROKEN = "\ufffd"
SEQUENCE_LENGTHS = ((0xF0, 4), (0xE0, 3), (0xC0, 2))  # first byte from here on: bytes


def text_bytes(text: str) -> bytes:
    """UTF-8, with lone surrogates as three bytes each."""
    return text.encode("utf-8", "surrogatepass")


def decoded_characters(data: bytes) -> list[tuple[str, int]]:
    """Each character of the text that `data` spells, with the number of its bytes."""
    characters: list[tuple[str, int]] = []
    start = 0
    while start < len(data):
        try:
            text, stop = data[start:].decode("utf-8", "surrogatepass"), len(data)
        except UnicodeDecodeError as error:
            broken, stop = start + error.start, start + error.end
            text = data[start:broken].decode("utf-8", "surrogatepass")
            characters += ((c, len(text_bytes(c))) for c in text)
            characters.append((BROKEN, stop - broken))
        else:
            characters += ((c, len(text_bytes(c))) for c in text)
        start = stop
    return characters


def decode_text(data: bytes) -> str:
    """The text that `data` spells, U+FFFD for each broken sequence."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return "".join(character for character, _ in decoded_characters(data))


def unfinished_length(data: bytes) -> int:
    """How many bytes at the end still wait for the rest of their character."""
    for length in range(1, min(3, len(data)) + 1):
        first = data[-length]
        if first & 0xC0 != 0x80:  # not a continuation byte: the character starts here
            needed = next((n for least, n in SEQUENCE_LENGTHS if first >= least), 1)
            return length if length < needed else 0
    return 0
