"""What ids mean: the half of a tokenizer that leads from ids back to bytes and text.

In: the bytes of every token. Out: bytes, text and labels of ids. How a text is cut into
tokens is added by the kinds of tokenizer: `bpe` and `simple`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from core.errors import TokenizerError
from core.tokenizers.base import Encoding, Ids, listed
from core.tokenizers.decoding import decode_text, text_bytes
from core.tokenizers.labels import label_of
from core.tokenizers.pieces import assemble, whole

LARGEST_SHORT_ID = 2**16 - 1


class UnknownTextError(TokenizerError):
    """A text has parts that no token stands for, so it has no ids."""

    def __init__(self, unknown: Sequence[str]) -> None:
        """Take the labels of these parts."""
        self.unknown = tuple(unknown)
        super().__init__(
            f"The text holds what its tokenizer does not know: {listed(unknown)}; "
            "take it out of the text or learn a tokenizer from the text."
        )


class Vocabulary(ABC):
    """Tokens as bytes with their ids, special ones by their text. Never changes."""

    unit = "token"
    method = "merges"
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        vocabulary: Mapping[bytes, int],
        specials: Mapping[str, int],
        twins: Mapping[int, bytes] = MappingProxyType({}),
    ) -> None:
        """Check that every id means one token.

        Args:
            vocabulary: Bytes and id of every token that is not special.
            specials: Text and id of every special token.
            twins: Further tokens by id, whose bytes a token of the vocabulary has, too.

        Raises:
            TokenizerError: An id has two tokens, or a token no bytes.
        """
        self.vocabulary = MappingProxyType(dict(vocabulary))
        self.specials = MappingProxyType(dict(specials))
        self._data_of = _data_by_id(self.vocabulary, self.specials, twins)
        self.n_vocab = max(self._data_of, default=-1) + 1

    @abstractmethod
    def encode_blocks(
        self, blocks: Iterable[str], *, specials: bool = False
    ) -> Iterator[Ids]:
        """The ids of a text that comes in blocks, wherever those end."""

    def encode_corpus(self, text: str, *, specials: bool = False) -> Ids:
        """The ids of a long text and nothing else: [n], uint16 if every id fits.

        Equal to `encode(text, specials=specials).ids`.
        """
        found = tuple(self.encode_blocks([text], specials=specials))
        return np.concatenate(found) if found else np.array([], self.id_type)

    @property
    def id_type(self) -> np.dtype[Any]:
        """The numbers that ids are kept as; 16 bits if every id fits."""
        return np.dtype(
            np.uint16 if self.n_vocab <= LARGEST_SHORT_ID + 1 else np.uint32
        )

    def encoding_of(self, ids: Sequence[int]) -> Encoding:
        """The encoding that has exactly these ids, each piece a word of its own."""
        special_ids = frozenset(self.specials.values())
        cuts = [
            whole(self.token_bytes(i), int(i), is_special=i in special_ids) for i in ids
        ]
        return assemble(self.decode(ids), cuts)

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


def _data_by_id(
    vocabulary: Mapping[bytes, int],
    specials: Mapping[str, int],
    twins: Mapping[int, bytes],
) -> dict[int, bytes]:
    """The bytes of every id; refuses an id that stands for two tokens."""
    special_data = [(text_bytes(text), i) for text, i in specials.items()]
    twin_data = [(data, i) for i, data in twins.items()]
    rows = (*vocabulary.items(), *twin_data, *special_data)
    data_of = {token_id: data for data, token_id in rows}
    if len(data_of) == len(rows) and all(data_of.values()):
        return data_of
    data_of = {}
    for data, token_id in rows:
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
