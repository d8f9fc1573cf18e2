"""Which tokens make a word, so that attention can be looked at by words.

In: an encoding. Out: runs of places. A word goes on where letters or digits meet, and
where two tokens share a character; a space begins another one, as it does in byte-level
BPE, and so does a sign of punctuation or a special token. Read off the text alone, so
that typed, appended and generated tokens are joined alike, whatever the tokenizer.
"""

from collections.abc import Sequence
from itertools import pairwise

from core.tokenizers.base import Encoding, Piece
from core.tokenizers.labels import label_of


def word_runs(encoding: Encoding) -> tuple[range, ...]:
    """The places of each word's tokens; together they are all places, in order."""
    pieces = encoding.pieces
    starts = [0] if pieces else []
    starts += [
        place
        for place, (left, right) in enumerate(pairwise(pieces), start=1)
        if not _go_on(left, right, encoding.text)
    ]
    return tuple(range(*run) for run in pairwise((*starts, len(pieces))))


def word_label(pieces: Sequence[Piece]) -> str:
    """What stands beside a word: its bytes as on a chip, characters made whole."""
    return label_of(b"".join(piece.spelt for piece in pieces))


def _go_on(left: Piece, right: Piece, text: str) -> bool:
    """Whether two neighbours are parts of one word."""
    if left.is_special or right.is_special:
        return False
    stop, start = left.char_span[1], right.char_span[0]
    if start < stop or left.char_span[0] == stop:  # the latter: a space put in front
        return True
    if start > stop:  # something in between is in no token
        return left.word == right.word
    if start == len(text):
        return False
    before, after = text[stop - 1], text[start]
    return (before == " " or before.isalnum()) and after.isalnum()
