"""A text as it was at several times, the newest first, with what changed in each.

Place: the samples a model writes while it learns. In: titles, beginnings and texts.
What stayed since the version before is pale, what is new is dark: the eye finds the
change, and a text that has settled comes to rest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from PySide6.QtCore import QEvent
from PySide6.QtGui import (
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from app.style.fonts import BASE, CAPTION, mono, sans
from app.style.theme import theme
from app.widgets.qt_calls import tells_faults

MOST_SHOWN = 100
"""Older versions leave the list; a person scrolls no further."""
WORDS = re.compile(r"\s*\S+\s*")
VERSION_GAP, TITLE_GAP = 12, 2
LINE_PERCENT = 125


@dataclass(frozen=True, slots=True)
class Version:
    """One text."""

    title: str
    """When it was: "step 400"."""
    beginning: str
    """What was given, and is the same in all."""
    text: str


def changes(before: str, after: str) -> Iterator[tuple[str, bool]]:
    """The pieces of `after`, and whether each is new since `before`; word by word."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    if not new:
        yield after, True
        return
    matcher = SequenceMatcher(
        None, [w.strip() for w in old], [w.strip() for w in new], autojunk=False
    )
    for kind, _, _, first, last in matcher.get_opcodes():
        if first < last:
            yield "".join(new[first:last]), kind != "equal"


@tells_faults
class TextVersions(QTextBrowser):
    """Versions one below the other; to read, select and copy."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the list."""
        super().__init__(parent)
        self._versions: tuple[Version, ...] = ()
        self._message = ""
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.document().setDocumentMargin(0)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)

    def show_versions(self, versions: tuple[Version, ...], message: str) -> None:
        """Show versions, given in the order of time; the message where there are none.

        Who has scrolled down to read keeps the place.
        """
        if (versions, message) == (self._versions, self._message):
            return
        self._versions, self._message = versions, message
        self._write()

    @property
    def versions(self) -> tuple[Version, ...]:
        """What is shown, in the order of time."""
        return self._versions

    def _write(self) -> None:
        below = self.verticalScrollBar().maximum() - self.verticalScrollBar().value()
        is_at_top = self.verticalScrollBar().value() == 0
        self.clear()
        cursor = QTextCursor(self.document())
        if not self._versions:
            cursor.insertText(self._message, _ink("muted", sans(BASE)))
        pairs = list(zip((None, *self._versions), self._versions, strict=False))
        for before, version in reversed(pairs[-MOST_SHOWN:]):
            self._write_version(cursor, before, version)
        bar = self.verticalScrollBar()
        bar.setValue(0 if is_at_top else bar.maximum() - below)

    def _write_version(
        self, cursor: QTextCursor, before: Version | None, version: Version
    ) -> None:
        is_first = cursor.atStart()
        _begin_block(cursor, 0 if is_first else VERSION_GAP)
        cursor.insertText(version.title, _ink("muted", mono(CAPTION)))
        _begin_block(cursor, TITLE_GAP)
        cursor.insertText(version.beginning, _ink("faint", sans(BASE)))
        old = version.text if before is None else before.text
        for piece, is_new in changes(old, version.text):
            name = "text" if is_new or before is None else "muted"
            cursor.insertText(piece, _ink(name, sans(BASE)))

    # Qt's calls.

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write()


def _ink(name: str, font: QFont) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setFont(font)
    form.setForeground(theme().ink(name))
    return form


def _begin_block(cursor: QTextCursor, gap: int) -> None:
    form = QTextBlockFormat()
    form.setTopMargin(gap)
    form.setLineHeight(
        LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
    )
    if cursor.atStart():
        cursor.setBlockFormat(form)
    else:
        cursor.insertBlock(form)
