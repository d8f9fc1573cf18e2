"""All heads of all layers as small maps, each no larger than it is drawn.

Steps: attn.scores to attn.pattern, of one kind of attention. In: a trace, a stage and a
`Viewing`. Out: a map a head, reduced by maximum, so that a single strong cell is never
lost; nothing of it enters the trace's cache. A thousand tokens through 144 heads are
600 MB as they are, and 2 MB so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from core.analysis.heads import SCORES_BY_NAME, HeadScores
from core.trace.attentions import Kind, kind_named, kinds_of_attention
from core.trace.matrix import FloatArray, Scale
from core.trace.reduce import block_size, reduce_by_maximum
from core.trace.trace import Trace
from core.trace.viewing import BY_LAYER, Head, Viewing
from core.trace.views.attention_map import dimmed_in, scale_of, seen
from core.trace.views.shaping import Shaping, shaped, shaping_of

MOST_DOTS = 64
"""A small map has at most so many rows and columns."""
EASY_NUMBERS = 600_000
"""Numbers of all maps that the window's thread may derive by itself."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The shape that all small maps share."""

    rows: int
    columns: int
    """Of the maps as they are."""
    block: int
    """So many rows and columns share a dot."""

    @property
    def text(self) -> str:
        """What is to say of the reduction; "" where there is none."""
        size = f"{self.block} × {self.block}"
        return f"a dot is the largest of {size} numbers" if self.block > 1 else ""


def all_heads(trace: Trace, kind: str = "") -> tuple[Head, ...]:
    """Every head of a kind of attention by layer."""
    layers = range(kind_named(trace.config, kind).n_layers)
    heads = range(trace.config.n_heads)
    return tuple((layer, head) for layer in layers for head in heads)


def grid_of(shaping: Shaping) -> Grid:
    """How far the maps of a sentence are reduced."""
    rows, columns = len(shaping.row_tokens), len(shaping.column_tokens)
    return Grid(rows, columns, block_size(max(rows, columns), MOST_DOTS))


def is_easy(trace: Trace) -> bool:
    """Whether all maps, of whatever kind, can be made in a moment."""
    kinds = kinds_of_attention(trace.config)
    sizes = (prod(trace.shape(kind.key("pattern"))) * kind.n_layers for kind in kinds)
    return max(sizes) <= EASY_NUMBERS


def small_maps(
    trace: Trace, stage: str, viewing: Viewing, heads: Iterable[Head]
) -> dict[Head, FloatArray]:
    """The maps of some heads: [at most MOST_DOTS, at most MOST_DOTS] each.

    Heads are those of the viewing's kind. Those of a short sentence are made all at
    once; long ones would need much memory.
    """
    shaping = shaping_of(trace, viewing, stage)
    kind, block = kind_named(trace.config, viewing.kind), grid_of(shaping).block

    def small(values: FloatArray) -> FloatArray:
        shape = shaped(seen(trace, kind.key(stage), values), shaping)
        return reduce_by_maximum(shape, block, block)

    wanted = tuple(heads)
    if wanted and is_easy(trace):
        stack = small(np.stack([*_whole_maps(trace, kind, stage, wanted)]))
        return dict(zip(wanted, stack, strict=True))
    return {
        (layer, head): small(trace.fresh(kind.key(stage, layer), (head,)))
        for layer, head in wanted
    }


def _whole_maps(
    trace: Trace, kind: Kind, stage: str, wanted: Sequence[Head]
) -> Iterator[FloatArray]:
    """The maps as they are; the heads of a layer are derived together."""
    stacks: dict[int, FloatArray] = {}
    for layer, head in wanted:
        if layer not in stacks:
            stacks[layer] = trace.fresh(kind.key(stage, layer))
        yield stacks[layer][head]


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """The maps that are there, in one scale."""

    maps: Mapping[Head, FloatArray]
    scale: Scale
    dimmed: tuple[int, ...]
    note: str
    """How a dot is made, and what was left out or joined."""


def overview_of(
    trace: Trace, stage: str, viewing: Viewing, maps: Mapping[Head, FloatArray]
) -> Overview:
    """One scale for all maps that are there, and how to read them.

    Where dots stand for several columns, no column can be dimmed alone.
    """
    shaping = shaping_of(trace, viewing, stage)
    grid = grid_of(shaping)
    dimmed = dimmed_in(shaping, viewing) if grid.block == 1 else ()
    values = np.stack(list(maps.values())) if maps else np.zeros((1, 1, 1), np.float32)
    scale = scale_of(stage, values, dimmed, viewing)
    return Overview(maps, scale, dimmed, " · ".join((*told(grid), *shaping.notes)))


def told(grid: Grid) -> tuple[str, ...]:
    """What is to say of the reduction."""
    return (grid.text,) if grid.text else ()


def ordered(
    heads: Iterable[Head], scores: HeadScores | None, order: str
) -> tuple[Head, ...]:
    """The heads by layer, or by a score, the highest first and those without last."""
    heads = tuple(heads)
    if order == BY_LAYER or scores is None or order not in scores.by_name:
        return heads
    values = scores.by_name[order]
    keyed = np.nan_to_num(np.array([values[head] for head in heads]), nan=-np.inf)
    return tuple(heads[place] for place in np.argsort(-keyed, kind="stable"))


def caption_of(head: Head, scores: HeadScores | None, order: str) -> str:
    """What stands over a map: "L2 H3 .86", with the score they are ordered by."""
    layer, place = head
    name = f"L{layer + 1} H{place + 1}"
    if scores is None or order not in scores.by_name:
        return name
    return f"{name} {score_text(order, float(scores.by_name[order][head]))}"


def score_text(name: str, value: float) -> str:
    """A score as a caption tells it: ".86", "3.2"; "–" for none."""
    if np.isnan(value):
        return "–"
    if SCORES_BY_NAME[name].unit == "share":
        return f"{value:.2f}".replace("0.", ".", 1)
    return f"{value:.1f}"


def tints(
    heads: Iterable[Head], scores: HeadScores | None, order: str
) -> Mapping[Head, float]:
    """How much of its bar each head fills: its share, or its part of the largest."""
    if scores is None or order not in scores.by_name:
        return {}
    values = scores.by_name[order]
    is_share = SCORES_BY_NAME[order].unit == "share"
    known = values[np.isfinite(values)]
    most = 1.0 if is_share else float(known.max(initial=0.0)) or 1.0
    return {
        head: float(values[head]) / most for head in heads if np.isfinite(values[head])
    }
