"""A text as typed and as tokens, and how tokens are put to it or taken away.

In: text from the field, or ids from Append and Generate. Out: the text that the field
shows and the encoding that the model reads. The two differ while the last token is an
unfinished character: its bytes are in the encoding and not yet in the text. Behind an
encoder there are two: the sentence is the source, and the target so far begins with the
model's start token, which is in the encoding and never in the text.
"""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import TokenizerError
from core.tokenizers.base import Encoding, Tokenizer, unknown_note
from core.tokenizers.decoding import BROKEN, decode_text, unfinished_length
from core.tokenizers.folder import open_tokenizer
from core.tokenizers.recorded import RecordedTokenizer
from core.tokenizers.target import target_encoding, target_encoding_of

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


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a model can read a text."""

    n_too_long: int = 0
    """Tokens too many; 0 where it is not too long."""
    unknown: str = ""
    """What the model has no token for; "" where it knows all."""

    def __bool__(self) -> bool:
        """It can."""
        return not (self.n_too_long or self.unknown)


def prompt_of_text(
    text: str, tokenizer: Tokenizer, *, specials: bool, start_id: int | None = None
) -> Prompt:
    """What somebody typed; behind a start token where there is one."""
    if start_id is not None:
        encoding = target_encoding(tokenizer, text, start_id, specials=specials)
        return Prompt(text, encoding)
    return Prompt(text, tokenizer.encode(text, specials=specials))


def prompt_of_ids(
    ids: Sequence[int],
    tokenizer: Tokenizer,
    *,
    specials: bool,
    start_id: int | None = None,
) -> Prompt:
    """Exactly these ids; with words and merges where typing the text gives them.

    Where there is a start token it is the first of them, and no part of the text.
    """
    data = tokenizer.decode_bytes(ids if start_id is None else ids[1:])
    typed = prompt_of_text(
        decode_text(data), tokenizer, specials=specials, start_id=start_id
    )
    encoding = typed.encoding
    if encoding.ids != tuple(ids):
        encoding = (
            tokenizer.encoding_of(ids)
            if start_id is None
            else target_encoding_of(tokenizer, ids)
        )
    return Prompt(decode_text(data[: len(data) - unfinished_length(data)]), encoding)


def prompt_of_encoding(encoding: Encoding) -> Prompt:
    """Exactly these tokens; a character that is not finished is not shown."""
    data = b"".join(piece.data for piece in encoding.pieces)
    is_unfinished = encoding.text.endswith(BROKEN) and unfinished_length(data)
    return Prompt(encoding.text[:-1] if is_unfinished else encoding.text, encoding)


def last_ids(encoding: Encoding, n: int) -> tuple[int, ...]:
    """The last `n` ids, or a few less so that no character is cut in two."""
    pieces = encoding.pieces[max(0, len(encoding.pieces) - n) :]
    for place, piece in enumerate(pieces):
        if piece.part is None or piece.part[0] == 1:
            return tuple(piece.id for piece in pieces[place:])
    return tuple(piece.id for piece in pieces)


class Sentence:
    """A text being edited.

    A long text is not cut into tokens here: `is_settled` is false until `settle` brings
    its encoding from a worker.
    """

    def __init__(self) -> None:
        """Empty, and without a tokenizer: text can be typed, tokens come later."""
        self.tokenizer: Tokenizer | None = None
        self.specials = False
        """Whether "<|endoftext|>" in a typed text is the special token."""
        self.start_id: int | None = None
        """The token that the model puts in front, of a target."""
        self.text = ""
        """What the field shows."""
        self.prompt = EMPTY
        """The newest known tokens; those of `text` where `is_settled`."""

    @property
    def is_settled(self) -> bool:
        """Whether the tokens of the text are known."""
        is_read = self.tokenizer is not None and self.prompt is not EMPTY
        return is_read and self.prompt.text == self.text

    @property
    def is_fixed(self) -> bool:
        """Whether it is the one text of a trace file."""
        return isinstance(self.tokenizer, RecordedTokenizer)

    def fit(self, n_ctx: int | None) -> Fit:
        """Whether a model reads it, of which `n_ctx` tokens; None: as many as come."""
        excess = 0 if n_ctx is None else max(0, self.prompt.n - n_ctx)
        tokenizer = self.tokenizer
        unknown = unknown_note(self.prompt.encoding, tokenizer) if tokenizer else ""
        return Fit(excess, unknown)

    def type(self, text: str) -> None:
        """Replace the text; its tokens are known at once unless it is long."""
        if self.is_fixed:
            return
        self.text = text
        if self.tokenizer is not None and len(text) <= LONG_TEXT:
            self.prompt = prompt_of_text(
                text, self.tokenizer, specials=self.specials, start_id=self.start_id
            )

    def read_with(
        self, tokenizer: Tokenizer, *, specials: bool, start_id: int | None = None
    ) -> None:
        """Cut the same text with another tokenizer or another setting.

        That of a trace file brings the one text that it knows.
        """
        self.tokenizer, self.specials, self.start_id = tokenizer, specials, start_id
        if isinstance(tokenizer, RecordedTokenizer):
            self.show(prompt_of_encoding(tokenizer.encoding))
            return
        self.prompt = EMPTY
        self.type(self.text)

    def settle(self, text: str, encoding: Encoding) -> None:
        """Take the tokens of a long text from the worker."""
        self.prompt = Prompt(text, encoding)

    def show(self, prompt: Prompt) -> None:
        """Stand as it stood at another moment."""
        self.prompt, self.text = prompt, prompt.text

    def add(self, ids: Sequence[int]) -> None:
        """Put tokens to the end."""
        self.replace((*self.prompt.ids, *ids))

    def replace(self, ids: Sequence[int]) -> None:
        """Make it exactly these tokens."""
        if self.tokenizer is not None and not self.is_fixed:
            self.show(
                prompt_of_ids(
                    ids,
                    self.tokenizer,
                    specials=self.specials,
                    start_id=self.start_id,
                )
            )

    def keep_last(self, n: int) -> None:
        """Shorten it to its last `n` tokens; a start token stays in front of them."""
        if self.start_id is None:
            self.replace(last_ids(self.prompt.encoding, n))
        else:
            self.replace((self.start_id, *last_ids(self.prompt.encoding, n - 1)))

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
        self.show(prompt)


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
