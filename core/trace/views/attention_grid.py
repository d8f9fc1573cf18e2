"""All heads of a layer at one stage: small maps in one shape and one scale.

Steps: attn.scores, attn.scaled, attn.masked, attn.pattern. In: a trace, one of these
keys and a `Viewing`. Out: one stack of maps, a caption a head, words for every cell.
"""

from dataclasses import dataclass, replace

from core.analysis.heads import Habit, habits_of
from core.trace.matrix import FloatArray, Scale
from core.trace.needs import Index
from core.trace.trace import Trace
from core.trace.viewing import Viewing
from core.trace.views.attention_map import MapView, dimmed_in, map_view, scale_of, seen
from core.trace.views.shaping import shaped, shaping_of


@dataclass(frozen=True, slots=True, eq=False)
class GridView:
    """One stage of every head of a layer."""

    layer: int
    stage: str
    stack: FloatArray
    """[n_heads, rows, columns]; NaN where the mask forbids to look."""
    recorded: FloatArray
    """[n_heads, n_query, n_key] as the trace has it, with the same NaN."""
    scale: Scale
    dimmed: tuple[int, ...]
    habits: tuple[Habit | None, ...]
    """One a head; None where no habit stands out, and before the pattern."""
    n_sharing: int
    """Query heads that look with the same key head."""
    like: MapView
    """The map of the first head: all have its shape."""

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

    def status(self, head: int, row: int, column: int) -> str:
        """Place and number in one line."""
        return self._map(head).status(row, column)

    def tip(self, head: int, row: int, column: int) -> str:
        """Place and number, and what the head's name means."""
        habit = self.habits[head]
        lines = [self._map(head).tip(row, column)]
        return "\n".join([*lines, *([habit.definition] if habit else [])])

    def _map(self, head: int) -> MapView:
        matrix = replace(self.like.matrix, values=self.stack[head], prefix=(head,))
        return replace(
            self.like, head=head, matrix=matrix, recorded=self.recorded[head]
        )


def grid_parts(key: str) -> tuple[tuple[str, Index], ...]:
    """What `grid_view` asks of the trace; masked scores keep the scaled ones' range."""
    attn, _, stage = key.rpartition(".")
    parts: tuple[tuple[str, Index], ...] = ((key, ()),)
    return (*parts, (f"{attn}.scaled", ())) if stage == "masked" else parts


def grid_view(trace: Trace, key: str, viewing: Viewing) -> GridView:
    """One stage of every head of the layer that `key` belongs to."""
    attn, _, stage = key.rpartition(".")
    layer = trace.step(key).layer
    assert layer is not None
    values: FloatArray = trace[key]
    shaping = shaping_of(trace, viewing, stage)
    dimmed = dimmed_in(shaping, viewing)
    source = trace[f"{attn}.scaled"] if stage == "masked" else values
    ranged = shaped(source, shaping)
    recorded = seen(trace, stage, values)
    habits: tuple[Habit | None, ...] = (None,) * len(values)
    return GridView(
        layer=layer,
        stage=stage,
        stack=shaped(recorded, shaping),
        recorded=recorded,
        scale=scale_of(stage, ranged, dimmed, viewing),
        dimmed=dimmed,
        habits=habits_of(trace, values) if stage == "pattern" else habits,
        n_sharing=trace.config.n_queries_per_key,
        like=map_view(trace, key, 0, viewing),
    )
