"""Shares of some heads, cut out row by row or column by column as they are looked at.

Below the pictures that follow one token: lines, and shades in the text. In: whole maps
of the pattern and a `Shaping`. Only what is asked for is shaped, so a map of a thousand
tokens costs what its rows in sight cost.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from core.trace.attentions import kind_named
from core.trace.matrix import FloatArray
from core.trace.needs import Index
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Head, Viewing
from core.trace.views.masking import AFTER, FAR, NO_KEY, PADDING, why_hidden
from core.trace.views.shaping import Places, Shaping, shaped, shaping_of

LEFTWARD = ("R", "AL")
"""The directions of Hebrew and Arabic letters in Unicode."""
ISOLATE, END_ISOLATE = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
NOTHING_THERE = np.float32(np.nan)
FEW_HEADS = 2
MOST_AT_ONCE = 64 * 2**20
"""So many bytes of a layer's pattern are asked for as one: its scores, which are not
needed, then leave the trace's cache before it does."""
HIDDEN = {
    AFTER: "masked",
    FAR: "masked: too far back",
    PADDING: "masked: padding",
    NO_KEY: NO_KEY,
}
LEFT_NOTHING = "nothing: the first token took it all"
NO_NUMBER = "not a number"
LEAST_WRITTEN = 0.001
"""A smaller share is not written as a number."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The pattern of some heads in one shape."""

    heads: tuple[Head, ...]
    maps: tuple[FloatArray, ...]
    """One a head: [n_query, n_key], the trace's own arrays."""
    mask: NDArray[np.bool_]
    """[n_query, n_key]: where a query may look."""
    shaping: Shaping

    @property
    def n_rows(self) -> int:
        """Queries, or words that look."""
        return len(self.shaping.row_tokens)

    @property
    def n_columns(self) -> int:
        """Keys, or words looked at."""
        return len(self.shaping.column_tokens)

    def rows(self, start: int, stop: int) -> FloatArray:
        """[n_heads, stop - start, n_columns]; NaN where the mask forbids to look."""
        tokens, runs = renumbered(self.shaping.row_tokens[start:stop])
        values = np.stack([each[tokens] for each in self.maps])
        seen = np.where(self.mask[tokens], values, NOTHING_THERE)
        return shaped(seen, replace(self.shaping, row_tokens=runs))

    def columns(self, start: int, stop: int) -> FloatArray:
        """[n_heads, n_rows, stop - start]; NaN where the mask forbids to look."""
        shaping = self.shaping
        first = (shaping.sink,) if shaping.has_no_sink else ()  # others are of the rest
        tokens, runs = renumbered((first, *shaping.column_tokens[start:stop]))
        values = np.stack([each[:, tokens] for each in self.maps])
        seen = np.where(self.mask[:, tokens], values, NOTHING_THERE)
        return shaped(seen, replace(shaping, column_tokens=runs[1:], sink=0))


def why_none(shares: Shares, row: int, column: int) -> str:
    """Why there is no share between a row and a column, whose share is NaN."""
    shaping = shares.shaping
    queries, keys = shaping.row_tokens[row], shaping.column_tokens[column]
    at = np.ix_(queries, keys)
    allowed = shares.mask[at]
    if not allowed.any():
        return HIDDEN[why_hidden(shares.mask, queries[-1], keys[-1])]
    is_finite = all(np.isfinite(each[at][allowed]).all() for each in shares.maps)
    return LEFT_NOTHING if is_finite and shaping.has_no_sink else NO_NUMBER


def renumbered(runs: Sequence[Places]) -> tuple[NDArray[np.intp], tuple[Places, ...]]:
    """All places of some runs in a row, and the runs as places in that row."""
    tokens = np.array([place for run in runs for place in run], np.intp)
    ends = np.cumsum([len(run) for run in runs]).tolist()
    return tokens, tuple(
        tuple(range(end - len(run), end)) for run, end in zip(runs, ends, strict=True)
    )


def share_parts(
    trace: Trace, heads: Sequence[Head], viewing: Viewing = PLAIN
) -> tuple[tuple[str, Index], ...]:
    """What the worker derives for `shares_of`: whole maps, many heads all at once."""
    kind = kind_named(trace.config, viewing.kind)
    n_bytes = 4 * prod(trace.shape(kind.key("pattern")))
    if len(heads) > FEW_HEADS and n_bytes <= MOST_AT_ONCE:
        layers = {layer: None for layer, _ in heads}
        return tuple((kind.key("pattern", layer), ()) for layer in layers)
    return tuple((kind.key("pattern", layer), (head,)) for layer, head in heads)


def shares_of(trace: Trace, heads: Sequence[Head], viewing: Viewing) -> Shares:
    """The pattern of these heads, of the viewing's kind, as it is looked at."""
    kind = kind_named(trace.config, viewing.kind)
    keys = [kind.key("pattern", layer) for layer, _ in heads]
    return Shares(
        heads=tuple(heads),
        maps=tuple(
            trace.part(key, (head,)) for key, (_, head) in zip(keys, heads, strict=True)
        ),
        mask=trace.mask_of(kind.key("pattern")),
        shaping=shaping_of(trace, viewing),
    )


def percent(share: float) -> str:
    """A share for a person: "57 %", "5.7 %", "<0.1 %"."""
    if np.isnan(share):
        return NO_NUMBER
    if 0 < share < LEAST_WRITTEN:
        return "<0.1 %"
    digits = 0 if share >= 0.0995 or share == 0 else 1
    return f"{100 * share:.{digits}f} %"


def numbered(labels: Sequence[str], place: int) -> str:
    """A token or word with its place, counted from 1: "·cat (2)"."""
    return f"{isolated(labels[place])} ({place + 1})"


def isolated(label: str) -> str:
    """A label of a leftward script, so that the words around it keep their order."""
    return f"{ISOLATE}{label}{END_ISOLATE}" if is_leftward(label) else label


def is_leftward(label: str) -> bool:
    """Whether a label has letters of a script that is read from right to left."""
    return any(unicodedata.bidirectional(each) in LEFTWARD for each in label)


def counted_heads(heads: Sequence[Head], n_heads: int, kind: str = "") -> str:
    """Heads in words: "layer 1 · head 3", "layer 2 · heads 1, 3 + layer 3 · head 1"."""
    by_layer: dict[int, list[int]] = {}
    for layer, head in sorted(heads):
        by_layer.setdefault(layer, []).append(head)
    return " + ".join(
        f"{kind} layer {layer + 1} · {_in_layer(of_it, n_heads)}".lstrip()
        for layer, of_it in by_layer.items()
    )


def _in_layer(heads: list[int], n_heads: int) -> str:
    if len(heads) == 1:
        return f"head {heads[0] + 1}"
    if len(heads) == n_heads:
        return f"all {n_heads} heads"
    return "heads " + ", ".join(str(head + 1) for head in heads)
