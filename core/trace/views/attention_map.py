"""One head's attention as a map: at any stage, in the shape that a person chose.

Steps: attn.scores to attn.pattern. In: a trace, one of these
keys, a head and a `Viewing`. Out: the map, its scale, and words for every cell. Layers,
heads and tokens count from 1 for a reader.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from core.trace.attentions import attention_words, kind_of
from core.trace.matrix import Axis, FloatArray, Matrix, Scale
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.viewing import Viewing, viewing_of
from core.trace.views.attention_buckets import Buckets, buckets_of
from core.trace.views.axes import largest_size
from core.trace.views.masking import (
    AFTER,
    FAR,
    NO_KEY,
    PADDING,
    mask_words,
    why_hidden,
)
from core.trace.views.shaping import Shaping, shaped, shaping_of

STAGES = ("scores", "scaled", "bias", "biased", "masked", "pattern")
"""The squares in the order in which one becomes the next, where a model has them."""
STAGE_WORDS = {"bias": "shift", "biased": "shifted"}
"""How a stage is called where not by its name; as in the pipeline."""
UNITS = {"bias": "shift", "pattern": "share"}
"""What a number is at the stages that are no products of vectors."""
OF_THE_REST = "share of the rest"
NOTES = {
    "scores": "a cell is its row's query · its column's key",
    "scaled": "every score divided by √{d_head} = {root}",
    "bias": "a learned number for each distance, added to the score",
    "biased": "the score and the shift for its distance, added up",
    "masked": "{mask}",
    "pattern": "each row sums to 1",
}
MASKED_CELLS = "masked cells are empty"
EMPTY_CELLS = {
    "masked": {
        AFTER: "masked: −∞, since the key comes after the query",
        FAR: f"masked: −∞, since the key is {FAR}",
        PADDING: "masked: padding",
        NO_KEY: NO_KEY,
    },
    "pattern": {
        AFTER: "share = 0, since the cell is masked",
        FAR: "share = 0, since the cell is masked",
        PADDING: "masked: padding",
        NO_KEY: NO_KEY,
    },
}
NO_VALUE = "not a number"
LEFT_NOTHING = "nothing: the first token took it all"
ROWS_LOOK = "rows look at columns"
TARGET_LOOKS = "rows, of the target, look at columns, of the source"
DIMMED = "the first token is dimmed"


@dataclass(frozen=True, slots=True, eq=False)
class MapView:
    """A map of one head, and what to say about it."""

    layer: int
    head: int
    stage: str
    matrix: Matrix
    """[rows, columns] in the shape; NaN where nothing may be seen."""
    recorded: FloatArray
    """[n_query, n_key] as the trace has it; NaN where the mask forbids to look."""
    mask: NDArray[np.bool_]
    """[n_query, n_key]: where a query may look."""
    shaping: Shaping
    unit: str
    """What a number is: "share", "q · k"."""
    note: str
    """How to read the map, and what was done to it."""
    layer_words: str
    """ "layer 2", "cross layer 2"."""
    is_cross: bool = False
    """Whether rows are of the text, and columns of its source."""
    buckets: Buckets | None = None
    """Which distances share a number, where the numbers are shifts."""

    def where(self, row: int, column: int) -> str:
        """The place of a cell: both tokens with their numbers."""
        shape = self.shaping
        query = named(shape.rows.labels[row], shape.row_tokens[row])
        key = named(shape.columns.labels[column], shape.column_tokens[column])
        place = f"{self.layer_words} · head {self.head + 1}"
        return f"{place} · query {query} → key {key}"

    def value(self, row: int, column: int) -> str:
        """The number of a cell with its unit, or why there is none."""
        number = float(self.matrix.values[row, column])
        if np.isnan(number):
            return self._why_empty(row, column)
        return f"{self.unit} = {short(number, 4)}"

    def status(self, row: int, column: int) -> str:
        """Place and number in one line."""
        said = f"{self.where(row, column)}: {self.value(row, column)}"
        if self.buckets is None:
            return said
        return f"{said} · {self.buckets.words(*self.shaping.tokens_at(row, column))}"

    def tip(self, row: int, column: int) -> str:
        """Place and number, and what was recorded where that is another number."""
        where = self.where(row, column).replace(" · query", "\nquery")
        lines = [where, self.value(row, column)]
        query, key = self.shaping.tokens_at(row, column)
        recorded = float(self.recorded[query, key])
        is_one_cell = self._size(row, column) == 1
        if not self.shaping.is_plain and is_one_cell and not np.isnan(recorded):
            lines.append(f"recorded: {short(recorded, 4)}")
        if self.buckets is not None:
            lines.append(self.buckets.words(query, key))
        return "\n".join(lines)

    def _size(self, row: int, column: int) -> int:
        shape = self.shaping
        return len(shape.row_tokens[row]) * len(shape.column_tokens[column])

    def _why_empty(self, row: int, column: int) -> str:
        query, key = self.shaping.tokens_at(row, column)
        hidden = why_hidden(self.mask, query, key)
        if hidden and self.stage in EMPTY_CELLS:
            return EMPTY_CELLS[self.stage][hidden]
        was_there = not np.isnan(self.recorded[query, key])
        return LEFT_NOTHING if self.shaping.has_no_sink and was_there else NO_VALUE


def stages_of(trace: Trace, attn: str) -> tuple[str, ...]:
    """The stages that an attention has: T5 shifts scores, and does not scale them."""
    return tuple(stage for stage in STAGES if f"{attn}.{stage}" in trace.keys)


def stage_before(trace: Trace, attn: str) -> str:
    """The stage that is masked: "scaled", or "biased"."""
    return trace.step(f"{attn}.masked").inputs[0].rpartition(".")[2]


def nearest_stage(trace: Trace, attn: str, stage: str) -> str:
    """The same stage of another attention, or the scores where it has none such."""
    return stage if stage in stages_of(trace, attn) else STAGES[0]


def map_parts(trace: Trace, key: str, head: int) -> tuple[tuple[str, Index], ...]:
    """What `map_view` asks of the trace; masked scores keep the range before them."""
    attn, _, stage = key.rpartition(".")
    parts: tuple[tuple[str, Index], ...] = ((key, (head,)),)
    if stage != "masked":
        return parts
    return (*parts, (f"{attn}.{stage_before(trace, attn)}", (head,)))


def map_view(trace: Trace, key: str, head: int, viewing: Viewing) -> MapView:
    """The map of one head at the stage of `key`."""
    attn, _, stage = key.rpartition(".")
    viewing = viewing_of(viewing, kind_of(trace.config, key))
    layer = trace.step(key).layer
    assert layer is not None
    recorded = seen(trace, key, trace.part(key, (head,)))
    shaping = shaping_of(trace, viewing, stage)
    values = shaped(recorded, shaping)
    dimmed = dimmed_in(shaping, viewing)
    ranged = values
    if stage == "masked":  # the same range as one step before
        before = f"{attn}.{stage_before(trace, attn)}"
        ranged = shaped(trace.part(before, (head,)), shaping)
    scale = scale_of(stage, ranged, dimmed, viewing)
    axes = shaping.rows, shaping.columns
    return MapView(
        layer=layer,
        head=head,
        stage=stage,
        matrix=Matrix(values, *axes, scale, "pattern", key, (head,), dimmed),
        recorded=recorded,
        mask=trace.mask_of(key),
        shaping=shaping,
        unit=unit_of(trace, key, shaping),
        note=note_of(trace, key, shaping, scale, is_dimmed=bool(dimmed)),
        layer_words=attention_words(attn),
        is_cross=trace.step(key).is_cross,
        buckets=buckets_of(trace, key) if stage == "bias" else None,
    )


def row_parts(key: str, query: int) -> tuple[tuple[str, Index], ...]:
    """What `row_in_heads` asks of the trace."""
    return ((key, (None, query)),)


def row_in_heads(trace: Trace, key: str, query: int, viewing: Viewing) -> Matrix:
    """The row of one query in every head of the layer: [n_heads, columns].

    A word's row is that of its last token: means belong to the map.
    """
    stage = key.rpartition(".")[2]
    viewing = viewing_of(viewing, kind_of(trace.config, key))
    shaping = shaping_of(trace, viewing, stage)
    row = trace.part(key, (None, query))
    recorded = seen(trace, key, row, query)
    single = replace(shaping, row_tokens=((0,),))
    values = shaped(recorded[:, None, :], single)[:, 0]
    dimmed = dimmed_in(shaping, viewing)
    names = tuple(str(head + 1) for head in range(len(values)))
    scale = scale_of(stage, values, dimmed, viewing)
    axes = Axis("head", names), shaping.columns
    return Matrix(values, *axes, scale, "pattern", key, (), dimmed)


def seen(
    trace: Trace, key: str, values: FloatArray, query: int | None = None
) -> FloatArray:
    """Values of a step with NaN where its mask forbids to look, at stages behind it.

    [..., n_query, n_key], or [..., n_key] of one query.
    """
    if key.rpartition(".")[2] not in EMPTY_CELLS:
        return values
    mask = trace.mask_of(key)
    allowed = mask if query is None else mask[query]
    return values if allowed.all() else np.where(allowed, values, np.float32(np.nan))


def dimmed_in(shaping: Shaping, viewing: Viewing) -> tuple[int, ...]:
    """The columns that are drawn faintly: the first token's, if there are others."""
    sink = shaping.column_of(shaping.sink)
    is_dimmed = viewing.sink == "dimmed" and len(shaping.column_tokens) > 1
    return (sink,) if is_dimmed and sink is not None else ()


