"""Byte-level BPE, the tokenizer of GPT-2: words to bytes, bytes to merged symbols.

In: text. Out: an `Encoding`. Its ids and the merges on the screen come from
`play_merges`. The words of a corpus are cut by the `tokenizers` package, which joins by
the same rule several times as fast; a test holds the two together.
"""

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from types import MappingProxyType

import numpy as np
from tokenizers.models import BPE

from core.errors import TokenizerError
from core.tokenizers.base import UNKNOWN, Encoding, Ids
from core.tokenizers.decoding import text_bytes
from core.tokenizers.labels import label_of
from core.tokenizers.merges import Pair, play_merges, record_merges
from core.tokenizers.pieces import Cut, assemble, whole
from core.tokenizers.splitting import (
    chunks,
    split_specials,
    split_words,
    whole_words,
    words_of_chunks,
)
from core.tokenizers.vocabulary import UnknownTextError, Vocabulary
from core.tokenizers.ways import History

SINGLE_BYTES = tuple(bytes((value,)) for value in range(256))
REMEMBERED_WORDS = 50_000
REMEMBERED_HISTORIES = 2_000
REMEMBERED_CHUNKS = 400_000


def start_symbols(data: bytes) -> tuple[bytes, ...]:
    """A word before its first merge: its single bytes."""
    return tuple(map(SINGLE_BYTES.__getitem__, data))


class BpeTokenizer(Vocabulary):
    """A vocabulary of byte strings and the merges that lead to them. Never changes."""

    def __init__(
        self,
        vocabulary: Mapping[bytes, int],
        merges: Iterable[Pair],
        specials: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Check that every merge can happen and every id means one token.

        Raises:
            TokenizerError: A merge has an unknown symbol, an id two tokens, a token
                no bytes.
        """
        super().__init__(vocabulary, specials)
        self.merges: tuple[Pair, ...] = tuple(merges)
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        _check_merges(self.merges, self.vocabulary)
        self._symbols_of = lru_cache(REMEMBERED_WORDS)(self._play)
        self._history_of = lru_cache(REMEMBERED_HISTORIES)(self._record)

    @classmethod
    def from_merges(
        cls, merges: Iterable[Pair], specials: Sequence[str] = ()
    ) -> "BpeTokenizer":
        """Ids 0 to 255 are the bytes, then what the merges make, then the specials."""
        merges = tuple(merges)
        vocabulary = {symbol: value for value, symbol in enumerate(SINGLE_BYTES)}
        for left, right in merges:
            vocabulary.setdefault(left + right, len(vocabulary))
        ids = {text: len(vocabulary) + place for place, text in enumerate(specials)}
        return cls(vocabulary, merges, ids)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides the ids, the same in every session."""
        content = (
            sorted(
                (token_id, data.hex()) for data, token_id in self.vocabulary.items()
            ),
            [(left.hex(), right.hex()) for left, right in self.merges],
            sorted(self.specials.items()),
        )
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def encode(self, text: str, *, specials: bool = False) -> Encoding:
        """Cut a text into tokens, with every word's merges there to be looked at.

        The text of a special token is plain characters unless `specials` is set. A
        symbol that the vocabulary lacks is a piece with the id `UNKNOWN`.
        """
        cuts: list[Cut] = []
        for part, is_special in split_specials(text, self.specials if specials else ()):
            if is_special:
                token_id = self.specials[part]
                cuts.append(whole(text_bytes(part), token_id, is_special=True))
            else:
                cuts += (self._cut(text_bytes(word)) for word in split_words(part))
        return assemble(text, cuts)

    def encode_blocks(
        self, blocks: Iterable[str], *, specials: bool = False
    ) -> Iterator[Ids]:
        """The ids of a text that comes in blocks, wherever those end.

        As long as blocks are; `encode_corpus` gives the same ids at once. A chunk that
        occurs again is cut once.

        Raises:
            UnknownTextError: The vocabulary lacks a symbol of the text.
        """
        texts = tuple(self.specials) if specials else ()
        known: dict[str, bytes] = {}
        for block in whole_words(blocks, texts):
            try:
                parts = [
                    array(self.id_type.char, [self.specials[part]]).tobytes()
                    if is_special
                    else self._chunks_cut(chunks(part), known)
                    for part, is_special in split_specials(block, texts)
                ]
            except OverflowError:  # `UNKNOWN` is below 0
                raise UnknownTextError(self.encode(block).unknown) from None
            yield np.frombuffer(b"".join(parts), self.id_type)
            if len(known) > REMEMBERED_CHUNKS:
                known.clear()

    def _cut(self, data: bytes) -> Cut:
        symbols, ids = self._symbols_of(data)
        history = partial(self._history_of, data)
        return Cut(data, start_symbols(data), symbols, ids, history=history)

    def _play(self, data: bytes) -> tuple[tuple[bytes, ...], tuple[int, ...]]:
        _, symbols = play_merges(start_symbols(data), self._ranks)
        return symbols, tuple(self.vocabulary.get(each, UNKNOWN) for each in symbols)

    def _record(self, data: bytes) -> History:
        return record_merges(start_symbols(data), self._ranks)

    @cached_property
    def _ids_of_words(self) -> Callable[[list[str]], list[int]]:
        """What cuts the words of a corpus. The package passes over bytes it lacks."""
        if not self.vocabulary.keys() >= set(SINGLE_BYTES):
            symbols_of = self._symbols_of
            return lambda words: [
                i for w in words for i in symbols_of(text_bytes(w))[1]
            ]
        names = {_spelt(symbol): i for symbol, i in self.vocabulary.items()}
        merges = [(_spelt(left), _spelt(right)) for left, right in self.merges]
        # Chunks are remembered already; a second memory only costs time.
        cut = BPE(names, merges, cache_capacity=0).tokenize
        return lambda words: [
            token.id
            for word in words
            for token in cut(word if word.isascii() else _spelt(text_bytes(word)))
        ]

    def _chunks_cut(self, found: list[str], known: dict[str, bytes]) -> bytes:
        """The ids of chunks as bytes; what is new is added to `known`."""
        ids_of, code = self._ids_of_words, self.id_type.char
        for chunk, words in words_of_chunks(set(found).difference(known)):
            known[chunk] = array(code, ids_of(words)).tobytes()
        return b"".join(map(known.__getitem__, found))


def _spelt(data: bytes) -> str:
    """Bytes for the package, which joins characters: U+0000 to U+00FF, one for each."""
    return data.decode("latin-1")


def _check_merges(merges: Sequence[Pair], vocabulary: Mapping[bytes, int]) -> None:
    for rank, (left, right) in enumerate(merges):
        for symbol in (left, right, left + right):
            if symbol not in vocabulary:
                raise TokenizerError(
                    f"Merge {rank} joins {label_of(left)} and {label_of(right)}, but "
                    f"{label_of(symbol)} is not in the vocabulary; the "
                    "vocabulary and the merges must come from the same tokenizer."
                )
