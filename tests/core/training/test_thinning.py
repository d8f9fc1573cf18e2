import math
from itertools import pairwise

import pytest

from core.training.thinning import Kept, best_of, surplus

PLENTY = 1e12


def kept(*steps: int, best: int = 0, n_bytes: int = 10) -> list[Kept]:
    return [Kept(s, n_bytes, 1.0 if s == best else 2.0) for s in steps]


def left_after(n_steps: int, n_most: int, first: int) -> list[int]:
    """Steps left of a run that saved at every step and thinned each time."""
    left: list[Kept] = []
    for step in range(first, n_steps + 1):
        left.append(Kept(step, 10, -step))
        gone = surplus(left, PLENTY, n_most)
        left = [each for each in left if each.step not in gone]
    return [each.step for each in left]


def test_nothing_goes_where_there_is_room() -> None:
    assert surplus([], PLENTY) == frozenset()
    assert surplus(kept(1, 2, 3), 30) == frozenset()


def test_the_closest_neighbours_go_first() -> None:
    assert surplus(kept(10, 20, 21, 40, best=40), 30) == {20}
    assert surplus(kept(10, 20, 30, 40, best=40), 30) == {10}


def test_the_start_is_the_first_point_of_the_spread_and_goes_last() -> None:
    assert surplus(kept(0, 10, 20, 30, 40, best=40), PLENTY, 4) == {10}
    assert surplus(kept(0, 10, 20, 30, 40, best=40), PLENTY, 3) == {10, 30}
    assert surplus(kept(0, 10, 20, best=20), PLENTY, 2) == {10}
    assert surplus(kept(0, 10, 20, best=10), PLENTY, 2) == {0}


def test_the_best_and_the_newest_stay_whatever_they_take() -> None:
    assert surplus(kept(10, 20, 30, 40, best=20), 1) == {10, 30}
    assert surplus(kept(10, 20, 30, 40, best=40), PLENTY, 1) == {10, 20, 30}


def test_of_equals_the_one_that_was_tested_is_the_best() -> None:
    assert best_of([Kept(30, 1, 2.0), Kept(20, 1, 2.0), Kept(10, 1, math.inf)]) == Kept(
        20, 1, 2.0
    )


def test_both_limits_hold_at_once() -> None:
    checkpoints = kept(1, 2, 3, 4, 5, 6)
    assert len(surplus(checkpoints, 40, 5)) == 2
    assert len(surplus(checkpoints, 50, 3)) == 3


@pytest.mark.parametrize("n_most", [4, 7, 12])
@pytest.mark.parametrize("n_steps", [50, 333])
@pytest.mark.parametrize("first", [0, 1])
def test_what_is_left_lies_evenly_over_the_run(
    n_steps: int, n_most: int, first: int
) -> None:
    steps = left_after(n_steps, n_most, first)
    assert len(steps) == n_most
    assert steps[-1] == n_steps
    assert (steps[0] == 0) == (first == 0)
    points = sorted({0, *steps})
    widest = max(b - a for a, b in pairwise(points))
    assert widest <= 2 * n_steps / (len(points) - 2)
