"""What there is to know of pairs before a run: how many, how wide, and what is odd.

In: the lines of sources, then their tokens. Out: frozen facts, for the doctor to judge.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.tokenizers.base import Ids, Tokenizer
from core.training.pairs.corpus import pairs_in
from core.training.pairs.lines import LONGEST_SHOWN, Line, OddKind, Pair


@dataclass(frozen=True, slots=True)
class Odd:
    """Lines that are odd in one way."""

    kind: OddKind
    n: int
    first: str
    """Where the first stands, and how it begins."""


@dataclass(frozen=True, slots=True)
class PairFacts:
    """Facts of all pairs of a text, and of its lines that are none."""

    n_pairs: int = 0
    n_sources: int = 0
    """Different ones."""
    n_unsure: int = 0
    """Sources that come with different targets."""
    odd: tuple[Odd, ...] = ()
    has_text: bool = False
    """Whether running text stands among the sources, too."""


@dataclass(frozen=True, slots=True)
class PairTokens:
    """What a tokenizer makes of pairs, or of a share of them."""

    n_pairs: int
    n_tokens: int
    """That are read: sources, starts and targets."""
    widths: tuple[tuple[int, int], ...]
    """(tokens of the longer side, how many such pairs there are), by the first."""

    @property
    def tokens_per_pair(self) -> float:
        """On average."""
        return self.n_tokens / max(self.n_pairs, 1)

    @property
    def longest(self) -> int:
        """What n_ctx must be for all of them."""
        return self.widths[-1][0] if self.widths else 0

    def n_longer(self, n_ctx: int) -> int:
        """How many do not fit into n_ctx."""
        return sum(n for width, n in self.widths if width > n_ctx)


class PairCounter:
    """Counts the lines of sources as they pass."""

    def __init__(self) -> None:
        self._n_pairs = 0
        self._targets: dict[int, int] = {}
        self._unsure: set[int] = set()
        self._odd: Counter[OddKind] = Counter()
        self._first: dict[OddKind, str] = {}

    def feed(self, name: str, lines: Iterable[Line]) -> None:
        """Take the lines of a source."""
        for line in lines:
            if line.odd:
                self._odd[line.odd] += 1
                shown = " ".join(line.text.split())[:LONGEST_SHOWN]
                first = f"line {line.number:,} of {name}: {shown}"
                self._first.setdefault(line.odd, first)
            if line.pair:
                self._note(line.pair)

    def _note(self, pair: Pair) -> None:
        self._n_pairs += 1
        source, target = map(hash, pair)
        if self._targets.setdefault(source, target) != target:
            self._unsure.add(source)

    def facts(self, *, has_text: bool) -> PairFacts:
        """What passed, once the text has ended."""
        return PairFacts(
            n_pairs=self._n_pairs,
            n_sources=len(self._targets),
            n_unsure=len(self._unsure),
            odd=tuple(Odd(kind, n, self._first[kind]) for kind, n in self._odd.items()),
            has_text=has_text,
        )


def pair_tokens(rows: Iterable[Ids], tokenizer: Tokenizer) -> PairTokens:
    """Count the tokens of pairs, each given as source, start, target, end."""
    found = tuple(rows)
    if not found:
        return PairTokens(0, 0, ())
    pairs = pairs_in(np.concatenate(found), tokenizer)
    widths, counts = np.unique(pairs.widths, return_counts=True)
    by_width = zip(widths.tolist(), counts.tolist(), strict=True)
    return PairTokens(len(pairs), pairs.n_tokens, tuple(by_width))
