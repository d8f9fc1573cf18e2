"""A form for a configuration: every field with its sentence, its range and its fault.

Place: "All settings" of the training studio. In: a dataclass of `core` and its values.
Out: the values a person typed, and the configuration once its class takes them. A fault
stands below its field while one types; nothing is mended behind the person's back.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from app.dialogs.fields import (
    FieldRow,
    Kind,
    field_rows,
    made,
    named_in,
    refusal,
    text_of,
    value_of,
)
from app.style.fonts import SMALL, mono, sans
from app.widgets.card import plain_label, set_ink
from app.widgets.qt_calls import tells_faults
from core.errors import ConfigError

NAME_WIDTH, EDITOR_WIDTH = 156, 124
COLUMN_GAP, ROW_GAP = 12, 10
LINES_A_FIELD = 2
"""Rows of the grid for a field: the editor, and the sentence with its gap below."""


@tells_faults
class Choice(QComboBox):
    """A list to choose from that a passing wheel does not change."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change by the wheel only where the keyboard is."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def number_edit(_: FieldRow, edited: Callable[..., None]) -> QWidget:
    """A field for a number, read without any locale."""
    edit = QLineEdit()
    edit.setFont(mono())
    edit.setFixedWidth(EDITOR_WIDTH)
    edit.textEdited.connect(edited)
    return edit


def text_edit(_: FieldRow, edited: Callable[..., None]) -> QWidget:
    """A field for a line of text."""
    edit = QLineEdit()
    edit.textEdited.connect(edited)
    return edit


def switch(_: FieldRow, edited: Callable[..., None]) -> QWidget:
    """A box to tick."""
    box = QCheckBox()
    box.toggled.connect(edited)
    return box


def choice(row: FieldRow, edited: Callable[..., None]) -> QWidget:
    """A list of what the field may be."""
    box = Choice()
    box.addItems(row.choices)
    box.setFixedWidth(EDITOR_WIDTH)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.currentIndexChanged.connect(edited)
    return box


EDITORS: dict[Kind, Callable[[FieldRow, Callable[..., None]], QWidget]] = {
    "whole": number_edit,
    "number": number_edit,
    "text": text_edit,
    "switch": switch,
    "choice": choice,
}
"""How a kind of field is edited; a kind without an entry is chosen elsewhere."""


