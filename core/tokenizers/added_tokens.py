"""Added tokens in a text: found before anything else is done to it.

In: the added tokens of a folder, a text. Out: the stretches of the text, those that are
such tokens and those between them. As the package `tokenizers` finds them: the first
from the left, the longest of those that begin there, with the spaces that it takes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from core.tokenizers.spelling import Json

REMEMBERED_PATTERNS = 100
Stretch = tuple[int, int, int | None]
"""Where it begins and ends, and the id of the token that it is."""


class AddedTokens:
    """The tokens that are looked for. Never changes."""

    def __init__(self, tokens: Iterable[Json]) -> None:
        """Take them as a `tokenizer.json` lists them."""
        self._tokens: Mapping[str, Json] = {token["content"]: token for token in tokens}
        self._pattern_of = lru_cache(REMEMBERED_PATTERNS)(self._pattern)

    def stretches(self, text: str, *, specials: bool) -> Iterator[Stretch]:
        """The parts of a text, one after another; special tokens only where asked."""
        there = (
            name
            for name, token in self._tokens.items()
            if (specials or not token["special"]) and name in text
        )
        pattern = self._pattern_of(tuple(there))
        place = 0
        for match in pattern.finditer(text) if pattern else ():
            if place < match.start():
                yield place, match.start(), None
            name = next(name for name in match.groups() if name is not None)
            yield *match.span(), int(self._tokens[name]["id"])
            place = match.end()
        if place < len(text):
            yield place, len(text), None

    def _pattern(self, names: tuple[str, ...]) -> re.Pattern[str] | None:
        """Finds some of them, each a group, the longest first."""
        longest_first = sorted(names, key=len, reverse=True)
        parts = (_pattern_of(self._tokens[name]) for name in longest_first)
        return re.compile("|".join(parts)) if names else None


def _pattern_of(token: Json) -> str:
    found = f"({re.escape(token['content'])})"
    if token.get("single_word"):
        found = rf"(?<!\w){found}(?!\w)"
    before = r"\s*" if token.get("lstrip") else ""
    after = r"\s*" if token.get("rstrip") else ""
    return f"{before}{found}{after}"
