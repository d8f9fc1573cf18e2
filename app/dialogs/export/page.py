"""What the pages of the export dialog share: a preview, choices, a file, a clipboard.

A page knows what it would write; the dialog asks where to, and writes it in a thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.style.fonts import SMALL, mono, sans
from app.widgets.card import plain_label

CHOICES_WIDTH = 232
GAP, ROW_GAP = 18, 4


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """Something to be written to a file, whatever file that will be."""

    write: Callable[[Path], None]
    """Runs in a thread; knows no widget."""
    name: str
    """What the file is called unless the person says otherwise."""
    kind: str
    """For the file dialog: "PNG (*.png)"."""

    @property
    def ending(self) -> str:
        """What the file's name ends in."""
        return Path(self.name).suffix


class ExportPage(QWidget):
    """A preview at the left, choices at the right."""

    changed = Signal()
    """Something else would be written."""

    def __init__(self, preview: QWidget) -> None:
        """No choice yet; `add_choice` adds them from the top."""
        super().__init__()
        side = QWidget()
        side.setFixedWidth(CHOICES_WIDTH)
        self._choices = QVBoxLayout(side)
        self._choices.setContentsMargins(0, 0, 0, 0)
        self._choices.setSpacing(ROW_GAP)
        self._choices.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(preview, 1)
        row.addWidget(side)

    def add_choice(self, title: str, choice: QWidget, *, below: QWidget | None) -> None:
        """A choice under its title, with a quiet line below it."""
        heading = quiet_note(title)
        for widget in (heading, choice, below):
            if widget is not None:
                self._choices.insertWidget(self._choices.count() - 1, widget)
        self._choices.insertSpacing(self._choices.count() - 1, GAP - ROW_GAP)

    def content(self) -> Content | None:
        """What would be saved now; None while there is nothing."""
        raise NotImplementedError

    def copied(self) -> tuple[QMimeData | None, str]:
        """What goes to the clipboard, and a sentence about it or why nothing does."""
        raise NotImplementedError


def text_preview(name: str, font: QFont | None = None) -> QPlainTextEdit:
    """A field to read in, in the type of numbers."""
    preview = QPlainTextEdit()
    preview.setReadOnly(True)
    preview.setFont(font or mono(SMALL))
    preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    preview.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    preview.setAccessibleName(name)
    preview.setFrameShape(QFrame.Shape.NoFrame)
    return preview


def quiet_note(text: str = "") -> QLabel:
    """A quiet line below a choice."""
    note = plain_label(text, "muted")
    note.setFont(sans(SMALL))
    note.setWordWrap(True)
    return note
