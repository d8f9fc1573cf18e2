"""The numbers of a view as they leave the program: named axes, CSV, NPZ.

Place: behind every export. In: what a panel shows. Out: files that hold the same
numbers to the last bit. A cell without a value is NaN here, and empty in CSV.
"""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.files import file_made_whole, write_whole
from core.npz import NpzWriter
from core.trace.matrix import Axis, Matrix

CsvLayout = Literal["matrix", "long"]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """One array of a view, of any number of axes."""

    name: str
    """What it is, for a reader: "layers.1.attn.pattern, head 3"."""
    values: NDArray[Any]
    """Read-only; NaN marks a cell without a value."""
    axes: tuple[Axis, ...]
    """A label for every place of every axis of `values`."""
    code: tuple[str, ...] = ()
    """Lines of Python that make `values`, where `trace` and `np` are there."""

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the axes, each its own: "position", "position 2"."""
        names: list[str] = []
        for place, axis in enumerate(self.axes):
            name = axis.name or f"axis {place + 1}"
            names.append(f"{name} {place + 1}" if name in names else name)
        return tuple(names)

    @property
    def shape_text(self) -> str:
        """How many of what: "6 query × 6 key"."""
        sizes = zip(self.values.shape, self.axis_names, strict=True)
        return " × ".join(f"{size:,} {name}" for size, name in sizes)


def sheet_of(matrix: Matrix, name: str, code: Sequence[str] = ()) -> Sheet:
    """A matrix that a widget draws, as a sheet."""
    return Sheet(name, matrix.values, (matrix.rows, matrix.columns), tuple(code))


def csv_text(
    sheet: Sheet, layout: CsvLayout, *, between: str = ",", n_lines: int | None = None
) -> str:
    """The numbers as lines, the first one with names; all of them, or the first.

    "matrix" has a line for every place of all axes but the last, whose labels are the
    heads of the columns. "long" has a line for every number: of each axis the place,
    from 0, and the label. Numbers have the fewest digits that say them exactly.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=between, lineterminator="\n")
    rows = _long_rows(sheet) if layout == "long" else _matrix_rows(sheet)
    writer.writerows(islice(rows, n_lines))
    return stream.getvalue()


def write_csv(sheet: Sheet, layout: CsvLayout, file: Path) -> None:
    """Save the numbers as comma-separated lines, in UTF-8.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    write_whole(file, csv_text(sheet, layout).encode("utf-8", "surrogatepass"))


def write_npz(sheets: Sequence[Sheet], file: Path) -> None:
    """Save arrays with their axes: "values", "axes", "labels 0", "labels 1", "name".

    The names of a second sheet begin with "2 ", and so on.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    with file_made_whole(file) as target, NpzWriter(target) as writer:
        for place, sheet in enumerate(sheets):
            start = f"{place + 1} " if place else ""
            writer.write(f"{start}values", sheet.values)
            writer.write(f"{start}axes", np.array(sheet.axis_names, np.str_))
            for number, axis in enumerate(sheet.axes):
                labels = np.array(axis.labels, np.str_)
                writer.write(f"{start}labels {number}", labels)
            writer.write_text(f"{start}name", sheet.name)


def _matrix_rows(sheet: Sheet) -> Iterator[list[str]]:
    values, axes, names = sheet.values, sheet.axes, list(sheet.axis_names)
    if values.ndim == 1:
        yield [*names, "value"]
        for label, value in zip(axes[0].labels, values, strict=True):
            yield [label, number_text(value)]
        return
    yield [*names[:-1], *axes[-1].labels]
    for place in np.ndindex(values.shape[:-1]):
        labels = [axis.labels[i] for axis, i in zip(axes, place, strict=False)]
        yield [*labels, *map(number_text, values[place])]


def _long_rows(sheet: Sheet) -> Iterator[list[str]]:
    names = sheet.axis_names
    yield [part for name in names for part in (name, f"{name} label")] + ["value"]
    for place in np.ndindex(sheet.values.shape):
        pairs = zip(sheet.axes, place, strict=True)
        where = [part for axis, i in pairs for part in (str(i), axis.labels[i])]
        yield [*where, number_text(sheet.values[place])]


def number_text(value: Any) -> str:
    """A number with the fewest digits that say it exactly; "" where there is none."""
    return "" if math.isnan(value) else str(value)
