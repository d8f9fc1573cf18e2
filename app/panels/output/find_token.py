"""A small field that finds a token of the vocabulary by its text."""

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import QLineEdit

from app.style.fonts import SMALL, mono
from core.tokenizers.base import Tokenizer

WIDTH = 150


def token_ids(text: str, tokenizer: Tokenizer) -> tuple[int, ...]:
    """The tokens that a text is by itself: as typed, and with a space before it.

    "·" stands for a space, as on chips.
    """
    plain = text.replace("·", " ")
    forms = dict.fromkeys((plain, f" {plain.lstrip(' ')}"))
    found = (tokenizer.encode(form).ids for form in forms if form.strip())
    return tuple(ids[0] for ids in found if len(ids) == 1)


class FindToken(QLineEdit):
    """Type a token to find it."""

    found = Signal(object)
    """What is typed is one token: tuple of ids, without and with a space before it."""

    def __init__(self) -> None:
        """No tokenizer yet: nothing is found."""
        super().__init__()
        self._tokenizer: Tokenizer | None = None
        self.setPlaceholderText("find a token")
        self.setAccessibleName("find a token")
        self.setClearButtonEnabled(True)
        self.setFont(mono(SMALL))
        self.textEdited.connect(self._on_self_text_edited)

    def use(self, tokenizer: Tokenizer) -> None:
        """Look in this vocabulary."""
        self._tokenizer = tokenizer

    @Slot(str)
    def _on_self_text_edited(self, text: str) -> None:
        if self._tokenizer is None:
            return
        ids = token_ids(text, self._tokenizer)
        is_none = bool(text.strip()) and not ids
        self.setToolTip("not a single token of this model" if is_none else "")
        self.setProperty("ink", "error" if is_none else "")
        if ids:
            self.found.emit(ids)

    # Qt's own.

    def sizeHint(self) -> QSize:
        """Room for a word."""
        return QSize(WIDTH, super().sizeHint().height())
