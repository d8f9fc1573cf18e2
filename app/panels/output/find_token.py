"""A small field that finds a token of the vocabulary by its text."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.panels.output.page import HEAD_HEIGHT
from app.style.fonts import SMALL, mono, sans
from app.widgets.card import GAP, plain_label
from core.tokenizers.base import Tokenizer

FIELD_WIDTH = 140
NOT_ONE = "not one token"


def token_ids(text: str, tokenizer: Tokenizer) -> tuple[int, ...]:
    """The tokens that a text is by itself: as typed, and with a space before it.

    "·" stands for a space, as on chips.
    """
    plain = text.replace("·", " ")
    forms = dict.fromkeys((plain, f" {plain.lstrip(' ')}")) if text.strip() else ()
    found = (tokenizer.encode(form).pieces for form in forms)
    return tuple(
        pieces[0].id
        for pieces in found
        if len(pieces) == 1 and not pieces[0].is_unknown
    )


class FindToken(QWidget):
    """Type a token to find it."""

    found = Signal(object)
    """What is typed is one token: tuple of ids, without and with a space before it."""

    def __init__(self) -> None:
        """No tokenizer yet: nothing is found."""
        super().__init__()
        self._tokenizer: Tokenizer | None = None
        self.edit = QLineEdit()
        self.edit.setObjectName("output.find")
        self.edit.setPlaceholderText("find a token")
        self.edit.setAccessibleName("find a token")
        self.edit.setClearButtonEnabled(True)
        self.edit.setFont(mono(SMALL))
        self.edit.setFixedSize(FIELD_WIDTH, HEAD_HEIGHT)
        self.edit.textEdited.connect(self._on_edit_text_edited)
        self.trouble = plain_label(ink="warning")
        self.trouble.setFont(sans(SMALL))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self.trouble)
        row.addWidget(self.edit)

    def use(self, tokenizer: Tokenizer) -> None:
        """Look in this vocabulary."""
        self._tokenizer = tokenizer

    @Slot(str)
    def _on_edit_text_edited(self, text: str) -> None:
        if self._tokenizer is not None:
            ids = token_ids(text, self._tokenizer)
            self.trouble.setText(NOT_ONE if text.strip() and not ids else "")
            if ids:
                self.found.emit(ids)
