"""The sentence as typed and as tokens, and how tokens are put to it or taken away.

In: text from the field, or ids from Append and Generate. Out: the text that the field
shows and the encoding that the model reads. The two differ while the last token is an
unfinished character: its bytes are in the encoding and not yet in the text.
"""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import TokenizerError
from core.tokenizers.base import Encoding, Tokenizer
from core.tokenizers.decoding import BROKEN, decode_text, unfinished_length
from core.tokenizers.folder import open_tokenizer
from core.tokenizers.recorded import RecordedTokenizer

LONG_TEXT = 2000
"""Characters; up to here, cutting into tokens takes less than a frame of 16 ms."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """A sentence at one moment. Immutable."""

    text: str
    """What the sentence field shows."""
    encoding: Encoding
    """Its tokens, unfinished characters included."""

    @property
    def ids(self) -> tuple[int, ...]:
        """What the model reads."""
        return self.encoding.ids

    @property
    def n(self) -> int:
        """Tokens."""
        return len(self.encoding.pieces)


EMPTY = Prompt("", Encoding("", (), ()))


def prompt_of_text(text: str, tokenizer: Tokenizer, *, specials: bool) -> Prompt:
    """What somebody typed."""
    return Prompt(text, tokenizer.encode(text, specials=specials))


def prompt_of_ids(
    ids: Sequence[int], tokenizer: Tokenizer, *, specials: bool
) -> Prompt:
    """Exactly these ids; with words and merges where typing the text gives them."""
    data = tokenizer.decode_bytes(ids)
    encoding = tokenizer.encode(decode_text(data), specials=specials)
    if encoding.ids != tuple(ids):
        encoding = tokenizer.encoding_of(ids)
    return Prompt(decode_text(data[: len(data) - unfinished_length(data)]), encoding)


def prompt_of_encoding(encoding: Encoding) -> Prompt:
    """Exactly these tokens; a character that is not finished is not shown."""
    data = b"".join(piece.data for piece in encoding.pieces)
    is_unfinished = encoding.text.endswith(BROKEN) and unfinished_length(data)
    return Prompt(encoding.text[:-1] if is_unfinished else encoding.text, encoding)


def last_ids(encoding: Encoding, n: int) -> tuple[int, ...]:
    """The last `n` ids, or a few less so that no character is cut in two."""
    pieces = encoding.pieces[-n:]
    for place, piece in enumerate(pieces):
        if piece.part is None or piece.part[0] == 1:
            return tuple(piece.id for piece in pieces[place:])
    return tuple(piece.id for piece in pieces)


class Sentence:
    """The sentence being edited, and what Append and Generate added, to undo it.

    A long text is not cut into tokens here: `is_settled` is false until `settle` brings
    its encoding from a worker.
    """

    def __init__(self) -> None:
        """Empty, and without a tokenizer: text can be typed, tokens come later."""
        self.tokenizer: Tokenizer | None = None
        self.specials = False
        """Whether "<|endoftext|>" in a typed text is the special token."""
        self.text = ""
        """What the sentence field shows."""
        self.prompt = EMPTY
        """The newest known tokens; those of `text` where `is_settled`."""
        self._undo: list[Prompt] = []

    @property
    def is_settled(self) -> bool:
        """Whether the tokens of the text are known."""
        return self.tokenizer is not None and self.prompt.text == self.text

    @property
    def can_undo(self) -> bool:
        """Whether something was added that can be taken back."""
        return bool(self._undo)

    @property
    def n_typed(self) -> int:
        """Tokens that stood there before anything was added; all, if nothing was."""
        return min(prompt.n for prompt in (*self._undo, self.prompt))

    @property
    def is_fixed(self) -> bool:
        """Whether it is the one sentence of a trace file."""
        return isinstance(self.tokenizer, RecordedTokenizer)

    def type(self, text: str) -> None:
        """Replace the text; its tokens are known at once unless it is long."""
        if self.is_fixed:
            return
        self.text = text
        self._undo.clear()
        if self.tokenizer is not None and len(text) <= LONG_TEXT:
            self.prompt = prompt_of_text(text, self.tokenizer, specials=self.specials)

    def read_with(self, tokenizer: Tokenizer, *, specials: bool) -> None:
        """Cut the same text with another tokenizer or another setting.

        That of a trace file brings the one text that it knows.
        """
        self.tokenizer, self.specials = tokenizer, specials
        if isinstance(tokenizer, RecordedTokenizer):
            self._undo.clear()
            self.prompt = prompt_of_encoding(tokenizer.encoding)
            self.text = self.prompt.text
            return
        self.prompt = EMPTY
        self.type(self.text)

    def settle(self, text: str, encoding: Encoding) -> None:
        """Take the tokens of a long text from the worker."""
        self.prompt = Prompt(text, encoding)

    def remember(self) -> None:
        """Make this the moment that `undo` goes back to."""
        self._undo.append(self.prompt)

    def add(self, ids: Sequence[int]) -> None:
        """Put tokens to the end."""
        self.replace((*self.prompt.ids, *ids))

    def replace(self, ids: Sequence[int]) -> None:
        """Make it exactly these tokens."""
        if self.tokenizer is not None and not self.is_fixed:
            prompt = prompt_of_ids(ids, self.tokenizer, specials=self.specials)
            self.prompt, self.text = prompt, prompt.text

    def mask(self, place: int, mask: str) -> None:
        """Put the special token `mask` where a token stands; the rest stays as typed.

        Where typing that would give other tokens, the text is made from the tokens.
        """
        tokenizer = self.tokenizer
        if tokenizer is None or self.is_fixed:
            return
        self.specials = True
        ids = list(self.prompt.ids)
        ids[place] = tokenizer.specials[mask]
        first, last = self.prompt.encoding.pieces[place].char_span
        typed = f"{self.text[:first]}{mask}{self.text[last:]}"
        prompt = prompt_of_text(typed, tokenizer, specials=True)
        if prompt.ids != tuple(ids):
            prompt = prompt_of_ids(ids, tokenizer, specials=True)
        self.prompt, self.text = prompt, prompt.text

    def undo(self) -> None:
        """Go back to the remembered moment before."""
        self.prompt = self._undo.pop()
        self.text = self.prompt.text

    def forget_if_unchanged(self) -> None:
        """Drop the remembered moment if nothing was added after it."""
        if self._undo and self._undo[-1] is self.prompt:
            self._undo.pop()


def early_tokenizer(folder: Path) -> Tokenizer | None:
    """A model's tokenizer, ahead of the model, so that pieces show before torch is in.

    None where it cannot be read: the opening of the model will say why.
    """
    if os.path.isfile(folder):
        return None  # a trace, or a .gguf file, which may be large
    try:
        return open_tokenizer(folder)
    except TokenizerError as error:
        log.info("%s", error)
        return None
