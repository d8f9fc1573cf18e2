"""From symbols to pieces: where each token stands in the text, and what it shares.

In: words as bytes and symbols, in order. Out: an `Encoding` with all its spans.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.tokenizers.base import Encoding, Piece, Span, Word
from core.tokenizers.decoding import decoded_characters
from core.tokenizers.ways import History, WayOf


@dataclass(frozen=True, slots=True)
class Cut:
    """A word and the tokens it became, not yet placed in the text."""

    data: bytes
    start: tuple[bytes, ...]
    symbols: tuple[bytes, ...]
    ids: tuple[int, ...]
    is_special: bool = False
    history: WayOf = History


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
    unknown = unknown_labels(pieces)
    encoding = Encoding(text, tuple(pieces), tuple(words), unknown, offset)
    return with_parts(encoding) if len(characters) != len(text) else encoding


def unknown_labels(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """What no model can read, each label once, as they come."""
    return tuple(dict.fromkeys(piece.label for piece in pieces if piece.is_unknown))


def character_of_each_byte(data: bytes) -> Sequence[int]:
    """For every byte the index of the character it belongs to."""
    if data.isascii():
        return range(len(data))
    lengths = (length for _, length in decoded_characters(data))
    return [index for index, n in enumerate(lengths) for _ in range(n)]


def touched(characters: Sequence[int], span: Span) -> Span:
    """The characters that the bytes of a span belong to."""
    start, stop = span
    if start == stop:
        place = characters[start] if start < len(characters) else len(characters)
        return place, place
    return characters[start], characters[stop - 1] + 1


def with_parts(encoding: Encoding) -> Encoding:
    """The same encoding, its pieces saying which share of a character they hold.

    Pieces that hold the same bytes, since the tokenizer changed them, share nothing.
    """
    pieces = list(encoding.pieces)
    for start, stop in encoding.brackets:
        run = pieces[start:stop]
        first, last = run[0].byte_span[0], run[-1].byte_span[1]
        lengths = [piece.byte_span[1] - piece.byte_span[0] for piece in run]
        if sum(lengths) == last - first:
            pieces[start:stop] = [
                replace(piece, part=(piece.byte_span[0] - first + 1, last - first))
                for piece in run
            ]
    return replace(encoding, pieces=tuple(pieces))
