"""The pre-split: text into words, before any merge. Merges never cross a word's border.

In: text. Out: words that tile it, as GPT-2 splits ("the cat" -> "the", " cat"). The
rule itself is the one in the `tokenizers` package, which knows the letters of every
script; for ASCII it is written out here, three times as fast, and a test holds the
two together.
"""

import re
from collections.abc import Collection, Iterable, Iterator

from tokenizers import pre_tokenizers

LONGEST_STRETCH = 1 << 20
"""Characters in which a border between words is looked for; then a word is cut."""

_BYTE_LEVEL = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
_ASCII_WORD = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+",
    re.ASCII,
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")

# Python counts U+001C to U+001F as white space, GPT-2's rule does not.
_CHUNK = re.compile(r"[^\S\x1c-\x1f]*[\S\x1c-\x1f]+|[^\S\x1c-\x1f]+")
_JOINABLE = re.compile(r"[^\S\x1c-\x1f]+[\S\x1c-\x1f]+")
_ONE_WORD = re.compile(r" ?[A-Za-z]+")
_BORDERS = (
    re.compile(r"(?<=[\S\x1c-\x1f])(?=[^\S\x1c-\x1f])"),  # where a chunk begins
    re.compile(r"(?<=[^\W_])(?=[^\w\s])"),  # after a letter or digit, before a sign
)
_TAIL = 4096


def split_words(text: str) -> list[str]:
    """GPT-2's words of a text; put together again they are the text.

    Lone surrogates are split as U+FFFD is: both are neither letter, digit nor space.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    spans = _BYTE_LEVEL.pre_tokenize_str(_SURROGATE.sub("\ufffd", text))
    return [text[start:stop] for _, (start, stop) in spans]


def chunks(text: str) -> list[str]:
    """Parts that can be split on their own: white space, then what is not white space.

    A word never ends in white space with something else before it, and the rule looks
    ahead only from white space; so the words of the chunks are the words of the text. A
    long text has few different chunks, and each is worth splitting once.
    """
    return _CHUNK.findall(text)


def words_of_chunks(chunks: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Split each of many chunks: (chunk, its words). In any order, all at one go."""
    joinable: list[str] = []
    for chunk in chunks:
        if _ONE_WORD.fullmatch(chunk):
            yield chunk, [chunk]
        elif _JOINABLE.fullmatch(chunk):
            joinable.append(chunk)
        else:
            yield chunk, split_words(chunk)
    words = iter(split_words("".join(joinable)))
    for chunk in joinable:
        own: list[str] = []
        n_missing = len(chunk)
        while n_missing:
            own.append(next(words))
            n_missing -= len(own[-1])
        yield chunk, own


def whole_words(blocks: Iterable[str], specials: Collection[str] = ()) -> Iterator[str]:
    """Cut a stream of text anew, so that no block ends inside a word or a special.

    The words of these blocks, one after another, are the words of the whole text; only
    a word of more than `LONGEST_STRETCH` characters is cut.
    """
    rest = ""
    for block in blocks:
        rest += block
        stop = _last_border(rest, specials)
        if stop:
            yield rest[:stop]
            rest = rest[stop:]
    if rest:
        yield rest


def _last_border(text: str, specials: Collection[str]) -> int:
    """The last place where a text may be cut; 0 if it is better to wait for more."""
    for border in _BORDERS if len(text) > LONGEST_STRETCH else _BORDERS[:1]:
        for start in (max(len(text) - _TAIL, 0), 0):
            places = [match.start() for match in border.finditer(text, start)]
            for place in reversed(places):
                if not _tears(text, place, specials):
                    return place
    return len(text) if len(text) > LONGEST_STRETCH else 0


def _tears(text: str, place: int, specials: Iterable[str]) -> bool:
    """Whether a special stands, or may yet stand, on both sides of a place."""
    return any(
        special.startswith(text[place - n : place - n + len(special)])
        for special in specials
        for n in range(1, min(len(special), place + 1))
    )


def split_specials(text: str, specials: Iterable[str]) -> list[tuple[str, bool]]:
    """The text cut at special tokens: (part, is_special), the longest special first."""
    longest_first = sorted(specials, key=len, reverse=True)
    if not longest_first:
        return [(text, False)] if text else []
    pattern = "|".join(map(re.escape, longest_first))
    parts = re.split(f"({pattern})", text)
    return [(part, bool(index % 2)) for index, part in enumerate(parts) if part]
