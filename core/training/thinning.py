"""Which checkpoints go when they become too many or too large.

In: what is on the disk. Out: the steps to remove. Nothing is touched here.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """One checkpoint on the disk."""

    step: int
    n_bytes: int
    loss: float
    """How it is rated; infinite where it does not say."""


def best_of(kept: Iterable[Kept]) -> Kept:
    """The one with the lowest loss; of equals the oldest, which was tested."""
    return min(kept, key=lambda each: (each.loss, each.step))


def surplus(
    kept: Sequence[Kept], budget_bytes: float, n_most: int = 0
) -> frozenset[int]:
    """Choose the steps that go, so that those left lie evenly over the run.

    `n_most` is the most checkpoints left, 0 for any number. The best and the newest
    stay, even where they alone are more than `budget_bytes`. As long as it is too
    much, the one goes whose neighbours are closest to each other; of equals the
    oldest. The start of the run counts as a neighbour; a checkpoint of it, step 0, is
    the first point of the spread and goes last.
    """
    left = sorted(kept, key=lambda each: each.step)
    if not left:
        return frozenset()
    safe = {best_of(left), left[-1]}
    n_bytes = sum(each.n_bytes for each in left)
    while n_bytes > budget_bytes or (n_most and len(left) > n_most):
        places = [i for i, each in enumerate(left) if each not in safe]
        if not places:
            break
        place = min(places, key=lambda i: left[i + 1].step - _before(left, i))
        n_bytes -= left.pop(place).n_bytes
    return frozenset(each.step for each in kept) - {each.step for each in left}


def _before(left: Sequence[Kept], place: int) -> float:
    """The step that the one at `place` follows; the start follows none."""
    if place:
        return left[place - 1].step
    return 0 if left[0].step else -math.inf