def scale_of(
    stage: str, values: FloatArray, dimmed: Sequence[int], viewing: Viewing
) -> Scale:
    """Shares run to 1, or the largest beside dimmed ones; scores to their largest."""
    others = np.delete(values, dimmed, axis=-1) if dimmed else values
    if stage != "pattern":
        return Scale("signed", largest_size(others))
    limit = (largest_size(others) or 1.0) if dimmed else 1.0
    return Scale("share", limit, viewing.is_log, viewing.threshold)


def note_of(
    trace: Trace, key: str, shaping: Shaping, scale: Scale, *, is_dimmed: bool
) -> str:
    """How to read a map: what a cell is, and everything that was done to it."""
    attn, _, stage = key.rpartition(".")
    told = [ROWS_LOOK if not trace.step(key).is_cross else TARGET_LOOKS]
    if shaping.is_plain:
        d_head = trace.config.d_head
        if stage == "pattern" and not trace.mask_of(key).all():
            told.append(MASKED_CELLS)
        mask, root = mask_words(trace, attn), short(sqrt(d_head))
        told.append(NOTES[stage].format(d_head=d_head, root=root, mask=mask))
    return " · ".join((*told, *tellings_of(shaping, scale, is_dimmed=is_dimmed)))


def tellings_of(shaping: Shaping, scale: Scale, *, is_dimmed: bool) -> tuple[str, ...]:
    """Everything that was done to a map and its colours, in words."""
    told = [*shaping.notes]
    if is_dimmed:
        told.append(f"{DIMMED}: colours end at {short(scale.limit)}")
    if scale.is_log:
        told.append("colours by the logarithm")
    if scale.threshold > 0:
        told.append(f"shares under {short(scale.threshold)} have no colour")
    return tuple(told)


def unit_of(trace: Trace, key: str, shaping: Shaping) -> str:
    """What the numbers of a map are."""
    is_of_rest = shaping.has_no_sink and shaping.is_of_shares
    return OF_THE_REST if is_of_rest else stage_unit(trace, key)


def stage_unit(trace: Trace, key: str) -> str:
    """What the numbers of a stage are, as far as they have come: "q · k / √d + b"."""
    attn, _, stage = key.rpartition(".")
    if stage in UNITS:
        return UNITS[stage]
    done = STAGES[: STAGES.index(stage) + 1]
    scaled, shifted = (
        name in done and f"{attn}.{name}" in trace.keys for name in ("scaled", "biased")
    )
    return "q · k" + " / √d" * scaled + " + b" * shifted


def named(label: str, tokens: Sequence[int]) -> str:
    """A token or a word with its number: "·met (6)", "Mira (1–2)"."""
    first, last = tokens[0] + 1, tokens[-1] + 1
    return f"{label} ({first})" if first == last else f"{label} ({first}–{last})"
