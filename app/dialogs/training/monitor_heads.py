"""Which heads take a part while a model learns, and which are about to.

Place: between the scores that a run tells and the cards that draw and name heads. A
head that looks where its part asks for more than half of its attention has formed.
Before that it is forming, once its score stands clear of its own beginning. No Qt.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.training.compare import Curves, FloatArray

FORMED = 0.5
"""Share of its attention above which a head has taken a part."""
RISE = 0.1
"""How far a score must have risen above its beginning before the head is named; what
heads do at random stays well below."""
N_FIRST = 3
"""Looks whose median is a head's beginning: one odd look moves it by nothing."""
N_STAYS = 2
"""Looks in a row that must have found the score there."""
MOST_NAMED = 3
PARTS = (("previous token", "key", "previous"), ("induction", "query", "induction"))
"""Parts a head can take: its name, its colour, its field of `Curves`."""


@dataclass(frozen=True, slots=True)
class RisenHead:
    """A head that has taken a part, or is about to."""

    layer: int
    """From 0."""
    head: int
    """From 0."""
    score: float
    """The newest."""
    began: float
    """Where the score stood at first."""
    since: int
    """The step of the first look from which on every one found it there."""

    @property
    def has_formed(self) -> bool:
        """Whether it has taken its part."""
        return self.score > FORMED


def risen_heads(steps: FloatArray, scores: FloatArray) -> list[RisenHead]:
    """The heads that have formed or are forming, the strongest first.

    [m] steps and [m, n_layers, n_heads] scores.
    """
    if not len(scores):
        return []
    began = np.median(scores[:N_FIRST], axis=0)
    has_formed = scores[-1] > FORMED
    is_there = np.where(has_formed, scores > FORMED, scores > began + RISE)
    n_looks = looks_since(is_there)
    is_risen = has_formed | (n_looks >= N_STAYS)
    found = [
        RisenHead(
            layer,
            head,
            score=float(scores[-1, layer, head]),
            began=float(began[layer, head]),
            since=int(steps[-n_looks[layer, head]]),
        )
        for layer, head in np.argwhere(is_risen).tolist()
    ]
    return sorted(found, key=lambda each: -each.score)


def looks_since(is_there: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many of the newest looks in a row hold. [m, ...] -> [...]."""
    in_a_row = np.cumprod(is_there[::-1], axis=0, dtype=np.intp)
    n_looks: NDArray[np.intp] = in_a_row.sum(axis=0)
    return n_looks


def part_words(name: str, risen: list[RisenHead]) -> str:
    """One sentence on the heads that have taken a part, or else are about to."""
    formed = [each for each in risen if each.has_formed]
    shown = formed or risen
    if not shown:
        return f"No {name} head yet."
    words = [formed_words(each) if formed else forming_words(each) for each in shown]
    rest = len(words) - MOST_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    title = name.capitalize() if formed else f"{name.capitalize()} head forming"
    return f"{title}: {', '.join(words[:MOST_NAMED])}{more}."


def formed_words(head: RisenHead) -> str:
    """A head and since when it has its part."""
    place = f"layer {head.layer + 1} head {head.head + 1}"
    return f"{place} ({head.score:.2f}, since step {head.since:,})"


def forming_words(head: RisenHead) -> str:
    """A head, how far it has come, and from where."""
    place = f"layer {head.layer + 1} head {head.head + 1}"
    return f"{place}, {head.score:.2f} (was {head.began:.2f})"


def parts_of_heads(curves: Curves) -> dict[tuple[int, int], str]:
    """The heads that have risen, the best first, and to what: "induction 0.62".

    A head that has risen in two parts counts with the better one.
    """
    found: list[tuple[RisenHead, str]] = [
        (each, name)
        for name, _, field in PARTS
        for each in risen_heads(curves.head_steps, getattr(curves, field))
    ]
    found.sort(key=lambda pair: -pair[0].score)
    parts: dict[tuple[int, int], str] = {}
    for each, name in found:
        state = name if each.has_formed else f"{name} forming"
        parts.setdefault((each.layer, each.head), f"{state} {each.score:.2f}")
    return parts
