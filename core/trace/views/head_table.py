"""Head scores as a table: one row a head, one column a score.

In: the scores of every head. Out: labels, numbers and words. Layers and heads count
from 1 for a reader.
"""

from dataclasses import dataclass

import numpy as np

from core.analysis.heads import HeadScore, HeadScores
from core.trace.matrix import FloatArray
from core.trace.viewing import Head

WHOLE_SHARE = 1.0
"""What a full bar of a share stands for."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumn:
    """One score of every head."""

    title: str
    tip: str
    """Its definition, and what is said where it is missing."""
    values: FloatArray
    """[heads], layer by layer; NaN where a head has none."""
    limit: float
    """The value of a full bar."""
    stands_out_from: float
    """Above this a number names its head; infinity where it names none."""
    lack: str
    """Why there is no value."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadTable:
    """What the table says."""

    heads: tuple[Head, ...]
    """(layer, head) of each row, from 0."""
    labels: tuple[str, ...]
    """"L1 · H3": layer and head."""
    names: tuple[str, ...]
    """"previous-token head"; "" where nothing stands out."""
    columns: tuple[ScoreColumn, ...]


def head_table(scores: HeadScores) -> HeadTable:
    """All scores of all heads, in the order of computation."""
    n_layers, n_heads = next(iter(scores.by_name.values())).shape
    heads = tuple((i, j) for i in range(n_layers) for j in range(n_heads))
    habits = [scores.habit_of(*head) for head in heads]
    return HeadTable(
        heads=heads,
        labels=tuple(f"L{layer + 1} · H{head + 1}" for layer, head in heads),
        names=tuple(habit.score.noun if habit else "" for habit in habits),
        columns=tuple(column_of(scores, score) for score in scores.table),
    )


def column_of(scores: HeadScores, score: HeadScore) -> ScoreColumn:
    """A score in words and numbers; a bar of bits or tokens ends at the largest."""
    values = scores.by_name[score.name].ravel()
    finite = values[np.isfinite(values)]
    largest = float(finite.max()) if finite.size else 0.0
    never = np.inf if score.named_from is None else score.named_from
    unit = "" if score.unit == "share" else f" ({score.unit})"
    return ScoreColumn(
        title=score.name,
        tip=f"{score.title}{unit}\n{score.definition}",
        values=values,
        limit=WHOLE_SHARE if score.unit == "share" else largest or WHOLE_SHARE,
        stands_out_from=never,
        lack=scores.lack(score.name),
    )
