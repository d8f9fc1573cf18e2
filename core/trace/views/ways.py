"""How a word is cut where nothing is merged: the rounds of a search, a lattice.

In: a word and its `Search` or `Lattice`. Out: labels and numbers, ready to draw. Step:
tokens.merges, for tokenizers that seek the longest match or the best path.
"""

from dataclasses import dataclass

from core.tokenizers.base import Word
from core.tokenizers.labels import label_of
from core.tokenizers.ways import Arc, Lattice, Search
from core.trace.views.tokens import counted


@dataclass(frozen=True, slots=True)
class SearchState:
    """The word before one round of the search, or as it ends."""

    symbols: tuple[str, ...]
    """The tokens found so far, then the letters that are left."""
    taken: tuple[int, int] | None
    """First and last letter, as an index of `symbols`, that the round takes."""
    outcome: str
    """"takes ##ffa", "nothing fits"."""
    tried: tuple[str, ...]
    """Longer names that are no token, in the order in which they are tried."""


def search_states(word: Word) -> tuple[SearchState, ...]:
    """The word before each round of its search, and after the last one."""
    way = word.history()
    if not isinstance(way, Search):
        return ()
    found: list[str] = []
    letters = tuple(map(label_of, way.letters))
    states: list[SearchState] = []
    for each in way.rounds:
        first = len(found)
        states.append(
            SearchState(
                symbols=(*found, *letters[each.start :]),
                taken=(first, first + each.n_letters - 1) if each.n_letters else None,
                outcome="nothing fits"
                if each.found is None
                else f"takes {label_of(each.found)}",
                tried=tuple(map(label_of, each.tried)),
            )
        )
        if each.found is not None:
            found.append(label_of(each.found))
    end = SearchState(tuple(map(label_of, word.symbols)), None, "", ())
    return (*states, end)


def rounds_title(word: Word, n_done: int) -> str:
    """How far the search is: "round 2 of 3", "after 3 rounds"."""
    n = word.n_recorded
    return (
        f"round {n_done + 1} of {n}" if n_done < n else f"after {counted(n, 'round')}"
    )


@dataclass(frozen=True, slots=True)
class LatticeArc:
    """A token that fits a stretch of the word."""

    label: str
    start: int
    stop: int
    score: float
    """The logarithm of its probability."""
    before: float
    """The highest sum that leads to where it begins."""
    is_best: bool
    """No other way leads to where it ends with a higher sum."""
    is_on_path: bool
    """It is one of the tokens that the word is cut into."""
    is_stand_in: bool

    @property
    def total(self) -> float:
        """The sum that leads over it to where it ends."""
        return self.before + self.score


@dataclass(frozen=True, slots=True)
class LatticeView:
    """A word's letters and every token that fits somewhere in it."""

    letters: tuple[str, ...]
    arcs: tuple[LatticeArc, ...]
    """By where they stop, the longest first."""
    best: tuple[float, ...]
    """The highest sum at each border between letters, [n_letters + 1]."""

    def arcs_to(self, stop: int) -> tuple[LatticeArc, ...]:
        """The arcs that end at a border, the highest sum first."""
        found = (arc for arc in self.arcs if arc.stop == stop)
        return tuple(sorted(found, key=lambda arc: (not arc.is_best, -arc.total)))


def lattice_view(word: Word) -> LatticeView | None:
    """The lattice of a word; None where it has none."""
    way = word.history()
    if not isinstance(way, Lattice):
        return None
    winners = {stop: way.winner_at(stop) for stop in range(1, len(way.letters) + 1)}
    arcs = tuple(_lattice_arc(way, arc, winners[arc.stop]) for arc in way.arcs)
    return LatticeView(tuple(map(label_of, way.letters)), arcs, way.best)


def _lattice_arc(way: Lattice, arc: Arc, winner: Arc) -> LatticeArc:
    return LatticeArc(
        label=label_of(arc.data),
        start=arc.start,
        stop=arc.stop,
        score=arc.score,
        before=way.best[arc.start],
        is_best=arc == winner,
        is_on_path=arc in way.path,
        is_stand_in=arc.is_stand_in,
    )


def letters_title(word: Word, n_done: int) -> str:
    """How far the walk is: "to letter 2 of 5", "the best path"."""
    n = word.n_recorded
    if n_done < n:
        return f"the best way to letter {n_done + 1} of {n}"
    return f"the best path: {counted(len(word.symbols), 'token')}"
