"""Documents and lines of a text, which of them repeat, and how they are shared out.

In: blocks of text. Out: where every unit stands and which came first of equal ones;
then, for a split, whether a unit is learned from, tested on or left out. Nothing but
hashes and lengths is kept, so a text may be larger than the memory.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

UnitKind = Literal["documents", "lines"]
SEPARATORS: dict[UnitKind, str] = {"documents": "\n\n", "lines": "\n"}
FEWEST_DOCUMENTS = 20
"""A text with fewer parts between empty lines is judged by its lines."""
SHORTEST_REPEAT = 20
"""Characters; shorter units ("Yes.") repeat without telling anything."""
LONGEST_UNIT = 1 << 20
"""Characters; a longer unit counts as several, so that none fills the memory."""

N_SUMMED = 1 << 14
"""Units whose lengths are added up before one looks closer."""
N_PARTS = 16
"""In which equal units are looked for, one after another."""

Split = Literal["tail", "documents", "unseen"]
"""How the validation text is chosen. tail: the last share of the text, wherever that
cuts. documents: the last whole documents, each document of the text only once.
unseen: the last whole documents, without those that are learned from as well."""

TRAIN, VALID, LEFT_OUT = 0, 1, 2
"""Sides of a split."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The documents or lines of a text, in order, without their words."""

    kind: UnitKind
    lengths: NDArray[np.int32]
    """[n_units]: characters of each."""
    firsts: NDArray[np.int32]
    """[n_units]: index of the first unit with the same text; mostly its own."""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def is_repeat(self) -> NDArray[np.bool_]:
        """[n_units]: whether the same text stood earlier."""
        return np.not_equal(self.firsts, np.arange(len(self), dtype=np.int32))


class UnitSplitter:
    """Cuts a stream of blocks into units; holds the end of the last block."""

    def __init__(self, kind: UnitKind) -> None:
        self._separator = SEPARATORS[kind]
        self._rest = ""
        self.n_cut = 0
        """Units that were cut off for their length, where no separator stands."""

    def feed(self, block: str) -> list[str]:
        """Take a block. -> the units that are complete now, without empty ones."""
        *units, self._rest = (self._rest + block).split(self._separator)
        if len(self._rest) > LONGEST_UNIT:
            units += self.end()
            self.n_cut += 1
        return [text for unit in units if (text := unit.strip("\n"))]

    def end(self) -> list[str]:
        """The unit that was not complete yet, if there is one."""
        unit, self._rest = self._rest.strip("\n"), ""
        return [unit] if unit else []


class UnitCounter:
    """Keeps the hash and the length of every unit that passes."""

    def __init__(self, kind: UnitKind) -> None:
        self._kind = kind
        self._splitter = UnitSplitter(kind)
        self._hashes = array("q")
        self._lengths = array("i")

    def feed(self, block: str) -> None:
        """Take a block."""
        self._note(self._splitter.feed(block))

    @property
    def are_many(self) -> bool:
        """Whether a text has enough of them, besides parts of long ones, to tell."""
        return len(self._lengths) - self._splitter.n_cut >= FEWEST_DOCUMENTS

    def units(self) -> Units:
        """What passed, once the text has ended."""
        self._note(self._splitter.end())
        lengths = np.frombuffer(self._lengths, dtype=np.int32)
        firsts = _first_places(np.frombuffer(self._hashes, dtype=np.int64))
        own = np.arange(len(lengths), dtype=np.int32)
        firsts = np.where(lengths < SHORTEST_REPEAT, own, firsts)
        return Units(self._kind, lengths, firsts)

    def _note(self, units: list[str]) -> None:
        self._hashes.extend(map(hash, units))
        self._lengths.extend(map(len, units))


def _first_places(hashes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Where each hash stood first, [n]. Part by part, since sorting takes memory."""
    firsts = np.empty(len(hashes), dtype=np.int32)
    parts = hashes.view(np.uint8)[:: hashes.itemsize] % N_PARTS
    for part in range(N_PARTS):
        places = np.flatnonzero(parts == part)
        _, starts, inverse = np.unique(
            hashes[places], return_index=True, return_inverse=True
        )
        firsts[places] = places[starts][inverse]
    return firsts


def units_of(blocks: Iterable[str], kind: UnitKind) -> Iterator[str]:
    """Cut a text into its units, in the order that `Units` counts them."""
    splitter = UnitSplitter(kind)
    for block in blocks:
        yield from splitter.feed(block)
    yield from splitter.end()


def count_units(blocks: Iterable[str]) -> Units:
    """The documents of a text, or its lines where it has hardly any documents."""
    counters = (UnitCounter("documents"), UnitCounter("lines"))
    for block in blocks:
        for counter in counters:
            counter.feed(block)
    return telling_units(*counters)


def telling_units(documents: UnitCounter, lines: UnitCounter) -> Units:
    """The documents, or the lines where there are hardly any documents."""
    units = documents.units()
    return units if documents.are_many else lines.units()


def sides_of(units: Units, share: float, split: Split) -> NDArray[Any]:
    """Share the units out: [n_units] of TRAIN, VALID or LEFT_OUT.

    The units that begin after all but the last share of the characters are tested on.
    """
    is_out = units.is_repeat if split == "documents" else np.zeros(len(units), bool)
    lengths = np.where(is_out, 0, units.lengths)
    total = int(lengths.sum(dtype=np.int64))
    starts = np.cumsum(lengths, dtype=np.int64) - lengths
    is_valid = starts >= total - int(total * share)
    if split == "unseen":
        is_out = is_valid & ~is_valid[units.firsts]
    return np.select([is_out, is_valid], [LEFT_OUT, VALID], TRAIN)


def n_leaked(units: Units, share: float) -> tuple[int, int]:
    """Units of the last share that are learned from as well, and all units of it.

    Asked at each change of the share, so it looks at no more units than it must.
    """
    n_train = _n_before_last(units.lengths, share)
    return int((units.firsts[n_train:] < n_train).sum()), len(units) - n_train


def _n_before_last(lengths: NDArray[np.int32], share: float) -> int:
    """How many units begin before the last share of the characters."""
    if not len(lengths):
        return 0
    sums = np.add.reduceat(
        lengths, np.arange(0, len(lengths), N_SUMMED), dtype=np.int64
    )
    ends = np.cumsum(sums)
    total = int(ends[-1])
    border = total - int(total * share)
    if border <= 0:
        return 0
    block = int(np.searchsorted(ends, border))
    within = lengths[block * N_SUMMED :][:N_SUMMED]
    ends_within = np.cumsum(within, dtype=np.int64) + (ends[block] - sums[block])
    return block * N_SUMMED + int(np.searchsorted(ends_within, border)) + 1
