"""The pre-split: text into words, before any merge. Merges never cross a word's border.

In: text. Out: words that tile it, as GPT-2 splits ("the cat" -> "the", " cat"). The
rule itself is the one in the `tokenizers` package; here is what surrounds it.
"""

import re
from collections.abc import Iterable, Iterator

from tokenizers import pre_tokenizers

_BYTE_LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
_SURROGATE = re.compile(r"[\ud800-\udfff]")

# Python counts U+001C to U+001F as white space, GPT-2's rule does not.
_CHUNK = re.compile(r"[^\S\x1c-\x1f]*[\S\x1c-\x1f]+|[^\S\x1c-\x1f]+")


def split_words(text: str) -> list[str]:
    """GPT-2's words of a text; put together again they are the text.

    Lone surrogates are split as U+FFFD is: both are neither letter, digit nor space.
    """
    spans = _BYTE_LEVEL.pre_tokenize_str(_SURROGATE.sub("\ufffd", text))
    return [text[start:stop] for _, (start, stop) in spans]


def chunks(text: str) -> Iterator[str]:
    """Parts that can be split on their own: white space, then what is not white space.

    A word never ends in white space with something else before it, and the rule looks
    ahead only from white space; so the words of the chunks are the words of the text. A
    long text has few different chunks, and each is worth splitting once.
    """
    return (match.group() for match in _CHUNK.finditer(text))


def split_specials(text: str, specials: Iterable[str]) -> list[tuple[str, bool]]:
    """The text cut at special tokens: (part, is_special), the longest special first."""
    longest_first = sorted(specials, key=len, reverse=True)
    if not longest_first:
        return [(text, False)] if text else []
    pattern = "|".join(map(re.escape, longest_first))
    parts = re.split(f"({pattern})", text)
    return [(part, bool(index % 2)) for index, part in enumerate(parts) if part]
