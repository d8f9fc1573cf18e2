"""How a word became its pieces, step by step: three methods, three kinds of record.

In: nothing; this is what `merges`, `wordpiece` and `unigram` hand on. Out: `History`
for merges, `Search` for the longest match, `Lattice` for the best path. Each says how
many steps can be walked through.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair of neighbours that could join: lowest rank goes first."""

    left: bytes
    right: bytes
    rank: int
    position: int
    """Index of `left` among the symbols before the merge."""


@dataclass(frozen=True, slots=True)
class Merge:
    """One step of a word's history: a pair joins wherever it stands."""

    rank: int
    left: bytes
    right: bytes
    positions: tuple[int, ...]
    """Indices of `left` among the symbols before the merge."""
    symbols: tuple[bytes, ...]
    """The word after the merge."""
    losers: tuple[Candidate, ...]
    """The other pairs that could have joined at this moment, from left to right."""

    @property
    def joined(self) -> bytes:
        """The symbol that the merge makes."""
        return self.left + self.right


@dataclass(frozen=True, slots=True)
class History:
    """The recorded merges of a word; of a very long word only the first."""

    merges: tuple[Merge, ...] = ()
    n_steps: int = 0
    """All steps, also those not recorded."""
    reason: str = ""
    """Why there are none, where the tokenizer has a reason of its own."""

    @property
    def n_recorded(self) -> int:
        """Steps to walk through."""
        return len(self.merges)


@dataclass(frozen=True, slots=True)
class Round:
    """One step of the longest-match search: where it looks, what it tries, finds."""

    start: int
    """The letter at which the piece begins."""
    tried: tuple[bytes, ...]
    """Names that no token has, the longest first."""
    n_tried: int
    """All of them, also those not recorded."""
    found: bytes | None
    """The name of the longest token that fits; None where there is none."""
    n_letters: int
    """Letters that it takes; 0 where nothing was found."""


@dataclass(frozen=True, slots=True)
class Search:
    """The longest-match search through a word, from left to right."""

    letters: tuple[bytes, ...]
    rounds: tuple[Round, ...]
    reason: str = ""
    """Why the word was not searched, or not to its end."""

    @property
    def n_steps(self) -> int:
        """All steps; none is left out."""
        return len(self.rounds)

    @property
    def n_recorded(self) -> int:
        """Steps to walk through."""
        return len(self.rounds)


@dataclass(frozen=True, slots=True)
class Arc:
    """A token that fits a stretch of a word, and its score."""

    start: int
    """The first of its letters."""
    stop: int
    """The letter behind its last one."""
    data: bytes
    score: float
    """The logarithm of its probability; that of no token for letters without one."""
    is_stand_in: bool = False
    """No token fits: it would be read as unknown, or byte by byte."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Every token that fits somewhere in a word, and the path of the highest sum."""

    letters: tuple[bytes, ...]
    """Of a very long word only the first."""
    arcs: tuple[Arc, ...]
    """By where they stop, the longest first."""
    best: tuple[float, ...]
    """The highest sum that leads to each border between letters, [n_letters + 1]."""
    path: tuple[Arc, ...]
    """The arcs of the best path, from left to right."""
    n_steps: int
    """All letters, also those not recorded."""

    @property
    def n_recorded(self) -> int:
        """Steps to walk through: a letter each."""
        return len(self.letters)

    def arcs_to(self, stop: int) -> tuple[Arc, ...]:
        """The arcs that end before a letter."""
        return tuple(arc for arc in self.arcs if arc.stop == stop)

    def winner_at(self, stop: int) -> Arc:
        """The arc by which the highest sum at a border is reached."""
        for arc in self.path:
            if arc.stop == stop:
                return arc
        return max(
            self.arcs_to(stop),
            key=lambda arc: (self.best[arc.start] + arc.score, arc.stop - arc.start),
        )


Way = History | Search | Lattice
WayOf = Callable[[], Way]
"""Works a way out when somebody looks."""
