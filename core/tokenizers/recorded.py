"""The tokens of one sentence as a file keeps them, and a tokenizer that knows no other.

In: an `Encoding`, with the merges of its words. Out: a plain table, and the encoding
again. What a trace file has in the place of a tokenizer is made here, too.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from core.errors import TokenizerError
from core.tokenizers.base import Encoding, Ids, Piece, Span, Tokenizer, Word
from core.tokenizers.decoding import text_bytes
from core.tokenizers.pieces import unknown_labels, with_parts
from core.tokenizers.recorded_ways import many, table_of_way, way_of_table
from core.tokenizers.vocabulary import Vocabulary
from core.tokenizers.ways import Way

Table = dict[str, Any]
FLAGS = ("is_special", "is_added", "is_stand_in", "is_inside")
"""What a piece is, besides its bytes."""
NO_TOKEN = -1
"""The length of a token that there is not."""


def table_of(encoding: Encoding) -> Table:
    """An encoding as a table of texts and numbers; bytes are hexadecimal."""
    n_pieces = [0] * len(encoding.words)
    for piece in encoding.pieces:
        n_pieces[piece.word] += 1
    return {
        "text": encoding.text,
        "normalised": encoding.normalised,
        "n_bytes": encoding.n_bytes,
        "pieces": [
            {
                "id": piece.id,
                "label": piece.label,
                "bytes": piece.data.hex(),
                "byte_span": piece.byte_span,
                "char_span": piece.char_span,
                **{flag: getattr(piece, flag) for flag in FLAGS},
            }
            for piece in encoding.pieces
        ],
        "words": [
            {
                "n_pieces": n,
                "bytes": word.data.hex(),
                "start": [symbol.hex() for symbol in word.start],
                **table_of_way(word.history()),
            }
            for word, n in zip(encoding.words, n_pieces, strict=True)
        ],
    }


def encoding_of_table(table: Mapping[str, Any]) -> Encoding:
    """The encoding that a table was made of.

    Raises:
        LookupError, TypeError, ValueError: It is no such table.
    """
    text, normalised = str(table["text"]), table["normalised"]
    rows = iter(table["pieces"])
    pieces: list[Piece] = []
    words: list[Word] = []
    for number, word in enumerate(table["words"]):
        own = [_piece(row, number) for row in islice(rows, word["n_pieces"])]
        start = many(word["start"])
        way = way_of_table(word, start)
        words.append(
            Word(
                byte_span=(own[0].byte_span[0], own[-1].byte_span[1]),
                char_span=(own[0].char_span[0], own[-1].char_span[1]),
                data=bytes.fromhex(word["bytes"]),
                start=start,
                symbols=tuple(piece.data for piece in own),
                history=partial(_as_it_is, way),
            )
        )
        pieces += own
    n_bytes = int(table["n_bytes"])
    _check_spans((piece.char_span for piece in pieces), len(text))
    _check_spans((piece.byte_span for piece in pieces), n_bytes)
    encoding = Encoding(
        text=text,
        pieces=tuple(pieces),
        words=tuple(words),
        unknown=unknown_labels(pieces),
        n_bytes=n_bytes,
        normalised=None if normalised is None else str(normalised),
    )
    return with_parts(encoding) if encoding.brackets else encoding


def _piece(row: Mapping[str, Any], word: int) -> Piece:
    byte_start, byte_stop = row["byte_span"]
    char_start, char_stop = row["char_span"]
    return Piece(
        id=int(row["id"]),
        data=bytes.fromhex(row["bytes"]),
        byte_span=(int(byte_start), int(byte_stop)),
        char_span=(int(char_start), int(char_stop)),
        word=word,
        is_special=bool(row["is_special"]),
        is_added=bool(row["is_added"]),
        is_stand_in=bool(row["is_stand_in"]),
        is_inside=bool(row["is_inside"]),
    )


def _check_spans(spans: Iterable[Span], end: int) -> None:
    """Refuse places that are not in the text.

    Raises:
        ValueError: A span leaves the text, or ends before it begins.
    """
    if any(not 0 <= start <= stop <= end for start, stop in spans):
        raise ValueError("a token stands outside the text")


def _as_it_is(way: Way) -> Way:
    """A way that needs no working out."""
    return way


def vocabulary_arrays(tokenizer: Tokenizer) -> tuple[Ids, Ids]:
    """The bytes of every token in a row [n_bytes], and their lengths [n_vocab].

    A number that is no token's has the length `NO_TOKEN`; neither has a special token.
    """
    passed_over = frozenset(tokenizer.specials.values())
    every = [
        None if token_id in passed_over else _data_of(tokenizer, token_id)
        for token_id in range(tokenizer.n_vocab)
    ]
    joined = b"".join(data for data in every if data is not None)
    lengths = [NO_TOKEN if data is None else len(data) for data in every]
    return np.frombuffer(joined, np.uint8), np.array(lengths, np.int32)


def _data_of(tokenizer: Tokenizer, token_id: int) -> bytes | None:
    try:
        return tokenizer.token_bytes(token_id)
    except TokenizerError:
        return None


def vocabulary_of_arrays(joined: Ids, lengths: Ids) -> dict[int, bytes]:
    """Id and bytes of every token.

    Raises:
        ValueError: The lengths are not those of the bytes.
    """
    data, vocabulary, start = joined.tobytes(), {}, 0
    for token_id, length in enumerate(lengths.tolist()):
        if length != NO_TOKEN:
            vocabulary[token_id] = data[start : start + length]
            start += length
    if start != len(data):
        raise ValueError("the vocabulary's bytes and lengths do not fit")
    return vocabulary


class RecordedTokenizer(Vocabulary):
    """Knows what every id means, and how one text is cut."""

    def __init__(
        self,
        data_of: Mapping[int, bytes],
        specials: Mapping[str, int],
        encoding: Encoding,
        told: Mapping[str, Any],
    ) -> None:
        """Know the tokens of one text.

        Args:
            data_of: Id and bytes of every token that is not special.
            specials: Text and id of every special token.
            encoding: The text with its tokens.
            told: What the tokenizer said of itself: its unit, method and notes.

        Raises:
            TokenizerError: An id has two tokens, or a token no bytes.
            LookupError: Something of it is not told.
        """
        vocabulary: dict[bytes, int] = {}
        for token_id, data in data_of.items():
            vocabulary.setdefault(data, token_id)
        twins = {i: data for i, data in data_of.items() if vocabulary[data] != i}
        super().__init__(vocabulary, specials, twins)
        self.encoding = encoding
        self.unit, self.method = str(told["unit"]), str(told["method"])
        self.notes = tuple(map(str, told["notes"]))

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes of the recorded text, or of the tokens one after another."""
        if tuple(ids) == self.encoding.ids:
            return text_bytes(self.encoding.text)
        return super().decode_bytes(ids)

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides the ids, the same in every session."""
        known = sorted((i, data.hex()) for data, i in self.vocabulary.items())
        content = repr((known, sorted(self.specials.items()), self.encoding.ids))
        return hashlib.sha256(content.encode()).hexdigest()

    def encode(self, text: str, *, specials: bool = False) -> Encoding:
        """The recorded tokens of the recorded text.

        Raises:
            TokenizerError: It is another text.
        """
        if text != self.encoding.text:
            raise TokenizerError(
                "A trace file can cut no text but its own into tokens; open a model."
            )
        return self.encoding

    def encode_blocks(
        self, blocks: Iterable[str], *, specials: bool = False
    ) -> Iterator[Ids]:
        """The ids of the recorded text; refuses another one."""
        whole = "".join(blocks)
        yield np.array(self.encode(whole, specials=specials).ids, self.id_type)
