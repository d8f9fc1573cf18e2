"""One line of text to edit, told as it is, lone surrogates included.

In: text from the keyboard and the clipboard. Out: all of it. Qt holds text in UTF-16,
where half of a character can stand alone; PySide drops such halves from every text that
it hands to Python, but not from the single characters of a document.
"""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtGui import QAccessible, QColor, QInputMethodEvent, QTextCharFormat
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from app.widgets.qt_calls import tells_faults

Stretch = tuple[int, int, QColor, QColor]
"""The first character, the one after the last, their ground and the line below."""


@tells_faults
class TextField(QLineEdit):
    """A `QLineEdit` whose text loses nothing on its way to Python."""

    whole_text_edited = Signal(object)
    """The reader changed the text: str, as an object, for the sake of surrogates."""

    def __init__(self, text: str = "") -> None:
        """With a text that is not told."""
        super().__init__(text)
        self._composed = ""
        self._copy = QPlainTextEdit(self)  # Qt hands it the text without PySide
        self._copy.hide()
        self._copy.setUndoRedoEnabled(False)
        self._copy.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.textEdited.connect(self._copy.setPlainText)
        self.textEdited.connect(self._on_self_text_edited)

    @property
    def whole_text(self) -> str:
        """The text with what PySide drops."""
        text = self.text()
        if n_units(text) == self._n_units():
            return text
        document = self._copy.document()
        units = map(document.characterAt, range(document.characterCount() - 1))
        return with_surrogates(text, "".join(units))

    def mark(self, stretches: Sequence[Stretch]) -> None:
        """Lay colours under stretches of the text; the text and the cursor stay.

        An input method tells a line of text what it is composing by formats, and a line
        has no other way to wear any.
        """
        if self._composed:
            return
        text, cursor = self.whole_text, self.cursorPosition()
        attributes = []
        for start, stop, ground, line in stretches:
            look = QTextCharFormat()
            look.setBackground(ground)
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
            look.setUnderlineColor(line)
            first, end = n_units(text[:start]), n_units(text[:stop])
            kind = QInputMethodEvent.AttributeType.TextFormat
            place = first - cursor
            attributes.append(
                QInputMethodEvent.Attribute(kind, place, end - first, look)
            )
        QCoreApplication.sendEvent(self, QInputMethodEvent("", attributes))

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Know whether a character is being composed."""
        self._composed = event.preeditString()
        super().inputMethodEvent(event)

    def _n_units(self) -> int:
        """Units of UTF-16 in the field."""
        accessible = QAccessible.queryAccessibleInterface(self)
        return accessible.textInterface().characterCount()

    @Slot(str)
    def _on_self_text_edited(self, _: str) -> None:
        self.whole_text_edited.emit(self.whole_text)


def n_units(text: str) -> int:
    """Units of UTF-16 that a text takes."""
    return len(text) + sum(character > "\uffff" for character in text)


def with_surrogates(text: str, units: str) -> str:
    """`text` with the lone surrogates of `units`, which is the same in units of UTF-16.

    All else is taken from `text`, since a document's line breaks are all alike.
    """
    whole, place = [], 0
    pairs_joined = units.encode("utf-16-le", "surrogatepass")
    for character in pairs_joined.decode("utf-16-le", "surrogatepass"):
        if "\ud800" <= character <= "\udfff":
            whole.append(character)
        else:
            width = 2 if text.startswith("\r\n", place) else 1
            whole.append(text[place : place + width])
            place += width
    return "".join(whole)
