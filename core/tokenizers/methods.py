"""How the kinds of model in a `tokenizer.json` cut a word: a table of three methods.

In: the content of a file. Out: the method of its kind of model.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from core.tokenizers.merging import MergeMethod
from core.tokenizers.spelling import Spelling
from core.tokenizers.unigram import UnigramMethod
from core.tokenizers.ways import Way
from core.tokenizers.wordpiece import WordPieceMethod


class Method(Protocol):
    """How one kind of model cuts a word."""

    @property
    def name(self) -> str:
        """One of `METHODS`."""

    @property
    def spelling(self) -> Spelling:
        """How its tokens are written."""

    @property
    def unknown(self) -> str | None:
        """The name of the token that stands for what has none."""

    def data_of_each(self, names: Sequence[str]) -> list[bytes]:
        """The bytes that tokens stand for."""

    def start_of(self, word: bytes) -> tuple[bytes, ...]:
        """The word before the first step."""

    def joined(self, parts: list[bytes]) -> list[bytes]:
        """What each token adds to the decoded text."""

    def way_of(self, word: bytes) -> Way:
        """How the word is cut, step by step."""


METHOD_OF: Mapping[str, type[MergeMethod | WordPieceMethod | UnigramMethod]] = {
    "BPE": MergeMethod,
    "WordPiece": WordPieceMethod,
    "Unigram": UnigramMethod,
}
"""The kinds of model in a `tokenizer.json` and how they cut."""
