"""A text as SentencePiece reads it, each letter with the place where it was typed.

In: a text. Out: look-alike characters replaced, spaces joined and written "▁", one of
them put in front: the string whose pieces are looked for. Follows `normalizer.cc` of
SentencePiece, letter by letter.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from core.tokenizers.charsmap import Charsmap
from core.tokenizers.spelling import SPACE_MARK

_SPACES_OR_NOT = re.compile(" +|[^ ]+")


@dataclass(frozen=True, slots=True)
class ReadText:
    """What is cut into pieces, and for each of its letters the typed ones behind it."""

    text: str
    starts: list[int]
    stops: list[int]

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """The typed characters behind the letters [start, stop)."""
        return self.starts[start], self.stops[stop - 1]


class TextReader:
    """The rules of one model. Never changes."""

    def __init__(
        self,
        charsmap: Charsmap,
        kept: Collection[str],
        *,
        has_prefix: bool,
        joins_spaces: bool,
    ) -> None:
        """Take the rules.

        Args:
            charsmap: How look-alike characters are read.
            kept: Texts that are read as they are.
            has_prefix: A space is put in front.
            joins_spaces: Several spaces are read as one, and none at the ends.
        """
        self._charsmap = charsmap
        self._kept = one_of(kept)
        self._has_prefix, self._joins_spaces = has_prefix, joins_spaces
        plain = set(charsmap.never_first) - {text[0] for text in kept}
        letters = re.escape("".join(sorted(plain)))
        # the last one may belong to an accent behind it
        self._plain = re.compile(f"[{letters}]+(?![^\\x00-\\x7f])") if plain else None

    def read(self, text: str, *, is_first: bool = True) -> ReadText:
        """A text, or what stands of it between two special tokens.

        Args:
            text: As it was typed.
            is_first: Only then is a space put in front.
        """
        read = self._replaced(text)
        if self._joins_spaces:
            read = _joined(read)
        letters = read.text.replace(" ", SPACE_MARK)
        if is_first and self._has_prefix and text:
            start = read.starts[0] if letters else 0
            letters = SPACE_MARK + letters
            read = ReadText(letters, [start, *read.starts], [start, *read.stops])
        n = len(letters.rstrip(SPACE_MARK)) if self._joins_spaces else len(letters)
        return ReadText(letters[:n], read.starts[:n], read.stops[:n])

    def _replaced(self, text: str) -> ReadText:
        """Every letter read as the charsmap says."""
        letters: list[str] = []
        starts: list[int] = []
        stops: list[int] = []
        place = 0
        while place < len(text):
            plain = self._plain.match(text, place) if self._plain else None
            if plain:
                read, stop = plain[0], plain.end()
                starts.extend(range(place, stop))
                stops.extend(range(place + 1, stop + 1))
            else:
                read, stop = self._one(text, place)
                starts.extend([place] * len(read))
                stops.extend([stop] * len(read))
            letters.append(read)
            place = stop
        return ReadText("".join(letters), starts, stops)

    def _one(self, text: str, place: int) -> tuple[str, int]:
        """What stands at a place is read as, and where it ends."""
        if self._kept and (kept := self._kept.match(text, place)):
            return kept[0], kept.end()
        return self._charsmap.longest(text, place) or (text[place], place + 1)


def one_of(texts: Collection[str]) -> re.Pattern[str] | None:
    """Finds the longest of some texts; None where there are none."""
    longest_first = sorted(texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if texts else None


def _joined(read: ReadText) -> ReadText:
    """Several spaces as one, which stands for all of them; none in front."""
    letters: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    for run in _SPACES_OR_NOT.finditer(read.text):
        first, last = run.span()
        if run[0][0] != " ":
            letters.append(run[0])
            starts += read.starts[first:last]
            stops += read.stops[first:last]
        elif first:
            letters.append(" ")
            starts.append(read.starts[first])
            stops.append(read.stops[last - 1])
    return ReadText("".join(letters), starts, stops)
