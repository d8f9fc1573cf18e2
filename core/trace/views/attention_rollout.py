"""Rollout as a map: how much of each token's row came from which token, by one layer.

In: the maps of `core.analysis.rollout`, and a layer. Out: the map in the shape that a
person chose, and words for every cell. Layers and tokens count from 1 for a reader.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.analysis.rollout import Joining
from core.config import ModelConfig
from core.trace.attentions import Kind, kind_named
from core.trace.matrix import FloatArray, Matrix
from core.trace.numbers import short
from core.trace.token_side import TEXTS
from core.trace.trace import Trace
from core.trace.viewing import Viewing
from core.trace.views.attention_map import (
    LEFT_NOTHING,
    NO_VALUE,
    dimmed_in,
    named,
    scale_of,
    tellings_of,
)
from core.trace.views.axes import largest_size
from core.trace.views.masking import AFTER, FAR, NO_KEY, PADDING, why_hidden
from core.trace.views.shaping import Shaping, shaped, shaping_of

HEADS_JOINED: dict[Joining, str] = {
    "mean": "the mean of its heads",
    "largest": "the largest of its heads, rows brought to 1",
}
READING = "row: a token · column: where its row comes from"
SUMS = {
    False: "rows sum to 1",
    True: "what is missing from 1 came from the target itself",
}
"""By whether the columns are of another text."""
HIDDEN = {
    AFTER: "share = 0: the token comes later",
    FAR: f"share = 0: {FAR}",
    PADDING: "share = 0: padding",
    NO_KEY: NO_KEY,
}
ABOUT = (
    "What it is: the share of each token's row that would come from each token of the "
    "{text} if every layer mixed rows by {joined}{kept}.{alone} "
    "What it is not: a measurement. Values, W_O, norms and feed-forward layers are "
    "left out, so a large share need not matter to the next token."
)
KEPT = {True: ", and kept half of each row", False: ""}
"""By whether there is a residual stream."""
ALONE = {"decoder": " What cross attention brings in from the source is left out."}
ABOUT_CROSS = (
    "What it is: the share of each row of the target that would come from each token "
    "of the source if both attentions of every layer (A within the target, C across) "
    "mixed rows by {joined}{kept}; E is the encoder, rolled out. What it is not: a "
    "measurement. Values, W_O, norms and feed-forward layers are left out, so a large "
    "share need not matter to the next token."
)


def about(config: ModelConfig, kind: Kind, joining: Joining) -> str:
    """What the map of a kind is, and what it is not."""
    words = {"joined": HEADS_JOINED[joining], "kept": KEPT[config.residual]}
    if kind.is_cross:
        return ABOUT_CROSS.format(**words)
    alone = ALONE.get(kind.name, "")
    return ABOUT.format(text=TEXTS[kind.name], alone=alone, **words)


@dataclass(frozen=True, slots=True, eq=False)
class RolloutView:
    """The map of one layer."""

    layer: int
    matrix: Matrix
    """[rows, columns] in the shape; NaN where nothing can come from."""
    recorded: FloatArray
    """[n_query, n_key], before anything was left out or joined."""
    mask: NDArray[np.bool_]
    """[n_query, n_key]: where a query may look."""
    shaping: Shaping
    title: str
    span: str
    """ "layers 1 to 2"."""
    about: str
    """What it is and what it is not."""
    note: str
    """How to read the map, and what was done to it."""

    def where(self, row: int, column: int) -> str:
        """Both tokens with their numbers."""
        shape = self.shaping
        into = named(shape.rows.labels[row], shape.row_tokens[row])
        out_of = named(shape.columns.labels[column], shape.column_tokens[column])
        return f"through {self.span} · {into} ← {out_of}"

    def value(self, row: int, column: int) -> str:
        """The share of a cell, or why there is none."""
        share = float(self.matrix.values[row, column])
        if not np.isnan(share):
            return f"share = {short(share, 4)}"
        query, key = self.shaping.tokens_at(row, column)
        if hidden := why_hidden(self.mask, query, key):
            return HIDDEN[hidden]
        was_there = not np.isnan(self.recorded[query, key])
        return LEFT_NOTHING if self.shaping.has_no_sink and was_there else NO_VALUE

    def status(self, row: int, column: int) -> str:
        """Place and share in one line."""
        return f"{self.where(row, column)}: {self.value(row, column)}"

    def tip(self, row: int, column: int) -> str:
        """Place and share, a line each."""
        place = self.where(row, column).replace(" · ", "\n", 1)
        return f"{place}\n{self.value(row, column)}"


def rollout_view(
    trace: Trace, maps: FloatArray, layer: int, joining: Joining, viewing: Viewing
) -> RolloutView:
    """The map up to and with one layer, of `maps` [n_layers, n_query, n_key].

    They are of the viewing's kind.
    """
    kind, shaping = kind_named(trace.config, viewing.kind), shaping_of(trace, viewing)
    # A key out of a window can be reached through a layer below; none ahead can.
    reach = np.maximum.accumulate(trace.mask_of(kind.key("pattern")), axis=0)
    seen = np.where(reach, maps[layer], np.float32(np.nan))
    values = shaped(seen, shaping)
    dimmed = dimmed_in(shaping, viewing)
    scale = scale_of("pattern", values, dimmed, viewing)
    if kind.is_cross:  # whose rows sum to less than 1
        scale = replace(scale, limit=largest_size(values) or 1.0)
    axes = shaping.rows, shaping.columns
    told = tellings_of(shaping, scale, is_dimmed=bool(dimmed))
    name = f"{kind.name} ".lstrip()
    span = f"{name}layer 1" if layer == 0 else f"{name}layers 1 to {layer + 1}"
    reading = f"{READING} · {SUMS[kind.is_cross]}"
    return RolloutView(
        layer=layer,
        matrix=Matrix(values, *axes, scale, "pattern", "", (), dimmed),
        recorded=seen,
        mask=reach,
        shaping=shaping,
        title=f"Attention rolled out through {span}",
        span=span,
        about=about(trace.config, kind, joining),
        note=" · ".join([*told, *([reading] if shaping.is_plain else [])]),
    )
