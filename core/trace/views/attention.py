"""What a head does in a sentence, by which it is named."""

from dataclasses import dataclass

import numpy as np

from core.trace.matrix import FloatArray

NAMED_FROM = 0.5
"""A head is named by a habit that takes more than this share of its attention."""
LEAST_TOKENS = 3
"""With two tokens the first is also the one before: no habit can be told."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What a head does in this sentence, measured on its pattern."""

    name: str
    share: float
    """The mean share over all rows but the first, which has no choice."""

    @property
    def text(self) -> str:
        """Name and share: "previous token .81"."""
        return f"{self.name} {self.share:.2f}".replace(" 0.", " .")

    @property
    def definition(self) -> str:
        """How the share was measured, in a sentence."""
        return f"{self.text}: the mean share that {HABITS[self.name]}"


HABITS = {
    "previous token": "rows 2 and on give to the token right before them.",
    "same token": "rows 2 and on give to their own token.",
    "first token": "rows 2 and on give to the first token, where spare attention goes.",
}


def habits_of(pattern: FloatArray) -> tuple[Habit | None, ...]:
    """What each head does most, if one of the three habits takes over half.

    [n_heads, n_query, n_key] -> a habit or None for each head. The first row counts
    for nothing: it can only look at itself.
    """
    if pattern.shape[1] < LEAST_TOKENS:
        return (None,) * len(pattern)
    shares: FloatArray = np.stack(
        [
            np.diagonal(pattern, -1, axis1=1, axis2=2).mean(axis=1),
            np.diagonal(pattern, 0, axis1=1, axis2=2)[:, 1:].mean(axis=1),
            pattern[:, 1:, 0].mean(axis=1),
        ]
    )
    found = [
        Habit(name, float(share))
        for name, share in zip(
            (tuple(HABITS)[place] for place in shares.argmax(axis=0)),
            shares.max(axis=0),
            strict=True,
        )
    ]
    return tuple(habit if habit.share > NAMED_FROM else None for habit in found)
