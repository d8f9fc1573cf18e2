"""One text of the list: what it is, how large, and what stands in its way.

Place: a row of the sources card. A file that is not UTF-8 is never guessed at: the row
says where it stops being text, and offers encodings and a replacement.
"""

import os
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.dialogs.form import Choice
from app.dialogs.training.wording import count_text, plural, size_text
from app.frame.parts import icon_button
from app.style.fonts import SMALL, mono, sans
from app.widgets.card import plain_label
from app.widgets.elided import ElidedLabel
from core.training.pairs.tasks import task_named
from core.training.reading import ENCODINGS, Fault, Reading
from core.training.sources import (
    FileSource,
    FolderSource,
    PastedSource,
    Source,
    TaskSource,
    holds_pairs,
)

ASK = "Read as…"
FIRST_CHARACTERS = 60
"""Of a pasted text, to know it by."""


class SourceLine(QWidget):
    """A source with its remove button, and its fault below it."""

    removal_requested = Signal(object)
    """This `Source` is no longer wanted."""

    reading_requested = Signal(object)
    """This source is to be read otherwise: (before, after)."""

    def __init__(self, source: Source, fault: Fault | None, encoding: str = "") -> None:
        """Show a source, what is wrong with it, and its encoding if that is unusual."""
        super().__init__()
        self._source, self.fault = source, fault
        title, about = title_of(source), about_of(source, encoding)
        name, size = ElidedLabel(), plain_label(about, "muted")
        name.show_text(title)
        size.setFont(mono(SMALL))
        remove = icon_button("close", f"Leave {title} out", "training.remove")
        remove.clicked.connect(self._on_remove_clicked)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(name, 1)
        row.addWidget(size)
        row.addWidget(remove)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        column.addLayout(row)
        if fault is not None:
            self._add_fault(column, fault)

    def _add_fault(self, column: QVBoxLayout, fault: Fault) -> None:
        words = plain_label(fault.message, "error")
        words.setFont(sans(SMALL))
        words.setWordWrap(True)
        column.addWidget(words)
        if fault.kind != "encoding":
            return
        self.encoding = Choice()
        self.encoding.setObjectName("training.encoding")
        self.encoding.addItem(ASK)
        for each in ENCODINGS:
            self.encoding.addItem(each.label, each.codec)
        self.encoding.setSizeAdjustPolicy(
            Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.encoding.activated.connect(self._on_encoding_activated)
        bad = plural(fault.n_bad, "bad byte")
        self.replace = QPushButton(f"Replace {bad} by “\N{REPLACEMENT CHARACTER}”")
        self.replace.setObjectName("training.replace")
        self.replace.clicked.connect(self._on_replace_clicked)
        row = QHBoxLayout()
        row.addWidget(self.encoding, 1)
        row.addWidget(self.replace)
        column.addLayout(row)

    def _ask(self, reading: Reading) -> None:
        if isinstance(self._source, FileSource):
            after = replace(self._source, reading=reading)
            self.reading_requested.emit((self._source, after))

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removal_requested.emit(self._source)

    @Slot(int)
    def _on_encoding_activated(self, index: int) -> None:
        codec = self.encoding.itemData(index)
        if codec:
            self._ask(Reading(codec))

    @Slot()
    def _on_replace_clicked(self) -> None:
        if isinstance(self._source, FileSource):
            self._ask(replace(self._source.reading, replace=True))


def title_of(source: Source) -> str:
    """What a source is called in the list."""
    if isinstance(source, FileSource):
        return source.path.name
    if isinstance(source, FolderSource):
        return f"{source.path.name}{os.sep}"
    if isinstance(source, PastedSource):
        return f"“{' '.join(source.text[:FIRST_CHARACTERS].split())}”"
    if isinstance(source, TaskSource):
        return f"{task_named(source.task).title}, seed {source.seed}"
    kind = "chants" if source.chants else "stories"
    return f"Built-in {kind}, seed {source.seed}"


def about_of(source: Source, encoding: str) -> str:
    """Size and reading of a source, in a few words."""
    if isinstance(source, FileSource):
        mended = "mended" if source.reading.replace else ""
        what = "pairs" if holds_pairs(source) else ""
        words = (what, encoding, mended, file_size(source.path))
        return " · ".join(filter(None, words))
    if isinstance(source, FolderSource):
        return "folder"
    if isinstance(source, PastedSource):
        return plural(len(source.text), "character")
    if isinstance(source, TaskSource):
        return plural(source.n_pairs, "pair")
    return f"{count_text(source.n_characters)} characters"


def file_size(path: Path) -> str:
    """The size of a file, or a word where it cannot be asked for it."""
    try:
        return size_text(path.stat().st_size)
    except OSError:
        return "missing"
