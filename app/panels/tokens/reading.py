"""What a tokenizer does to a text before it cuts it: as typed, as read, and in words.

Place: under the words as bytes. Hidden where the tokenizer changes nothing and adds
nothing.
"""

from PySide6.QtWidgets import QGridLayout, QWidget

from app.style.fonts import BASE, SMALL, mono, sans
from app.widgets.card import GAP, plain_label
from app.widgets.elided import ElidedLabel
from core.tokenizers.base import Encoding, Tokenizer
from core.trace.views.tokens import one_line

WORDS_COLUMN = 1


class Reading(QWidget):
    """The text as typed above the text as read, and the tokenizer's habits."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Nothing yet."""
        super().__init__(parent)
        self.typed, self.read = ElidedLabel(), ElidedLabel()
        self._captions = plain_label("typed", "muted"), plain_label("read as", "muted")
        self.notes = plain_label(ink="muted")
        self.notes.setFont(sans(SMALL))
        self.notes.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GAP // 2)
        texts = (self.typed, self.read)
        for row, (caption, text) in enumerate(zip(self._captions, texts, strict=True)):
            caption.setFont(sans(SMALL))
            text.setFont(mono(BASE))
            grid.addWidget(caption, row, 0)
            grid.addWidget(text, row, WORDS_COLUMN)
        grid.addWidget(self.notes, len(texts), 0, 1, WORDS_COLUMN + 1)
        grid.setColumnStretch(WORDS_COLUMN, 1)

    def display(self, encoding: Encoding, tokenizer: Tokenizer) -> None:
        """Show what was done to this text, and what is done to every one."""
        is_changed = encoding.normalised is not None
        for part in (*self._captions, self.typed, self.read):
            part.setVisible(is_changed)
        self.typed.show_text(one_line(encoding.text))
        self.read.show_text(one_line(encoding.normalised or ""))
        self.notes.setText(" ".join(tokenizer.notes))
        self.notes.setVisible(bool(tokenizer.notes))
        self.setVisible(is_changed or bool(tokenizer.notes))
