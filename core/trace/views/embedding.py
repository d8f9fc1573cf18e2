"""What the embedding panel shows: the table, the rows in use, and a row's neighbours.

In: a trace. Out: matrices, cosines, a flat map. Steps: embed.token, embed.scaled. The
table may be large, so what needs all of it is worked out once a table.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from core.trace import statistics
from core.trace.matrix import Axis, Cell, FloatArray, Matrix
from core.trace.numbers import may_be_broken, short
from core.trace.selection import Selection, feature_of
from core.trace.step import on_side, side_of
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, row_axis, signed_scale
from core.trace.views.places import LabelOf
from core.trace.views.roles import role_of

TABLE, TOKEN, SCALED = "embed.W_E", "embed.token", "embed.scaled"
N_AROUND = 2
"""Rows of the table shown above and below the chosen one."""
N_BANDS = 1024
"""The overview of the table has at most so many rows: more than a screen has."""


@dataclass(frozen=True, slots=True)
class Table:
    """An embedding table, told from others by where it lies in memory.

    Holding the numbers keeps the place from being used again.
    """

    place: int
    shape: tuple[int, ...]
    values: FloatArray = field(compare=False, repr=False)
    """[n_vocab, d_model]."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The rows that point most nearly where one row points, nearest first."""

    ids: tuple[int, ...]
    cosines: FloatArray
    """[n]."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatMap:
    """Rows seen from where they differ most."""

    ids: tuple[int, ...]
    points: FloatArray
    """[n, 2], around zero."""
    shares: tuple[float, float]
    """How much of the rows' spread each of the two directions holds, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """The whole table, bands of rows reduced to the strongest number of each feature.

    With its sign; from reduced maps it is drawn smaller yet by the same rule.
    """

    matrix: Matrix
    rows_per_band: int


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows of the table to look at."""

    ids: tuple[int, ...]
    title: str
    selected: tuple[int, int]
    """Place in `ids`, and feature."""


def table_of(trace: Trace) -> Table:
    """The embedding table of the trace's model."""
    values = trace.part(TABLE)
    return Table(values.__array_interface__["data"][0], values.shape, values)


@lru_cache(maxsize=1)
def lengths(table: Table) -> FloatArray:
    """The length of every row, 1 where it is zero: [n_vocab]."""
    found = statistics.lengths(table.values)
    return np.where(found == 0, np.float32(1), found)


def directed(table: Table) -> NDArray[np.bool_]:
    """Which rows point somewhere: those of a finite length. [n_vocab]."""
    return np.isfinite(lengths(table))


def aimless_words(table: Table) -> str:
    """Which rows can be compared with none, and why; "" where there are none."""
    rows = np.flatnonzero(~directed(table))
    if not len(rows):
        return ""
    if len(rows) == 1:
        return f"Row {rows[0]} is left out: its length is not a finite number."
    return (
        f"{len(rows):,} rows are left out, the first of them row {rows[0]}: their "
        "lengths are not finite numbers."
    )


@may_be_broken
def cosines_to(table: Table, row: int) -> FloatArray:
    """The cosine of every row with one row: [n_vocab]."""
    found = lengths(table)
    cosines: FloatArray = table.values @ (table.values[row] / found[row]) / found
    return cosines


def weight_cell(row: int, feature: int) -> Cell:
    """The address of one number of the table."""
    return Cell(TABLE, (row, feature))


def cosine_cell(row: int, other: int) -> Cell:
    """The address of the cosine of two rows of the table."""
    return statistics.statistic_cell("cosine", (TABLE, row), (TABLE, other))


@lru_cache(maxsize=64)
def nearest(table: Table, row: int, n: int) -> Neighbours:
    """The `n` rows with the largest cosine to `row`, without itself.

    Rows without a direction are nobody's neighbours.
    """
    may = directed(table) & directed(table)[row]
    may[row] = False
    others = np.where(may, cosines_to(table, row), -np.inf)
    n = min(n, int(may.sum()))
    best = np.argpartition(-others, n - 1)[:n] if n else np.arange(0)
    best = best[np.argsort(-others[best], kind="stable")]
    return Neighbours(tuple(map(int, best)), others[best].astype(np.float32))


@lru_cache(maxsize=64)
def flat_map(table: Table, ids: tuple[int, ...]) -> FlatMap:
    """Some rows in the plane in which they differ most (principal components).

    Each row counts at length 1, since neighbours are told by direction alone; those
    without a direction are left out.
    """
    ids = tuple(row for row in ids if directed(table)[row])
    if not ids:
        return FlatMap((), np.zeros((0, 2), dtype=np.float32), (0.0, 0.0))
    rows = table.values[list(ids)] / lengths(table)[list(ids), None]
    centred = rows - rows.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    # The sign of a direction means nothing: its largest entry is made positive.
    largest = np.abs(right).argmax(axis=1)
    signs = np.sign(right[np.arange(len(right)), largest])
    points = np.zeros((len(ids), 2), dtype=np.float32)
    n = min(2, len(sizes))
    points[:, :n] = left[:, :n] * sizes[:n] * signs[:n]
    spread = sizes**2 / max(float((sizes**2).sum()), 1e-30)
    first, second = (float(share) for share in np.append(spread, [0.0, 0.0])[:2])
    return FlatMap(ids, points, (first, second))


