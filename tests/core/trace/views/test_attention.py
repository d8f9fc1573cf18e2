"""Heads are named by what they do."""

import numpy as np
import pytest

from core.trace.views.attention import Habit, habits_of


def shifted(n, offset):
    """A pattern that looks `offset` places back; the first row at itself."""
    pattern = np.eye(n, k=-offset, dtype=np.float32)
    pattern[:offset, 0] = 1
    return pattern


def test_heads_are_named_by_what_they_do():
    first = np.zeros((5, 5), np.float32)
    first[:, 0] = 1
    spread = np.tril(np.ones((5, 5), np.float32)) / np.arange(1, 6)[:, None]
    stack = np.stack([shifted(5, 1), np.eye(5, dtype=np.float32), first, spread])
    names = [habit and habit.name for habit in habits_of(stack)]
    assert names == ["previous token", "same token", "first token", None]


def test_a_habit_is_the_mean_share_of_all_rows_but_the_first():
    pattern = np.array([[1, 0, 0], [0.9, 0.1, 0], [0.1, 0.7, 0.2]], np.float32)
    assert habits_of(pattern[None])[0] == Habit("previous token", pytest.approx(0.8))


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_tokens_show_no_habit(n):
    assert habits_of(np.tril(np.ones((3, n, n), np.float32))) == (None,) * 3


def test_a_habit_is_told_with_its_share():
    assert Habit("previous token", 0.812).text == "previous token .81"
    assert Habit("same token", 1.0).text == "same token 1.00"
