"""The numbers of a view: which array, and as what kind of file."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Slot
from PySide6.QtWidgets import QComboBox, QSizePolicy

from app.dialogs.export.page import Content, ExportPage, quiet_note, text_preview
from app.widgets.segments import Segments
from core.trace.sheet import CsvLayout, Sheet, csv_text, write_csv, write_npz

PREVIEW_LINES, PREVIEW_CHARACTERS = 40, 240
MOST_COPIED = 250_000
"""Numbers: what a clipboard and its reader take without a pause."""
SHORTEST_NAME = 12


@dataclass(frozen=True, slots=True)
class NumbersFormat:
    """A kind of file that numbers can be."""

    name: str
    ending: str
    tip: str
    layout: CsvLayout | None = None
    """How the lines are laid out; None where the file has none."""


NUMBERS_FORMATS = (
    NumbersFormat(
        "matrix",
        ".csv",
        "CSV: labels at the left and on top, as it is drawn.",
        "matrix",
    ),
    NumbersFormat(
        "long", ".csv", "CSV: a line for every number, its places and labels.", "long"
    ),
    NumbersFormat("NPZ", ".npz", "For numpy: every array with its axes and labels."),
)


class NumbersPage(ExportPage):
    """The arrays of a view, one of them chosen."""

    def __init__(self, sheets: tuple[Sheet, ...], name: str) -> None:
        """Begin with the main one."""
        self.preview = text_preview("The first lines")
        super().__init__(self.preview)
        self._sheets, self._name = sheets, name
        self.array = QComboBox()
        self.array.setObjectName("export.array")
        self.array.setAccessibleName("Array")
        self.array.setMinimumContentsLength(SHORTEST_NAME)
        self.array.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.array.addItems([sheet.name for sheet in sheets])
        self.format = Segments(tuple(f.name for f in NUMBERS_FORMATS), "export.numbers")
        self._shape, self._tip = quiet_note(), quiet_note()
        self.add_choice("Array", self.array, below=self._shape)
        self.add_choice("Format", self.format, below=self._tip)
        self.add_choice(
            "Cells without a value",
            quiet_note(
                "Empty in CSV, NaN in NPZ: masked cells, and what is no number."
            ),
            below=None,
        )
        self.array.currentIndexChanged.connect(self._on_choice_changed)
        self.format.chosen.connect(self._on_choice_changed)
        self._on_choice_changed()

    @property
    def sheet(self) -> Sheet:
        """The chosen array."""
        return self._sheets[self.array.currentIndex()]

    @property
    def kind(self) -> NumbersFormat:
        """The chosen format."""
        return NUMBERS_FORMATS[self.format.place]

    def content(self) -> Content:
        """The chosen array; every array where the file can hold them."""
        kind = self.kind
        write: Callable[[Path], None]
        if kind.layout is None:
            write = partial(write_npz, self._sheets)
        else:
            write = partial(write_csv, self.sheet, kind.layout)
        words = "NumPy arrays" if kind.layout is None else "Comma-separated values"
        name = f"{self._name}{kind.ending}"
        return Content(write, name, f"{words} (*{kind.ending})")

    def copied(self) -> tuple[QMimeData | None, str]:
        """The chosen array with tabs between its columns, as spreadsheets paste it."""
        if self.sheet.values.size > MOST_COPIED:
            return None, f"More than {MOST_COPIED:,} numbers; save them to a file."
        data = QMimeData()
        data.setText(csv_text(self.sheet, self._layout, between="\t"))
        return data, "The numbers are in the clipboard, with tabs between them."

    @property
    def _layout(self) -> CsvLayout:
        return self.kind.layout or "matrix"

    @Slot()
    def _on_choice_changed(self) -> None:
        self._shape.setText(self.sheet.shape_text)
        self._tip.setText(self.kind.tip)
        lines = self._listed() if self.kind.layout is None else self._first_lines()
        self.preview.setPlainText("\n".join(lines))
        self.changed.emit()

    def _first_lines(self) -> list[str]:
        text = csv_text(self.sheet, self._layout, n_lines=PREVIEW_LINES)
        return [shortened(line) for line in text.splitlines()]

    def _listed(self) -> list[str]:
        """What `numpy.load` will find."""
        lines = []
        for place, sheet in enumerate(self._sheets):
            start = f"{place + 1} " if place else ""
            lines.append(f"{start}name      {sheet.name}")
            shape = ", ".join(map(str, sheet.values.shape))
            lines.append(f"{start}values    {sheet.values.dtype} [{shape}]")
            lines.append(f"{start}axes      {', '.join(sheet.axis_names)}")
            lines += [
                shortened(f"{start}labels {number}  {' '.join(axis.labels[:99])}")
                for number, axis in enumerate(sheet.axes)
            ]
        return lines


def shortened(line: str) -> str:
    """A line that a preview can show."""
    is_long = len(line) > PREVIEW_CHARACTERS
    return f"{line[:PREVIEW_CHARACTERS]}…" if is_long else line
