"""All heads of a layer at one stage: small maps in one shape and one scale.

Steps: attn.scores to attn.pattern. In: the small maps that are
there (see `overview`), and the scores that name heads. Out: one stack of maps, a
caption a head, words for every dot.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.analysis.heads import Habit, HeadScores
from core.trace.attentions import attention_words, kind_of
from core.trace.matrix import FloatArray, Scale
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.viewing import Head, Viewing, viewing_of
from core.trace.views.attention_map import named, unit_of
from core.trace.views.overview import Grid, grid_of, overview_of
from core.trace.views.shaping import Shaping, shaping_of


@dataclass(frozen=True, slots=True, eq=False)
class GridView:
    """One stage of every head of a layer."""

    layer: int
    stage: str
    stack: FloatArray
    """[n_heads, rows, columns]; NaN where the mask forbids to look, and on its way."""
    grid: Grid
    """How many rows and columns share a dot."""
    shaping: Shaping
    scale: Scale
    dimmed: tuple[int, ...]
    habits: tuple[Habit | None, ...]
    """One a head; None where none stands out."""
    n_sharing: int
    """Query heads that look with the same key head."""
    unit: str
    layer_words: str
    """ "layer 2", "cross layer 2"."""

    @property
    def captions(self) -> tuple[str, ...]:
        """What stands over each small map: "1 · previous token .81", "3 · key 2"."""
        return tuple(map(self._caption, range(len(self.stack))))

    def _caption(self, head: int) -> str:
        parts = [str(head + 1)]
        if self.n_sharing > 1:
            parts.append(f"key {head // self.n_sharing + 1}")
        habit = self.habits[head]
        if habit:
            parts.append(habit.text)
        return " · ".join(parts)

    def where(self, head: int, row: int, column: int) -> str:
        """Where a dot stands: "layer 1 · head 2 · query ·met (6) → key M (1)"."""
        query = self._place(row, self.shaping.rows.labels, self.shaping.row_tokens)
        key = self._place(
            column, self.shaping.columns.labels, self.shaping.column_tokens
        )
        return f"{self.layer_words} · head {head + 1} · query {query} → key {key}"

    def tokens_at(self, row: int, column: int) -> tuple[int, int] | None:
        """The query and the key of a dot; None where it stands for several."""
        if self.grid.block > 1:
            return None
        return self.shaping.tokens_at(row, column)

    def _place(
        self, dot: int, labels: tuple[str, ...], tokens: tuple[tuple[int, ...], ...]
    ) -> str:
        block = self.grid.block
        if block == 1:
            return named(labels[dot], tokens[dot])
        last = min(len(tokens), (dot + 1) * block) - 1
        return f"{tokens[dot * block][0] + 1}–{tokens[last][-1] + 1}"

    def value(self, head: int, row: int, column: int) -> str:
        """The number of a dot with its unit."""
        number = float(self.stack[head, row, column])
        if np.isnan(number):
            return "no value"
        largest = "" if self.grid.block == 1 else "largest "
        return f"{largest}{self.unit} = {short(number, 4)}"

    def status(self, head: int, row: int, column: int) -> str:
        """Place and number in one line."""
        return f"{self.where(head, row, column)}: {self.value(head, row, column)}"

    def tip(self, head: int, row: int, column: int) -> str:
        """Place and number, and what the head's name means."""
        where = self.where(head, row, column).replace(" · query", "\nquery")
        habit = self.habits[head]
        definition = [habit.definition] if habit else []
        return "\n".join([where, self.value(head, row, column), *definition])


def heads_of_layer(trace: Trace, layer: int) -> tuple[Head, ...]:
    """The heads whose maps the grid wants."""
    return tuple((layer, head) for head in range(trace.config.n_heads))


def grid_view(
    trace: Trace,
    key: str,
    viewing: Viewing,
    maps: Mapping[Head, FloatArray],
    scores: HeadScores | None,
) -> GridView:
    """One stage of every head of the layer that `key` belongs to.

    Heads that have no map yet are empty; without scores no head is named.
    """
    attn, _, stage = key.rpartition(".")
    viewing = viewing_of(viewing, kind_of(trace.config, key))
    layer = trace.step(key).layer
    assert layer is not None
    heads = heads_of_layer(trace, layer)
    there = {head: maps[head] for head in heads if head in maps}
    shaping = shaping_of(trace, viewing, stage)
    overview = overview_of(trace, stage, viewing, there)
    grid = grid_of(shaping)
    shape = -(-grid.rows // grid.block), -(-grid.columns // grid.block)
    empty = np.full(shape, np.nan, np.float32)
    return GridView(
        layer=layer,
        stage=stage,
        stack=np.stack([there.get(head, empty) for head in heads]),
        grid=grid,
        shaping=shaping,
        scale=overview.scale,
        dimmed=overview.dimmed,
        habits=tuple(scores.habit_of(*head) if scores else None for head in heads),
        n_sharing=trace.config.n_queries_per_key,
        unit=unit_of(trace, key, shaping),
        layer_words=attention_words(attn),
    )
