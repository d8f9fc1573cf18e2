"""Where tokens stand in the text as it was typed.

In: what the `tokenizers` package says of each token: the characters it comes from. Out:
spans of characters and of bytes, exact to the byte where tokens share a character.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from core.tokenizers.base import Span
from core.tokenizers.decoding import text_bytes


@dataclass(frozen=True, slots=True)
class Found:
    """The tokens of a text as they were found; each list has one entry a token."""

    ids: list[int]
    offsets: list[Span]
    """The characters that each comes from."""
    word_ids: list[int | None]
    """The word that each is part of; None for what is put around a text."""
    read: dict[int | None, bytes] = field(default_factory=dict)
    """The bytes of words as they are read, where that is known."""

    def add(self, token_id: int, span: Span, word: int | None) -> None:
        """Put a token behind the others."""
        self.ids.append(token_id)
        self.offsets.append(span)
        self.word_ids.append(word)


def typed_spans(found: Found, n_characters: int) -> list[Span]:
    """The typed characters of each token; none for those put around the text."""
    places = [i for i, word in enumerate(found.word_ids) if word is not None]
    last = places[-1] if places else -1
    spans: list[Span] = []
    for place, (span, word) in enumerate(
        zip(found.offsets, found.word_ids, strict=True)
    ):
        if word is not None:
            spans.append(span)
        else:
            border = n_characters if place > last else 0
            spans.append((border, border))
    return spans


def without_space(spans: Sequence[Span], data: Sequence[bytes]) -> list[Span]:
    """The spans, but none for a space that was put in front of a letter.

    The package counts such a token to the letter behind it.
    """
    found = list(spans)
    for place, (left, right) in enumerate(pairwise(spans)):
        if left == right and data[place] == b" " and left[0] < left[1]:
            found[place] = (left[0], left[0])
    return found


def byte_spans(text: str, spans: Sequence[Span], data: Sequence[bytes]) -> list[Span]:
    """The bytes of each token: its own share where several share characters.

    Tokens that share characters and are not their bytes, since the text was changed
    before it was cut, have all of these bytes each.
    """
    starts = byte_starts(text)
    found = [(starts[start], starts[stop]) for start, stop in spans]
    first = 0
    for place in range(1, len(spans) + 1):
        if place < len(spans) and spans[place][0] < spans[place - 1][1]:
            continue
        if place - first > 1:
            shared = text[spans[first][0] : spans[place - 1][1]]
            own = data[first:place]
            if b"".join(own) == text_bytes(shared):
                borders = accumulate(map(len, own), initial=found[first][0])
                found[first:place] = pairwise(borders)
        first = place
    return found


def byte_starts(text: str) -> Sequence[int]:
    """The byte at which each character begins, and the end."""
    if text.isascii():
        return range(len(text) + 1)
    lengths = (1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff") for c in text)
    return [0, *accumulate(lengths)]