class Form(QWidget):
    """The fields of one configuration class, as text until the class takes them."""

    changed = Signal()
    """The person changed a field, to something that is taken or not."""

    def __init__(self, owner: type, elsewhere: Mapping[str, str] | None = None) -> None:
        """Show the defaults; fields in `elsewhere` say where they are decided."""
        super().__init__()
        self._owner = owner
        self._elsewhere = dict(elsewhere or {})
        self._rows = {row.name: row for row in field_rows(owner) if row.kind in EDITORS}
        self._values = {row.name: row.default for row in self._rows.values()}
        self._error = ""
        self.editors: dict[str, QWidget] = {}
        self._words: dict[str, QLabel] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, COLUMN_GAP, 0)
        self._grid.setHorizontalSpacing(COLUMN_GAP)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnMinimumWidth(0, NAME_WIDTH)
        self._grid.setColumnStretch(2, 1)
        for index, row in enumerate(self._rows.values()):
            self._add(index * LINES_A_FIELD, row)
        self._grid.setRowStretch(len(self._rows) * LINES_A_FIELD, 1)
        self.show_values(self._values)

    # What is told.

    @property
    def values(self) -> dict[str, Any]:
        """The values last read from each field."""
        return dict(self._values)

    @property
    def error(self) -> str:
        """Why the fields make no configuration; "" if they do."""
        return self._error

    def config(self) -> Any:
        """The configuration of the fields; lists of files are chosen elsewhere.

        Raises:
            ConfigError: The fields make none; the form says so already.
        """
        if self._error:
            raise ConfigError(self._error)
        return made(self._owner, self._values)

    def means(self, config: Any) -> bool:
        """Whether the fields say what a configuration does, perhaps in other words.

        What is left to the class, such as 0 for d_ff, may also be written out.
        """
        given = {name: getattr(config, name) for name in self._values}
        return not self._error and bool(self.config() == made(self._owner, given))

    def fault_of(self, name: str) -> str:
        """What stands below a field instead of its sentence; "" if it is in order."""
        words = self._words[name].text()
        return "" if words == self._sentence(name) else words

    # What is shown.

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Show values that somebody else chose; nothing is told."""
        for name, value in values.items():
            if name in self._rows:
                self._values[name] = value
                show_value(self.editors[name], value)
        self._check("")

    def _add(self, line: int, row: FieldRow) -> None:
        editor = EDITORS[row.kind](row, partial(self._on_editor_edited, row.name))
        editor.setObjectName(f"training.{row.name}")
        editor.setAccessibleName(row.name)
        editor.setAccessibleDescription(row.sentence)
        editor.setEnabled(row.name not in self._elsewhere)
        name, words = plain_label(row.name), plain_label(ink="muted")
        name.setFont(mono())
        words.setFont(sans(SMALL))
        words.setWordWrap(True)
        words.setContentsMargins(0, 2, 0, ROW_GAP)
        words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.editors[row.name], self._words[row.name] = editor, words
        self._grid.addWidget(name, line, 0)
        if row.kind == "text":
            self._grid.addWidget(editor, line, 1, 1, 2)
        else:
            self._grid.addWidget(editor, line, 1)
            self._grid.addWidget(self._beside(row), line, 2)
        self._grid.addWidget(words, line + 1, 0, 1, 3)

    def _beside(self, row: FieldRow) -> QLabel:
        """The range of a number, or where the field is decided."""
        label = plain_label(self._elsewhere.get(row.name, row.range), "muted")
        label.setFont(sans(SMALL))
        return label

    def _sentence(self, name: str) -> str:
        return self._rows[name].sentence

    # What the person does.

    @Slot()
    def _on_editor_edited(self, name: str, *_: object) -> None:
        self._check(name)
        self.changed.emit()

    def _check(self, edited: str) -> None:
        """Read every field, and say below one of them what is wrong, if anything is."""
        faults: dict[str, str] = {}
        for name, row in self._rows.items():
            try:
                self._values[name] = shown_value(row, self.editors[name])
            except ConfigError as error:
                faults[name] = str(error)
        if not faults:
            error_text = refusal(self._owner, self._values)
            beside = named_in(error_text, self._rows, edited)
            faults = {beside: error_text} if error_text else {}
        self._error = next(iter(faults.values()), "")
        for name, words in self._words.items():
            show_words(words, faults.get(name, ""), self._sentence(name))
            mark(self.editors[name], name in faults)


def show_words(words: QLabel, fault: str, sentence: str) -> None:
    """Show a field's fault, or else its sentence."""
    text = fault or sentence
    if text != words.text():
        words.setText(text)
        set_ink(words, "error" if fault else "muted")


def mark(editor: QWidget, is_refused: bool) -> None:
    """Give a refused field its red edge, or take it away."""
    if bool(editor.property("refused")) != is_refused:
        editor.setProperty("refused", is_refused)
        editor.style().unpolish(editor)
        editor.style().polish(editor)


def shown_value(row: FieldRow, editor: QWidget) -> Any:
    """Read an editor.

    Raises:
        ConfigError: It holds no value of the field's kind.
    """
    if isinstance(editor, QCheckBox):
        return editor.isChecked()
    if isinstance(editor, QComboBox):
        return editor.currentText()
    assert isinstance(editor, QLineEdit)
    return value_of(row, editor.text())


def show_value(editor: QWidget, value: Any) -> None:
    """Let an editor show a value without telling."""
    with QSignalBlocker(editor):
        if isinstance(editor, QCheckBox):
            editor.setChecked(value)
        elif isinstance(editor, QComboBox):
            editor.setCurrentText(value)
        elif isinstance(editor, QLineEdit):
            editor.setText(text_of(value))
            editor.setCursorPosition(0)
