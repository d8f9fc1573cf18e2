"""Characters as tokens: the smallest tokenizer, without merges.

In: text. Out: an `Encoding` whose pieces are single characters. A character is a code
point: "é" may be one or two of them, a family emoji seven. The tokenizer knows those of
the text that it was learned from; any other is a piece with the id `UNKNOWN`. Words are
split as for BPE, so that tokens can be gathered to words.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from core.errors import TokenizerError
from core.tokenizers.base import UNKNOWN, Encoding, Ids
from core.tokenizers.bpe_training import END_OF_TEXT
from core.tokenizers.decoding import text_bytes
from core.tokenizers.labels import label_of
from core.tokenizers.pieces import Cut, assemble, whole
from core.tokenizers.splitting import split_specials, split_words, whole_words
from core.tokenizers.vocabulary import UnknownTextError, Vocabulary


class CharacterTokenizer(Vocabulary):
    """A token for each of some characters. Never changes."""

    unit = "character"
    method = "characters"

    def __init__(
        self,
        characters: Mapping[str, int],
        specials: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Take characters and special tokens with their ids.

        Raises:
            TokenizerError: A token is not one character, or an id has two tokens.
        """
        for character in characters:
            if len(character) != 1 or "\ud800" <= character <= "\udfff":
                raise TokenizerError(
                    f"{label_of(text_bytes(character))} is not one character; each "
                    "token of a character tokenizer must be."
                )
        by_bytes = {text_bytes(each): i for each, i in characters.items()}
        super().__init__(by_bytes, specials)
        self.characters = MappingProxyType(dict(characters))
        self._id_of = _table(self.characters)

    @classmethod
    def from_characters(
        cls, characters: Iterable[str], specials: Sequence[str] = ()
    ) -> "CharacterTokenizer":
        """Ids from 0 in the order of the code points, then the specials."""
        ids = {each: place for place, each in enumerate(sorted(set(characters)))}
        return cls(ids, {text: len(ids) + n for n, text in enumerate(specials)})

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides the ids, the same in every session."""
        content = (
            self.unit,
            sorted(self.characters.items()),
            sorted(self.specials.items()),
        )
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def encode(self, text: str, *, specials: bool = False) -> Encoding:
        """Cut a text into its characters.

        The text of a special token is plain characters unless `specials` is set. A
        character that the tokenizer does not know is a piece with the id `UNKNOWN`.
        """
        cuts: list[Cut] = []
        for part, is_special in split_specials(text, self.specials if specials else ()):
            if is_special:
                token_id = self.specials[part]
                cuts.append(whole(text_bytes(part), token_id, is_special=True))
            else:
                cuts += map(self._cut, split_words(part))
        return assemble(text, cuts)

    def encode_blocks(
        self, blocks: Iterable[str], *, specials: bool = False
    ) -> Iterator[Ids]:
        """The ids of a text that comes in blocks, wherever those end.

        Raises:
            UnknownTextError: The text has a character that is not known.
        """
        texts = tuple(self.specials) if specials else ()
        for block in whole_words(blocks, texts) if texts else blocks:
            parts = [
                np.array([self.specials[part]], self.id_type)
                if is_special
                else self._ids_of(part)
                for part, is_special in split_specials(block, texts)
            ]
            if parts:
                yield np.concatenate(parts)

    def _cut(self, word: str) -> Cut:
        symbols = tuple(map(text_bytes, word))
        ids = tuple(self.characters.get(character, UNKNOWN) for character in word)
        return Cut(text_bytes(word), symbols, symbols, ids)

    def _ids_of(self, text: str) -> Ids:
        """The ids of plain characters, [n], by the table of all code points."""
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        ids = self._id_of[np.minimum(points, len(self._id_of) - 1)]
        if (ids == UNKNOWN).any():
            raise UnknownTextError(self.encode(text).unknown)
        return ids.astype(self.id_type)


def learn_characters(
    texts: Iterable[str], *, specials: Sequence[str] = (END_OF_TEXT,)
) -> CharacterTokenizer:
    """The tokenizer of all characters in some texts, and of the specials among them.

    A special that stands in no text gets no token, so a text of one letter has a
    vocabulary of 1. No special may be torn by the end of a text.

    Raises:
        TokenizerError: There is no character at all.
    """
    characters: set[str] = set()
    found: set[str] = set()
    for text in texts:
        for part, is_special in split_specials(text, specials):
            if is_special:
                found.add(part)
            else:
                characters.update(part)
    if not characters:
        raise TokenizerError(
            "A tokenizer cannot be learned from an empty text; choose a text with at "
            "least one character."
        )
    return CharacterTokenizer.from_characters(
        characters, [text for text in specials if text in found]
    )


def _table(characters: Mapping[str, int]) -> NDArray[np.int32]:
    """The id of every code point up to the last known one, and `UNKNOWN` behind it."""
    table = np.full(ord(max(characters, default="\0")) + 2, UNKNOWN, np.int32)
    for character, token_id in characters.items():
        table[ord(character)] = token_id
    return table
