"""The tokens of one sentence as a file keeps them, and a tokenizer that knows no other.

In: an `Encoding`, with the merges of its words. Out: a plain table, and the encoding
again. What a trace file has in the place of a tokenizer is made here, too.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from core.errors import TokenizerError
from core.tokenizers.base import Encoding, Ids, Tokenizer, Word
from core.tokenizers.pieces import Cut, assemble
from core.tokenizers.vocabulary import Vocabulary
from core.tokenizers.ways import Candidate, History, Merge

Table = dict[str, Any]
NO_TOKEN = -1
"""The length of a token that there is not."""


def table_of(encoding: Encoding) -> Table:
    """An encoding as a table of texts and numbers; bytes are hexadecimal."""
    n_pieces = [0] * len(encoding.words)
    for piece in encoding.pieces:
        n_pieces[piece.word] += 1
    return {
        "text": encoding.text,
        "pieces": [
            {
                "id": piece.id,
                "label": piece.label,
                "bytes": piece.data.hex(),
                "byte_span": piece.byte_span,
                "char_span": piece.char_span,
                "is_special": piece.is_special,
            }
            for piece in encoding.pieces
        ],
        "words": [
            {"n_pieces": n, **_word_table(word)}
            for word, n in zip(encoding.words, n_pieces, strict=True)
        ],
    }


def encoding_of_table(table: Mapping[str, Any]) -> Encoding:
    """The encoding that a table was made of; spans follow from the bytes.

    Raises:
        LookupError, TypeError, ValueError: It is no such table.
    """
    pieces = iter(table["pieces"])
    cuts = []
    for word in table["words"]:
        own = list(islice(pieces, word["n_pieces"]))
        symbols = _many(piece["bytes"] for piece in own)
        ids = tuple(int(piece["id"]) for piece in own)
        start = _many(word["start"])
        cuts.append(
            Cut(
                data=b"".join(symbols),
                start=start,
                symbols=symbols,
                ids=ids,
                is_special=any(piece["is_special"] for piece in own),
                history=partial(_as_it_is, _history(word, start)),
            )
        )
    return assemble(str(table["text"]), cuts)


def _word_table(word: Word) -> Table:
    return {
        "start": [symbol.hex() for symbol in word.start],
        "n_steps": word.n_steps,
        "merges": [
            {
                "rank": merge.rank,
                "pair": [merge.left.hex(), merge.right.hex()],
                "positions": merge.positions,
                "symbols": [symbol.hex() for symbol in merge.symbols],
                "losers": [
                    [rival.left.hex(), rival.right.hex(), rival.rank, rival.position]
                    for rival in merge.losers
                ],
            }
            for merge in word.merges
        ],
    }


def _history(word: Mapping[str, Any], start: tuple[bytes, ...]) -> History:
    """The merges of a word.

    Raises:
        LookupError, TypeError, ValueError: They are none, or do not join what is there.
    """
    merges = tuple(
        Merge(
            rank=int(merge["rank"]),
            left=bytes.fromhex(merge["pair"][0]),
            right=bytes.fromhex(merge["pair"][1]),
            positions=tuple(map(int, merge["positions"])),
            symbols=_many(merge["symbols"]),
            losers=tuple(
                Candidate(bytes.fromhex(left), bytes.fromhex(right), rank, position)
                for left, right, rank, position in merge["losers"]
            ),
        )
        for merge in word["merges"]
    )
    symbols, data = start, b"".join(start)
    for merge in merges:
        pairs = {symbols[place : place + 2] for place in merge.positions}
        if pairs != {(merge.left, merge.right)} or b"".join(merge.symbols) != data:
            raise ValueError("a merge joins what is not there")
        symbols = merge.symbols
    return History(merges, int(word["n_steps"]))


def _as_it_is(history: History) -> History:
    """A history that needs no working out."""
    return history


def _many(hexadecimal: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(map(bytes.fromhex, hexadecimal))


def vocabulary_arrays(tokenizer: Tokenizer) -> tuple[Ids, Ids]:
    """The bytes of every token in a row [n_bytes], and their lengths [n_vocab].

    A number that is no token's has the length `NO_TOKEN`; neither has a special token.
    """
    data_of = {token_id: data for data, token_id in tokenizer.vocabulary.items()}
    every = [data_of.get(token_id) for token_id in range(tokenizer.n_vocab)]
    joined = b"".join(data for data in every if data is not None)
    lengths = [NO_TOKEN if data is None else len(data) for data in every]
    return np.frombuffer(joined, np.uint8), np.array(lengths, np.int32)


def vocabulary_of_arrays(joined: Ids, lengths: Ids) -> dict[bytes, int]:
    """Bytes and id of every token.

    Raises:
        ValueError: The lengths are not those of the bytes.
    """
    data, vocabulary, start = joined.tobytes(), {}, 0
    for token_id, length in enumerate(lengths.tolist()):
        if length != NO_TOKEN:
            vocabulary[data[start : start + length]] = token_id
            start += length
    if start != len(data):
        raise ValueError("the vocabulary's bytes and lengths do not fit")
    return vocabulary


class RecordedTokenizer(Vocabulary):
    """Knows what every id means, and how one text is cut."""

    def __init__(
        self,
        vocabulary: Mapping[bytes, int],
        specials: Mapping[str, int],
        encoding: Encoding,
        unit: str = "token",
    ) -> None:
        """Know the tokens of one text.

        Raises:
            TokenizerError: An id has two tokens, or a token no bytes.
        """
        super().__init__(vocabulary, specials)
        self.encoding = encoding
        self.unit = unit

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
