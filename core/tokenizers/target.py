"""The text that a decoder has so far: its own tokenizer, and the model's start token.

In: the tokenizers of an encoder-decoder model, the target text. Out: an `Encoding`
that begins with the token at which the model starts to write, followed by the plain
pieces of the text; what the tokenizer puts around a text is for the encoder alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.tokenizers.base import Encoding, Piece, Tokenizer, Word


@dataclass(frozen=True, slots=True, eq=False)
class TokenizerPair:
    """Who reads the text that is given, and who the text that is written."""

    source: Tokenizer
    target: Tokenizer
    """The same object as `source` where the model has one tokenizer."""

    @property
    def is_one(self) -> bool:
        """Whether one tokenizer reads both."""
        return self.source is self.target


def target_encoding(
    tokenizer: Tokenizer, text: str, start_id: int, *, specials: bool = False
) -> Encoding:
    """What the decoder reads of a text: the start token, then plain pieces.

    Args:
        tokenizer: That of the target.
        text: The target so far; "" gives the start token alone.
        start_id: The model's `decoder_start_token_id`.
        specials: Whether the text of a special token is read as that token.

    Raises:
        TokenizerError: No token has the start's id.
    """
    plain = without_added(tokenizer.encode(text, specials=specials))
    return begun_with(plain, start_id, tokenizer)


def target_encoding_of(tokenizer: Tokenizer, ids: Sequence[int]) -> Encoding:
    """The encoding with exactly these ids; the first of them is the start token.

    Raises:
        TokenizerError: One of them is no token's.
    """
    if not ids:
        return tokenizer.encoding_of(ids)
    return begun_with(tokenizer.encoding_of(ids[1:]), ids[0], tokenizer)


def without_added(encoding: Encoding) -> Encoding:
    """The encoding without the tokens that were put around the text."""
    kept = [piece for piece in encoding.pieces if not piece.is_added]
    words = sorted({piece.word for piece in kept})
    number_of = {word: number for number, word in enumerate(words)}
    return replace(
        encoding,
        pieces=tuple(replace(piece, word=number_of[piece.word]) for piece in kept),
        words=tuple(encoding.words[word] for word in words),
    )


def begun_with(encoding: Encoding, start_id: int, tokenizer: Tokenizer) -> Encoding:
    """The encoding behind a start token, which is nobody's text.

    Raises:
        TokenizerError: No token has the start's id.
    """
    data, nowhere = tokenizer.token_bytes(start_id), (0, 0)
    start = Piece(
        id=start_id,
        data=data,
        byte_span=nowhere,
        char_span=nowhere,
        word=0,
        is_special=True,
        is_added=True,
    )
    moved = (replace(piece, word=piece.word + 1) for piece in encoding.pieces)
    return replace(
        encoding,
        pieces=(start, *moved),
        words=(Word(nowhere, nowhere, data, (data,), (data,)), *encoding.words),
    )
