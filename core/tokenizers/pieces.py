"""From symbols to pieces: where each token stands in the text, and what it shares.

In: words as bytes and symbols, in order. Out: an `Encoding` with all its spans.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.tokenizers.base import Encoding, History, Piece, Span, Word
from core.tokenizers.decoding import decoded_characters


@dataclass(frozen=True, slots=True)
class Cut:
    """A word and the tokens it became, not yet placed in the text."""

    data: bytes
    start: tuple[bytes, ...]
    symbols: tuple[bytes, ...]
    ids: tuple[int, ...]
    is_special: bool = False
    history: Callable[[], History] = History


def whole(data: bytes, token_id: int, *, is_special: bool = False) -> Cut:
    """A word that is one token from the beginning."""
    return Cut(data, (data,), (data,), (token_id,), is_special)


def assemble(text: str, cuts: Sequence[Cut]) -> Encoding:
    """Place words and pieces in the text they spell."""
    characters = character_of_each_byte(b"".join(cut.data for cut in cuts))
    pieces: list[Piece] = []
    words: list[Word] = []
    offset = 0
    for index, cut in enumerate(cuts):
        span = (offset, offset + len(cut.data))
        chars = touched(characters, span)
        words.append(Word(span, chars, cut.data, cut.start, cut.symbols, cut.history))
        for token_id, data in zip(cut.ids, cut.symbols, strict=True):
            span = (offset, offset + len(data))
            chars = touched(characters, span)
            pieces.append(Piece(token_id, data, span, chars, index, cut.is_special))
            offset = span[1]
    unknown = dict.fromkeys(piece.label for piece in pieces if piece.is_unknown)
    encoding = Encoding(text, tuple(pieces), tuple(words), tuple(unknown))
    return with_parts(encoding) if len(characters) != len(text) else encoding


def character_of_each_byte(data: bytes) -> Sequence[int]:
    """For every byte the index of the character it belongs to."""
    if data.isascii():
        return range(len(data))
    lengths = (length for _, length in decoded_characters(data))
    return [index for index, n in enumerate(lengths) for _ in range(n)]


def touched(characters: Sequence[int], span: Span) -> Span:
    """The characters that the bytes of a span belong to."""
    start, stop = span
    return characters[start], characters[stop - 1] + 1


def with_parts(encoding: Encoding) -> Encoding:
    """The same encoding, its pieces saying which share of a character they hold."""
    pieces = list(encoding.pieces)
    for start, stop in encoding.brackets:
        lengths = [len(piece.data) for piece in pieces[start:stop]]
        firsts = accumulate(lengths[:-1], initial=1)
        pieces[start:stop] = _numbered(pieces[start:stop], firsts, sum(lengths))
    return replace(encoding, pieces=tuple(pieces))


def _numbered(pieces: Iterable[Piece], firsts: Iterable[int], n: int) -> list[Piece]:
    return [
        replace(piece, part=(first, n))
        for piece, first in zip(pieces, firsts, strict=True)
    ]
