"""Two heads side by side, and their difference: of one sentence or of two.

In: two maps of one stage. Out: the difference where both have a row and a column for
it, and what differs most. Sentences of unequal length are aligned by their tokens; what
one of them alone has is not subtracted from anything.
"""

from dataclasses import dataclass, replace

import numpy as np

from core.analysis.alignment import Pair, aligned
from core.trace.attentions import kind_named
from core.trace.matrix import Axis, FloatArray, Matrix, Scale
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.viewing import Head, Viewing
from core.trace.views.attention_map import MapView, map_parts, map_view
from core.trace.views.axes import largest_size

N_LARGEST = 8
"""Differences that are listed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """One of the largest differences."""

    row: int
    column: int
    """Its place in the map of the difference."""
    query: str
    key: str
    one: float
    other: float


@dataclass(frozen=True, slots=True, eq=False)
class CompareView:
    """Two maps and what lies between them."""

    one: MapView
    other: MapView
    difference: Matrix
    """[agreed rows, agreed columns], one - other; NaN where either has no value."""
    rows: tuple[Pair, ...]
    """The row of each map that a row of the difference is made of."""
    columns: tuple[Pair, ...]
    largest: tuple[Gap, ...]
    note: str
    """How many tokens agree, where not all do."""

    def tip(self, row: int, column: int) -> str:
        """Both numbers and their difference."""
        (r, s), (c, d) = self.rows[row], self.columns[column]
        numbers = self.one.matrix.values[r, c], self.other.matrix.values[s, d]
        query, key = self.difference.rows.labels[row], self.difference.columns.labels
        place = f"query {query} → key {key[column]}"
        if np.isnan(numbers).any():
            return (
                f"{place}\nno value in {'both' if np.isnan(numbers).all() else 'one'}"
            )
        one, other = map(float, numbers)
        return f"{place}\n{short(one)} − {short(other)} = {with_sign(one - other)}"

    def place_of(self, row: int, column: int) -> tuple[int, int] | None:
        """Where a cell of the first map stands in the difference; None: nowhere."""
        found_rows = [place for place, (r, _) in enumerate(self.rows) if r == row]
        found = [place for place, (c, _) in enumerate(self.columns) if c == column]
        return (found_rows[0], found[0]) if found_rows and found else None


def other_head(viewing: Viewing, head: Head, n_heads: int, *, is_two: bool) -> Head:
    """The head to compare with: the chosen one; else the same in another sentence.

    In the same sentence it is the next one of the layer.
    """
    if viewing.other is not None:
        return viewing.other
    layer, place = head
    return head if is_two else (layer, (place + 1) % n_heads)


def compare_parts(
    trace: Trace, stage: str, head: Head, viewing: Viewing
) -> tuple[tuple[str, Index], ...]:
    """What one map asks of its trace."""
    kind = kind_named(trace.config, viewing.kind)
    return map_parts(trace, kind.key(stage, head[0]), head[1])


def with_sign(x: float) -> str:
    """A difference: "+0.19", "−0.19", "0.00"."""
    return f"+{short(x)}" if x > 0 else short(x)


def compare_view(
    one: tuple[Trace, Head], other: tuple[Trace, Head], stage: str, viewing: Viewing
) -> CompareView:
    """Compare a head of a trace with a head of that or of another trace.

    Both are of the viewing's kind.
    """
    kind = kind_named(one[0].config, viewing.kind)
    maps = [
        map_view(trace, kind.key(stage, layer), head, viewing)
        for trace, (layer, head) in (one, other)
    ]
    rows = aligned(*(view.shaping.rows.labels for view in maps))
    columns = aligned(*(view.shaping.columns.labels for view in maps))
    values = [
        cut_to(view.matrix.values, [r[side] for r in rows], [c[side] for c in columns])
        for side, view in enumerate(maps)
    ]
    difference = values[0] - values[1]
    first = maps[0].shaping
    axes = (
        replace(first.rows, labels=tuple(first.rows.labels[r] for r, _ in rows)),
        replace(
            first.columns, labels=tuple(first.columns.labels[c] for c, _ in columns)
        ),
    )
    scale = Scale("signed", largest_size(difference))
    return CompareView(
        one=maps[0],
        other=maps[1],
        difference=Matrix(difference, *axes, scale, "pattern"),
        rows=rows,
        columns=columns,
        largest=_largest(values, axes),
        note=_note(maps, rows, columns),
    )


def _largest(values: list[FloatArray], axes: tuple[Axis, Axis]) -> tuple[Gap, ...]:
    """The cells that differ most, the largest first; equal ones are none."""
    sizes = np.nan_to_num(np.abs(values[0] - values[1]))
    places = [divmod(place, sizes.shape[1]) for place in largest_places(sizes)]
    return tuple(
        Gap(
            row,
            column,
            axes[0].labels[row],
            axes[1].labels[column],
            float(values[0][row, column]),
            float(values[1][row, column]),
        )
        for row, column in places
    )


def cut_to(values: FloatArray, rows: list[int], columns: list[int]) -> FloatArray:
    """Some rows and columns of a map; the map itself where that is all of them."""
    if (len(rows), len(columns)) == values.shape:
        return values
    cut: FloatArray = values[np.ix_(rows, columns)]
    return cut


def largest_places(sizes: FloatArray) -> list[int]:
    """Where the largest numbers above 0 stand in reading order, the largest first.

    Only as many are sorted as are told: a map may have a million cells.
    """
    flat = sizes.ravel()
    least = 0.0
    if flat.size > N_LARGEST:
        least = np.partition(flat, flat.size - N_LARGEST)[-N_LARGEST]
    found = np.flatnonzero((flat >= least) & (flat > 0))
    order = np.argsort(-flat[found], kind="stable")[:N_LARGEST]
    return [int(place) for place in found[order]]


def _note(
    maps: list[MapView], rows: tuple[Pair, ...], columns: tuple[Pair, ...]
) -> str:
    """How many tokens agree, of each text that is another on the other map."""
    shapings = [view.shaping for view in maps]
    looking = [len(shaping.row_tokens) for shaping in shapings]
    seen = [len(shaping.column_tokens) for shaping in shapings]
    if not maps[0].is_cross:
        return _agreed(looking, len(rows), "tokens", "sentences")
    said = (
        _agreed(looking, len(rows), "tokens of the target", "targets"),
        _agreed(seen, len(columns), "tokens of the source", "sources"),
    )
    return " ".join(filter(None, said))


def _agreed(counts: list[int], n_agreed: int, tokens: str, texts: str) -> str:
    if counts == [n_agreed, n_agreed]:
        return ""
    return (
        f"{n_agreed} {tokens} agree and are compared; the {texts} have "
        f"{counts[0]} and {counts[1]}."
    )
