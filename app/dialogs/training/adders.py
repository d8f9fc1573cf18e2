"""Small forms that make a source: pasted text, built-in stories, built-in pairs.

Place: they stand where the list of texts is while they are filled in.
"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.style.fonts import SMALL, sans
from app.widgets.card import plain_label
from app.widgets.number_field import WholeField
from core.training.sources import PastedSource, StorySource

FIELD_WIDTH = 140
MOST_SEED = 2**31 - 1
LEAST_CHARACTERS, MOST_CHARACTERS = 1_000, 1_000_000_000
PASTE_HINT = "Paste or type the text to learn from"
STORIES_HINT = (
    "Short stories in simple English, made by a grammar: nothing personal in them, as "
    "many as you like. The same seed tells the same stories on every machine. With a "
    "million characters a small model learns to tell its own."
)
CHANTS_HINT = "Chants only: short rows said again and again"
CHANTS_TIP = (
    "Nothing in a chant can be guessed but what was said before, so heads learn to "
    "copy within minutes: watch the loss fall a second time."
)


class Adder(QWidget):
    """A form with two buttons; what it makes is told by its subclass."""

    source_given = Signal(object)
    """A `Source` to add."""

    cancelled = Signal()
    """Nothing is to be added."""

    def __init__(self, name: str, content: QLayout) -> None:
        """Put the buttons below `content`."""
        super().__init__()
        self.add = QPushButton("Add")
        self.add.setObjectName(f"training.{name}.add")
        self.add.clicked.connect(self._on_add_clicked)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.cancelled)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(content, 1)
        column.addLayout(buttons)

    def give(self) -> None:
        """Make the source and tell of it."""
        raise NotImplementedError

    @Slot()
    def _on_add_clicked(self) -> None:
        self.give()


class PasteAdder(Adder):
    """A large field for text."""

    def __init__(self) -> None:
        """Empty."""
        self.edit = QPlainTextEdit()
        self.edit.setObjectName("training.pasted")
        self.edit.setPlaceholderText(PASTE_HINT)
        content = QVBoxLayout()
        content.addWidget(self.edit)
        super().__init__("paste", content)
        self.edit.textChanged.connect(self._on_edit_text_changed)
        self._on_edit_text_changed()

    def begin(self) -> None:
        """Make room for another text."""
        self.edit.clear()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def give(self) -> None:
        """Give the text as it stands in the field."""
        self.source_given.emit(PastedSource(self.edit.toPlainText()))

    @Slot()
    def _on_edit_text_changed(self) -> None:
        self.add.setEnabled(not self.edit.document().isEmpty())


class StoryAdder(Adder):
    """A seed, a size, and whether only chants are told."""

    def __init__(self) -> None:
        """The size that suits a first model."""
        chosen = StorySource()
        self.seed = WholeField(0, MOST_SEED)
        self.characters = WholeField(LEAST_CHARACTERS, MOST_CHARACTERS)
        self.seed.show_number(chosen.seed)
        self.characters.show_number(chosen.n_characters)
        self.seed.setAccessibleName("seed")
        self.characters.setAccessibleName("characters")
        self.chants = QCheckBox(CHANTS_HINT)
        self.chants.setObjectName("training.stories.chants")
        self.chants.setToolTip(CHANTS_TIP)
        words = plain_label(STORIES_HINT, "muted")
        words.setFont(sans(SMALL))
        words.setWordWrap(True)
        content = QGridLayout()
        content.addWidget(words, 0, 0, 1, 2)
        content.addWidget(plain_label("Seed"), 1, 0)
        content.addWidget(plain_label("Characters"), 2, 0)
        for line, field in enumerate((self.seed, self.characters), 1):
            field.setFixedWidth(FIELD_WIDTH)
            content.addWidget(field, line, 1)
        content.addWidget(self.chants, 3, 0, 1, 2)
        content.setColumnStretch(1, 1)
        content.setRowStretch(4, 1)
        super().__init__("stories", content)

    def begin(self) -> None:
        """Let the size be typed."""
        self.characters.setFocus(Qt.FocusReason.OtherFocusReason)

    def give(self) -> None:
        """Give the stories that are asked for."""
        chosen = (self.seed.number, self.characters.number, self.chants.isChecked())
        self.source_given.emit(StorySource(*chosen))
