"""What an attention map leaves out and joins, carried out and said in words.

In: a trace and how it is looked at. Out: a `Shaping`: which tokens stand behind each
row and each column, and the sentences that say so. `shaped` then makes a map of any
head and stage in that shape. Where nothing is left out or joined, a map is the trace's
own array.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.analysis.words import word_label, word_runs
from core.trace.attentions import Kind, kind_named
from core.trace.matrix import Axis, FloatArray
from core.trace.token_side import TEXTS, TokenSide
from core.trace.trace import Trace
from core.trace.viewing import Viewing

Places = tuple[int, ...]
SHARE_STAGES = ("pattern",)
"""Stages whose numbers are shares of a whole."""
TOGETHER = {
    True: "words joined: keys summed, queries averaged",
    False: "words joined: a cell is the mean of its tokens' scores",
}
SINK_OUT = {
    True: "the first token is left out: a share is of what it left over",
    False: "the first token is left out",
}
HIDDEN = {
    True: "special tokens hidden, shares unchanged: rows no longer sum to 1",
    False: "special tokens hidden",
}


@dataclass(frozen=True, slots=True, eq=False)
class Shaping:
    """The rows and columns of every map of a sentence, of one kind of attention."""

    rows: Axis
    columns: Axis
    row_tokens: tuple[Places, ...]
    """The queries behind each row."""
    column_tokens: tuple[Places, ...]
    """The keys behind each column."""
    seen: Axis
    """The columns, and what is left out of them."""
    seen_tokens: tuple[Places, ...]
    """The keys behind these."""
    is_of_shares: bool
    """Shares are summed over the keys of a word; scores are averaged."""
    has_no_sink: bool
    sink: int
    """Where spare attention goes: the first token that is no padding."""
    notes: tuple[str, ...]
    """What was done to the numbers, a sentence each; none: nothing."""

    @property
    def is_plain(self) -> bool:
        """Whether a map is the array of the trace."""
        return not self.notes

    def row_of(self, query: int) -> int | None:
        """The row that a query belongs to; None where it is hidden."""
        return place_of(query, self.row_tokens)

    def column_of(self, key: int) -> int | None:
        """The column that a key belongs to; None where it is hidden."""
        return place_of(key, self.column_tokens)

    def tokens_at(self, row: int, column: int) -> tuple[int, int]:
        """The query and the key that stand for a cell: the last of each word."""
        return self.row_tokens[row][-1], self.column_tokens[column][-1]


_known: WeakKeyDictionary[Trace, dict[tuple[Any, ...], Shaping]] = WeakKeyDictionary()
"""The shapings of a sentence: every head, stage and view asks for the same few."""


def shaping_of(trace: Trace, viewing: Viewing, stage: str = "pattern") -> Shaping:
    """How the maps of a stage ("scores" to "pattern") of a kind are shaped.

    A lone first token cannot be left out: there would be nothing left.
    """
    known = _known.setdefault(trace, {})
    kind = kind_named(trace.config, viewing.kind)
    asked = (kind, *viewing.shape, stage in SHARE_STAGES)
    if asked not in known:
        known[asked] = _shaping_of(trace, *asked)
    return known[asked]


def _shaping_of(
    trace: Trace,
    kind: Kind,
    has_words: bool,
    hides_specials: bool,
    has_no_sink: bool,
    is_of_shares: bool,
) -> Shaping:
    looking, seen = (
        trace.rows_of(kind.key("pattern")),
        trace.keys_of(kind.key("pattern")),
    )
    hidden, sink = hides_specials, int(np.argmin(seen.padding))
    rows, columns = (_runs(side, has_words, hidden) for side in (looking, seen))
    all_columns, rest = columns, _without(columns, {sink})
    has_no_sink = has_no_sink and sink < seen.n - 1 and bool(rest)
    columns = rest if has_no_sink else all_columns
    is_joined = has_words and any(len(run) > 1 for run in (*rows, *all_columns))
    is_hidden = hidden and any(_specials(side) for side in (looking, seen))
    notes = [
        table[is_of_shares]
        for table, is_on in (
            (TOGETHER, is_joined),
            (SINK_OUT, has_no_sink),
            (HIDDEN, is_hidden),
        )
        if is_on
    ]
    return Shaping(
        rows=_axis("query", looking, rows),
        columns=_axis("key", seen, columns),
        seen=_axis("key", seen, all_columns),
        seen_tokens=all_columns,
        row_tokens=rows,
        column_tokens=columns,
        is_of_shares=is_of_shares,
        has_no_sink=has_no_sink,
        sink=sink,
        notes=tuple(notes),
    )


def shaped(values: FloatArray, shaping: Shaping) -> FloatArray:
    """A map in the shape: [..., n_query, n_key] -> [..., rows, columns].

    NaN marks a cell without a value. It stays one where no token behind a cell has a
    value; else it counts as a share of 0, and not at all among scores. A query that
    has no value left takes no part in the mean of its word.
    """
    if shaping.is_plain:
        return values
    if shaping.has_no_sink and shaping.is_of_shares:
        values = of_the_rest(values, shaping.sink)
    is_there = ~np.isnan(values)
    total = _block_sums(np.where(is_there, values, np.float32(0)), shaping)
    count = _block_sums(is_there.astype(np.float32), shaping)
    if shaping.is_of_shares:
        voters = np.asarray(is_there.any(axis=-1, keepdims=True), np.float32)
        n = np.broadcast_to(_sums(voters, shaping.row_tokens, -2), total.shape)
    else:
        n = count
    means = np.full_like(total, np.nan)
    np.divide(total, n, out=means, where=count > 0)
    return means


def of_the_rest(pattern: FloatArray, sink: int = 0) -> FloatArray:
    """Every share as one of what the first token left over: a / (1 - a[first]).

    A query that gave the first token all of its attention has nothing left: NaN.
    """
    left = 1 - pattern[..., sink : sink + 1]
    rest = np.full_like(pattern, np.nan)
    np.divide(pattern, left, out=rest, where=left > 0)
    rest[..., sink] = np.nan
    return rest


def _block_sums(values: FloatArray, shaping: Shaping) -> FloatArray:
    by_rows = _sums(values, shaping.row_tokens, -2)  # the cheaper side first
    return _sums(by_rows, shaping.column_tokens, -1)


def _sums(values: FloatArray, runs: Sequence[Places], axis: int) -> FloatArray:
    """The sum over each run of places along an axis; other places are left out.

    All first places, then all second ones: `np.add.reduceat` takes five times as long.
    """
    lengths = np.array([len(run) for run in runs], np.intp)
    firsts = np.array([run[0] for run in runs], np.intp)
    sums: FloatArray = np.take(values, firsts, axis=axis)
    along = np.moveaxis(sums, axis, 0)  # a look at the same numbers
    for step in range(1, int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > step)
        places = np.array([runs[at][step] for at in longer.tolist()], np.intp)
        along[longer] += np.moveaxis(np.take(values, places, axis=axis), axis, 0)
    return sums


def _runs(side: TokenSide, has_words: bool, hides_specials: bool) -> tuple[Places, ...]:
    """The tokens of a text, or its words, without what is hidden."""
    runs: Sequence[Sequence[int]] = [(place,) for place in range(side.n)]
    if has_words:
        runs = _padding_apart(word_runs(side.encoding), side.padding)
    return _without(runs, _specials(side) if hides_specials else set())


def _specials(side: TokenSide) -> set[int]:
    pieces = side.encoding.pieces
    return {place for place, piece in enumerate(pieces) if piece.is_special}


def _axis(role: str, side: TokenSide, runs: Sequence[Places]) -> Axis:
    """The tokens of a side: "query", or of two "target query", by the role."""
    name = f"{TEXTS[side.name]} {role}" if side.name else role
    return Axis(name, tuple(_label(side, run) for run in runs), role)


def _label(side: TokenSide, places: Places) -> str:
    if len(places) == 1:
        return side.label(places[0])
    return word_label([side.encoding.pieces[place] for place in places])


def _padding_apart(
    runs: Sequence[Sequence[int]], padding: NDArray[np.bool_]
) -> Sequence[Sequence[int]]:
    """Words of tokens alone; every padding token stands by itself."""
    if not padding.any():
        return runs
    apart: list[Places] = []
    for run in runs:
        for is_padding, group in groupby(run, lambda place: bool(padding[place])):
            places = tuple(group)
            apart += [(place,) for place in places] if is_padding else [places]
    return apart


def _without(runs: Sequence[Sequence[int]], hidden: set[int]) -> tuple[Places, ...]:
    """The runs without the hidden places; runs that lose all of theirs are gone."""
    left = (tuple(place for place in run if place not in hidden) for run in runs)
    return tuple(run for run in left if run)


def place_of(token: int, runs: Sequence[Places]) -> int | None:
    """Which run a token belongs to; None where it is in none."""
    found = (place for place, run in enumerate(runs) if token in run)
    return next(found, None)