@lru_cache(maxsize=1)
def overview(table: Table) -> Overview:
    """The whole table in at most N_BANDS rows."""
    n_rows, n_features = table.shape
    size = -(-n_rows // N_BANDS)
    highest, lowest = table.values[::size].copy(), table.values[::size].copy()
    for start in range(1, size):  # by slices: `reduceat` takes ten times as long
        part = table.values[start::size]
        np.maximum(highest[: len(part)], part, out=highest[: len(part)])
        np.minimum(lowest[: len(part)], part, out=lowest[: len(part)])
    values = np.where(highest < -lowest, lowest, highest)
    values.flags.writeable = False
    matrix = Matrix(
        values=values,
        rows=Axis("id", ()),
        columns=feature_axis(n_features),
        scale=signed_scale(values),
        colour=role_of(TABLE),
        key=TABLE,
    )
    return Overview(matrix, size)


def look_through(trace: Trace) -> None:
    """Work out what takes all of a table, once, where nobody waits for it."""
    table = table_of(trace)
    lengths(table)
    overview(table)


def row_in_band(table: Table, band: int, feature: int) -> int:
    """The row that gave a band of the overview its number."""
    size = overview(table).rows_per_band
    part = table.values[band * size : (band + 1) * size, feature]
    return band * size + int(np.abs(part).argmax())


@may_be_broken
def cosine(table: Table, row: int, other: int) -> float:
    """The cosine of the angle between two rows."""
    found = lengths(table)
    product = table.values[row] @ table.values[other]
    return float(product / (found[row] * found[other]))


@may_be_broken
def cosine_words(table: Table, row: int, other: int) -> str:
    """How alike two rows are, worked out: dot product, lengths, cosine."""
    product = short(float(table.values[row] @ table.values[other]))
    sizes = " × ".join(short(float(lengths(table)[at])) for at in (row, other))
    alike = short(cosine(table, row, other))
    return f"dot product {product} / lengths ({sizes}) = cosine {alike}"


def window(trace: Trace, selection: Selection) -> Window:
    """The rows around the chosen one; or it and a row further off that was asked for.

    A row is asked for by pointing at a number of the table or at a cosine with it, and
    compared in the title.
    """
    chosen, focus = chosen_id(trace, selection), selection.focus
    row, feature = chosen, chosen_place(trace, selection)[1]
    if focus is not None and focus.key == TABLE:
        row, feature = focus.index
    elif focus is not None and focus == cosine_cell(chosen, focus.index[-1]):
        row = focus.index[-1]
    if abs(row - chosen) > N_AROUND:
        title = cosine_words(table_of(trace), chosen, row)
        return Window((chosen, row), title, (1, feature))
    first, last = (
        max(0, chosen - N_AROUND),
        min(trace.config.n_vocab - 1, chosen + N_AROUND),
    )
    ids = tuple(range(first, last + 1))
    title = f"rows {first} to {last} of the table"
    if row != chosen:
        title = cosine_words(table_of(trace), chosen, row)
    return Window(ids, title, (ids.index(row), feature))


def table_rows(trace: Trace, ids: tuple[int, ...], label_of: LabelOf) -> Matrix:
    """Some rows of the table, each under its id and token."""
    values = np.stack([trace.part(TABLE, (row,)) for row in ids])
    values.flags.writeable = False
    labels = tuple(f"{row} {label_of(row)}" for row in ids)
    return Matrix(
        values=values,
        rows=Axis("id", labels),
        columns=feature_axis(values.shape[1]),
        scale=signed_scale(values),
        colour=role_of(TABLE),
        key=TABLE,
    )


def embedding_rows(trace: Trace, key: str) -> Matrix:
    """The sentence's rows at a step of the embedding: [n, d_model]."""
    values = np.asarray(trace[key], dtype=np.float32)
    return Matrix(
        values=values,
        rows=row_axis(trace, key),
        columns=feature_axis(values.shape[1]),
        scale=signed_scale(values),
        colour=role_of(key),
        key=key,
    )


def chosen_id(trace: Trace, selection: Selection) -> int:
    """The id of the chosen token, of the text that the present step reads."""
    return trace.tokens(side_of(selection.step)).encoding.ids[selection.query]


def chosen_place(trace: Trace, selection: Selection) -> tuple[int, int]:
    """The chosen token, and the chosen feature as far as the model is wide."""
    return selection.query, feature_of(selection, trace, "d_model")


def scaling_words(trace: Trace, selection: Selection) -> tuple[str, str]:
    """The chosen number before and after the scaling, as written above the rows."""
    place = chosen_place(trace, selection)
    keys = (on_side(selection.step, name) for name in (TOKEN, SCALED))
    before, after = (short(trace.value(key, place), 4) for key in keys)
    root = short(sqrt(trace.config.d_model), 4)
    return (
        f"before: {before}",
        f"times √{trace.config.d_model}: {before} × {root} = {after}",
    )
