"""Who looks at whom: the square matrices of a layer, from scores to pattern.

Steps: attn.scores, attn.scaled, attn.masked, attn.pattern. In: a trace and one of these
keys. Out: one stack of [n_query, n_key] maps in one scale, a caption a head, and words
for every cell. Layers, heads and tokens count from 1 for a reader.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from core.trace.matrix import Axis, FloatArray, Matrix, Scale
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.views.axes import largest_size, token_axis

STAGES = ("scores", "scaled", "masked", "pattern")
"""The squares in the order in which one becomes the next."""

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


@dataclass(frozen=True, slots=True, eq=False)
class SquaresView:
    """One stage of every head of a layer."""

    key: str
    layer: int
    stage: str
    stack: FloatArray
    """[n_heads, n_query, n_key]; NaN where the mask forbids to look."""
    scale: Scale
    rows: Axis
    columns: Axis
    habits: tuple[Habit | None, ...]
    """One a head; None where no habit stands out, and before the pattern."""
    unit: str
    """What a number is: "share", "q · k"."""
    note: str
    """How to read the map at this stage."""

    def matrix(self, head: int) -> Matrix:
        """The map of one head."""
        values = self.stack[head]
        axes = self.rows, self.columns
        return Matrix(values, *axes, self.scale, "pattern", self.key, (head,))

    def row(self, query: int) -> Matrix:
        """The row of one query in every head: [n_heads, n_key]."""
        names = tuple(str(head + 1) for head in range(len(self.stack)))
        axes = Axis("head", names), self.columns
        return Matrix(self.stack[:, query], *axes, self.scale, "pattern", self.key)

    @property
    def captions(self) -> tuple[str, ...]:
        """What stands over each small map: "1 · previous token .81"."""
        return tuple(
            f"{head} · {habit.text}" if habit else str(head)
            for head, habit in enumerate(self.habits, start=1)
        )

    def where(self, head: int, row: int, column: int) -> str:
        """The place of a cell: both tokens with their numbers."""
        query, key = self.rows.labels[row], self.columns.labels[column]
        return (
            f"layer {self.layer + 1} · head {head + 1} · "
            f"query {query} ({row + 1}) → key {key} ({column + 1})"
        )

    def value(self, head: int, row: int, column: int) -> str:
        """The number of a cell with its unit, or that it is masked."""
        value = float(self.stack[head, row, column])
        if np.isnan(value):
            masked = EMPTY_CELLS.get(self.stage)
            return masked if column > row and masked else "not a number"
        return f"{self.unit} = {short(value, 4)}"

    def status(self, head: int, row: int, column: int) -> str:
        """Place and number in one line."""
        where = self.where(head, row, column)
        return f"{where}: {self.value(head, row, column)}"

    def tip(self, head: int, row: int, column: int) -> str:
        """Place and number in three lines, and what the head's name means."""
        where = self.where(head, row, column).replace(" · query", "\nquery")
        habit = self.habits[head]
        lines = [where, self.value(head, row, column)]
        return "\n".join([*lines, *([habit.definition] if habit else [])])


EMPTY_CELLS = {
    "masked": "masked: −∞, since the key comes after the query",
    "pattern": "share = 0, since the cell is masked",
}


def squares_parts(key: str) -> tuple[tuple[str, Index], ...]:
    """What `squares_view` asks of the trace; masked scores keep the scaled ones' range.

    All heads at once: the grid shows them all.
    """
    attn, _, stage = key.rpartition(".")
    parts: tuple[tuple[str, Index], ...] = ((key, ()),)
    return (*parts, (f"{attn}.scaled", ())) if stage == "masked" else parts


def squares_view(trace: Trace, key: str) -> SquaresView:
    """One stage of every head of the layer that `key` belongs to."""
    attn, _, stage = key.rpartition(".")
    layer = trace.step(key).layer
    assert layer is not None
    values: FloatArray = trace[key]
    if stage == "pattern":
        scale, habits = Scale("share", 1.0), habits_of(values)
    else:
        source = f"{attn}.scaled" if stage == "masked" else key
        scale = Scale("signed", largest_size(trace[source]))
        habits = (None,) * len(values)
    if stage in EMPTY_CELLS:
        values = np.where(trace.part("mask"), values, np.float32(np.nan))
    root = sqrt(trace.config.d_head)
    return SquaresView(
        key=key,
        layer=layer,
        stage=stage,
        stack=values,
        scale=scale,
        rows=token_axis(trace, "query", "query"),
        columns=token_axis(trace, "key", "key"),
        habits=habits,
        unit=UNITS[stage],
        note=f"rows look at columns · {NOTES[stage]}".format(
            d_head=trace.config.d_head, root=short(root)
        ),
    )


UNITS = {
    "scores": "q · k",
    "scaled": "q · k / √d",
    "masked": "q · k / √d",
    "pattern": "share",
}

NOTES = {
    "scores": "a cell is its row's query · its column's key",
    "scaled": "every score divided by √{d_head} = {root}",
    "masked": "masked cells are empty: their score is −∞",
    "pattern": "masked cells are empty · each row sums to 1",
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
