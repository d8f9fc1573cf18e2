"""Byte-level BPE, the tokenizer of GPT-2: words to bytes, bytes to merged symbols.

In: text. Out: an `Encoding`. Ids, corpus arrays and the merges on the screen all come
from `play_merges`; a test holds it equal to the `tokenizers` package.
"""

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import TokenizerError
from core.tokenizers.base import Encoding, History
from core.tokenizers.decoding import decode_text, text_bytes
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

Ids = NDArray[Any]
"""Token ids, [n], uint16 or uint32."""
SINGLE_BYTES = tuple(bytes((value,)) for value in range(256))
REMEMBERED_WORDS = 50_000
REMEMBERED_HISTORIES = 2_000
REMEMBERED_CHUNKS = 400_000
LARGEST_SHORT_ID = 2**16 - 1


def start_symbols(data: bytes) -> tuple[bytes, ...]:
    """A word before its first merge: its single bytes."""
    return tuple(map(SINGLE_BYTES.__getitem__, data))


class BpeTokenizer:
    """A vocabulary of byte strings and the merges that lead to them. Never changes."""

    kind = "byte-level BPE"

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
        self.merges: tuple[Pair, ...] = tuple(merges)
        self.vocabulary = MappingProxyType(dict(vocabulary))
        self.specials = MappingProxyType(dict(specials))
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._data_of = _data_by_id(self.vocabulary, self.specials)
        _check_merges(self.merges, self.vocabulary)
        self.n_vocab = max(self._data_of, default=-1) + 1
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

        The text of a special token is plain characters unless `specials` is set.

        Raises:
            TokenizerError: The vocabulary lacks a byte of the text.
        """
        cuts: list[Cut] = []
        for part, is_special in split_specials(text, self.specials if specials else ()):
            if is_special:
                token_id = self.specials[part]
                cuts.append(whole(text_bytes(part), token_id, is_special=True))
            else:
                cuts += (self._cut(text_bytes(word)) for word in split_words(part))
        return assemble(text, cuts)

    def encoding_of(self, ids: Sequence[int]) -> Encoding:
        """The encoding that has exactly these ids, each piece a word of its own."""
        special_ids = frozenset(self.specials.values())
        cuts = [
            whole(self.token_bytes(i), int(i), is_special=i in special_ids) for i in ids
        ]
        return assemble(self.decode(ids), cuts)

    def encode_corpus(self, text: str, *, specials: bool = False) -> Ids:
        """The ids of a long text and nothing else: [n], uint16 if every id fits.

        Equal to `encode(text, specials=specials).ids`. A chunk that occurs again is cut
        once.
        """
        found = tuple(self.encode_blocks([text], specials=specials))
        return np.concatenate(found) if found else np.array([], self.id_type)

    @property
    def id_type(self) -> np.dtype[Any]:
        """The numbers that ids are kept as; 16 bits if every id fits."""
        return np.dtype(
            np.uint16 if self.n_vocab <= LARGEST_SHORT_ID + 1 else np.uint32
        )

    def encode_blocks(
        self, blocks: Iterable[str], *, specials: bool = False
    ) -> Iterator[Ids]:
        """The ids of a text that comes in blocks, wherever those end.

        As long as blocks are; `encode_corpus` gives the same ids at once.
        """
        texts = tuple(self.specials) if specials else ()
        known: dict[str, bytes] = {}
        for block in whole_words(blocks, texts):
            parts = [
                array(self.id_type.char, [self.specials[part]]).tobytes()
                if is_special
                else self._chunks_cut(chunks(part), known)
                for part, is_special in split_specials(block, texts)
            ]
            yield np.frombuffer(b"".join(parts), self.id_type)
            if len(known) > REMEMBERED_CHUNKS:
                known.clear()

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes of the tokens, one after another."""
        return b"".join(map(self.token_bytes, ids))

    def decode(self, ids: Sequence[int]) -> str:
        """The text, special tokens included and nothing cleaned up.

        U+FFFD stands only where the bytes are no character, such as an unfinished one.
        """
        return decode_text(self.decode_bytes(ids))

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of one token.

        Raises:
            TokenizerError: No token has the id.
        """
        try:
            return self._data_of[token_id]
        except KeyError:
            raise TokenizerError(
                f"No token has the id {token_id}; use ids from 0 to {self.n_vocab - 1}."
            ) from None

    def label(self, token_id: int) -> str:
        """What the chip of a token says; "⟨#7⟩" if no token has the id 7."""
        data = self._data_of.get(token_id)
        return f"⟨#{token_id}⟩" if data is None else label_of(data)

    def _cut(self, data: bytes) -> Cut:
        symbols, ids = self._symbols_of(data)
        history = partial(self._history_of, data)
        return Cut(data, start_symbols(data), symbols, ids, history=history)

    def _play(self, data: bytes) -> tuple[tuple[bytes, ...], tuple[int, ...]]:
        _, symbols = play_merges(start_symbols(data), self._ranks)
        try:
            return symbols, tuple(self.vocabulary[symbol] for symbol in symbols)
        except KeyError as error:
            raise TokenizerError(
                f"The vocabulary has no token for {label_of(error.args[0])}; leave it "
                "out of the text or open a tokenizer that knows every byte."
            ) from None

    def _record(self, data: bytes) -> History:
        return record_merges(start_symbols(data), self._ranks)

    def _chunks_cut(self, found: list[str], known: dict[str, bytes]) -> bytes:
        """The ids of chunks as bytes; what is new is added to `known`."""
        for chunk, words in words_of_chunks(set(found).difference(known)):
            cut = (self._symbols_of(text_bytes(word))[1] for word in words)
            known[chunk] = array(self.id_type.char, chain(*cut)).tobytes()
        return b"".join(map(known.__getitem__, found))


def _data_by_id(
    vocabulary: Mapping[bytes, int], specials: Mapping[str, int]
) -> dict[int, bytes]:
    """The bytes of every id; refuses an id that stands for two tokens."""
    data_of: dict[int, bytes] = {}
    special_data = [(text_bytes(text), i) for text, i in specials.items()]
    for data, token_id in (*vocabulary.items(), *special_data):
        if not data:
            raise TokenizerError(
                f"Token {token_id} is empty; remove it from the vocabulary."
            )
        if token_id in data_of:
            raise TokenizerError(
                f"The id {token_id} stands for {label_of(data_of[token_id])} and for "
                f"{label_of(data)}; give each token of the vocabulary its own id."
            )
        data_of[token_id] = data
    return data_of


def _check_merges(merges: Sequence[Pair], vocabulary: Mapping[bytes, int]) -> None:
    for rank, (left, right) in enumerate(merges):
        for symbol in (left, right, left + right):
            if symbol not in vocabulary:
                raise TokenizerError(
                    f"Merge {rank} joins {label_of(left)} and {label_of(right)}, but "
                    f"{label_of(symbol)} is not in the vocabulary; the "
                    "vocabulary and the merges must come from the same tokenizer."
                )
