"""Pairs as lines of a text: a source, a tab, its target.

In: the blocks of a text. Out: its pairs in order, and the lines that are none. White
space around a side is no part of it, empty lines separate nothing, and columns behind
the second are not read: files of translations often name their origin there.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from core.errors import TrainingError

TAB = "\t"
ENDING = ".tsv"
"""Of a file that holds pairs, as it is mostly called."""
COLUMNS = 2
LONGEST_LINE = 1 << 20
"""Characters; a longer line counts as several, so that none fills the memory."""
LONGEST_SHOWN = 40
"""Characters of a line that a message shows."""

OddKind = Literal["no_tab", "empty", "columns"]
MENDS: dict[OddKind, str] = {
    "no_tab": "has no tab; put one between its source and its target",
    "empty": "has an empty side; write something on both sides of the tab",
}
"""What is wrong with a line that is no pair, and what to do."""


class Pair(NamedTuple):
    """What is read, and what is written for it."""

    source: str
    target: str

    @property
    def line(self) -> str:
        """The pair as a line of a text."""
        return f"{self.source}{TAB}{self.target}\n"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not empty."""

    number: int
    """From 1."""
    text: str
    pair: Pair | None
    """None where it is no pair."""
    odd: OddKind | None = None
    """What is odd about it, if something is."""


def lines_of(blocks: Iterable[str]) -> Iterator[Line]:
    """Look at every line of a text, wherever its blocks end."""
    for number, text in enumerate(_texts_of(blocks), 1):
        if text.strip():
            yield line_of(number, text)


def _texts_of(blocks: Iterable[str]) -> Iterator[str]:
    rest = ""
    for block in blocks:
        *whole, rest = (rest + block).split("\n")
        yield from whole
        if len(rest) > LONGEST_LINE:
            yield rest
            rest = ""
    yield rest


def line_of(number: int, text: str) -> Line:
    """Take a line apart."""
    columns = [column.strip() for column in text.split(TAB)]
    if len(columns) < COLUMNS:
        return Line(number, text, None, "no_tab")
    pair = Pair(*columns[:COLUMNS])
    if not all(pair):
        return Line(number, text, None, "empty")
    return Line(number, text, pair, "columns" if len(columns) > COLUMNS else None)


def pairs_of(blocks: Iterable[str]) -> Iterator[Pair]:
    """The pairs of a text, in order; lines that are none are passed over."""
    return (line.pair for line in lines_of(blocks) if line.pair)


def checked_pairs(path: Path, blocks: Iterable[str]) -> Iterator[Pair]:
    """The pairs of a file of which every line must be one.

    Raises:
        TrainingError: A line is none; names it.
    """
    for line in lines_of(blocks):
        if line.pair is None:
            assert line.odd is not None
            shown = line.text.strip()[:LONGEST_SHOWN]
            raise TrainingError(
                f"{path}, line {line.number} ({shown!r}) {MENDS[line.odd]}, or take "
                "the line out."
            )
        yield line.pair


def sides_of(pairs: Iterable[Pair]) -> Iterator[str]:
    """The texts of both sides, one after another."""
    for pair in pairs:
        yield from pair
