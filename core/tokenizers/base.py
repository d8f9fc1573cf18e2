"""What every tokenizer gives: text cut into words and pieces, and how each came about.

First station of the pipeline. In: text. Out: an `Encoding`, whose ids the embedding
reads and whose words and merges the tokens panel shows. A token is bytes, not
characters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.tokenizers.labels import label_of
from core.tokenizers.ways import History, Merge, Way, WayOf

Span = tuple[int, int]
Ids = NDArray[Any]
"""Token ids, [n], uint16 or uint32."""
METHODS = ("merges", "longest match", "best path", "characters")
"""The ways in which words are cut."""
INSIDE_MARK = b"##"
UNKNOWN = -1
"""The id of a piece that a tokenizer has no token for; no model has a row for it."""
MOST_UNKNOWN = 12
"""Unknown tokens that a sentence names."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One token where it stands in a text."""

    id: int
    """`UNKNOWN` where the tokenizer has no token for these bytes."""
    data: bytes
    """The bytes that the token stands for; of a special token, those of its text, of
    one from inside a word, "##" and its text."""
    byte_span: Span
    """Its bytes of the typed text; empty for what nobody typed."""
    char_span: Span
    """The typed characters it touches, if only with one of their bytes."""
    word: int
    """Index of the word it is part of."""
    is_special: bool = False
    part: tuple[int, int] | None = None
    """(k, n) when it shares a character with a neighbour: it begins at byte k (from 1)
    of the n bytes that the bracket around them holds; see `Encoding.brackets`."""
    is_added: bool = False
    """Put there by the tokenizer, such as a token for the start."""
    is_stand_in: bool = False
    """An [UNK]: it stands for what the tokenizer has no token for."""
    is_inside: bool = False
    """It goes on inside a word, as its data says with "##"."""

    @property
    def spelt(self) -> bytes:
        """Its data as part of a word, without "##"."""
        return self.data.removeprefix(INSIDE_MARK) if self.is_inside else self.data

    @property
    def label(self) -> str:
        """What its chip says."""
        return label_of(self.data)

    @property
    def is_unknown(self) -> bool:
        """Whether no model can read it."""
        return self.id == UNKNOWN


@dataclass(frozen=True, slots=True)
class Word:
    """A part of the text that no token crosses, and its way from symbols to pieces."""

    byte_span: Span
    char_span: Span
    data: bytes
    """Its bytes as the tokenizer reads them, which may be lower-cased."""
    start: tuple[bytes, ...]
    """The symbols before the first step: its single bytes, or its characters."""
    symbols: tuple[bytes, ...]
    """The data of its pieces."""
    history: WayOf = field(default=History, repr=False, compare=False)
    """Works its way out when somebody looks; the tokenizer remembers it."""

    @property
    def merges(self) -> tuple[Merge, ...]:
        """The steps in order, each following from the one before; only of BPE."""
        way = self.history()
        return way.merges if isinstance(way, History) else ()

    @property
    def n_steps(self) -> int:
        """How many steps it took, recorded or not."""
        return self.history().n_steps

    @property
    def n_recorded(self) -> int:
        """How many steps there are to walk through."""
        return self.history().n_recorded

    @property
    def is_cut(self) -> bool:
        """Only the first of many steps are recorded."""
        way: Way = self.history()
        return way.n_recorded < way.n_steps


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text as tokens.

    The pieces of most tokenizers tile the bytes of the text, and so do the words. Where
    a tokenizer changes the text before it cuts it (lower case, no accents) or leaves
    something of it out (spaces), the spans still lead to the text as it was typed, and
    `normalised` is what was read.
    """

    text: str
    pieces: tuple[Piece, ...]
    words: tuple[Word, ...]
    unknown: tuple[str, ...] = ()
    """Labels of what the tokenizer has no token for, each once, as they come."""
    n_bytes: int = 0
    """Length of the text in bytes."""
    normalised: str | None = None
    """The text as the tokenizer reads it; None where it reads what was typed."""

    @property
    def ids(self) -> tuple[int, ...]:
        """What the model reads."""
        return tuple(piece.id for piece in self.pieces)

    @property
    def known_ids(self) -> tuple[int, ...]:
        """The ids without those that no model can read."""
        return tuple(piece.id for piece in self.pieces if not piece.is_unknown)

    @property
    def n_characters(self) -> int:
        """Length of the text in characters (code points)."""
        return len(self.text)

    @property
    def brackets(self) -> tuple[Span, ...]:
        """Runs [start, stop) of pieces that share characters, to be drawn together."""
        edges = [
            index + 1
            for index, (left, right) in enumerate(pairwise(self.pieces))
            if right.char_span[0] >= left.char_span[1]
        ]
        runs = pairwise((0, *edges, len(self.pieces)))
        return tuple((start, stop) for start, stop in runs if stop - start > 1)


class Tokenizer(Protocol):
    """What the rest of the program asks of a tokenizer, whatever its kind."""

    @property
    def unit(self) -> str:
        """What a token of it is called, in the singular: "token", "character"."""

    @property
    def method(self) -> str:
        """How it cuts a word: one of `METHODS`."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What it does to a text besides cutting it, a sentence each."""

    @property
    def vocabulary(self) -> Mapping[bytes, int]:
        """Bytes and id of every token that is not special.

        Of two tokens with the same bytes, the one that text leads to.
        """

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""

    @property
    def specials(self) -> Mapping[str, int]:
        """Text and id of every special token."""

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides the ids, the same in every session."""

    def encode(self, text: str, *, specials: bool = False) -> Encoding:
        """Cut a text into tokens; every text can be cut.

        Tokens that a model folder puts around a text stand around it. What the
        tokenizer has no token for becomes pieces with the id `UNKNOWN`, or the folder's
        token for it. The text of a special token is plain characters unless `specials`
        is set.
        """

    @property
    def id_type(self) -> np.dtype[Any]:
        """The numbers that ids of a corpus are kept as."""

    def encode_corpus(self, text: str, *, specials: bool = False) -> Ids:
        """The ids of a long text, [n], and no others; refuses unknown parts."""

    def encode_blocks(
        self, blocks: Iterable[str], *, specials: bool = False
    ) -> Iterator[Ids]:
        """The same of a text that comes in blocks, wherever those end."""

    def encoding_of(self, ids: Sequence[int]) -> Encoding:
        """The encoding that has exactly these ids, each piece a word of its own."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text, nothing cleaned up; U+FFFD where bytes are no character.

        Special tokens are in it, except those that `encode` puts around every text.
        """

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes of this text; the last character may be unfinished."""

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of one token; refuses an id that no token has."""

    def label(self, token_id: int) -> str:
        """What the chip of a token says; "⟨#7⟩" if no token has the id 7."""


def unknown_note(encoding: Encoding, tokenizer: Tokenizer) -> str:
    """What a model cannot read: "not in this model's 3 characters: d ?"; "" if all."""
    unknown = encoding.unknown
    if not unknown:
        return ""
    n_known = len(tokenizer.vocabulary)
    units = tokenizer.unit if n_known == 1 else f"{tokenizer.unit}s"
    return f"not in this model's {n_known:,} {units}: {listed(unknown)}"


def listed(unknown: Sequence[str]) -> str:
    """Labels in a row, the first of many."""
    n_more = len(unknown) - MOST_UNKNOWN
    more = f" and {n_more:,} more" if n_more > 0 else ""
    return " ".join(unknown[:MOST_UNKNOWN]) + more
