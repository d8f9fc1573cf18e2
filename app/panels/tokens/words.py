"""The left side of the tokens panel: the sentence as words, before any merge.

Below them the bytes of the chosen word, and, where the text holds the name of a special
token, the choice how to read it.
"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.scene import Scene
from app.session import Session
from app.style.fonts import SMALL, sans
from app.widgets.card import Card, plain_label
from app.widgets.word_flow import FlowCell, FlowWord, WordFlow
from core.tokenizers.base import Encoding
from core.tokenizers.labels import label_of
from core.trace.step import name_of
from core.trace.token_side import TokenSide
from core.trace.views.tokens import (
    counted,
    letters,
    special_in,
    word_name,
    word_notes,
    word_of,
    words_title,
)

GAP = 4
FACE_WITH_BYTES = "tokens.pieces"
"""The step whose face shows the bytes of all words already."""


def flow_word(data: bytes, note: str = "") -> FlowWord:
    """A word as its characters, each above its bytes."""
    cells = (FlowCell(letter.label, letter.hexadecimal) for letter in letters(data))
    return FlowWord(tuple(cells), note)


class SpecialsSwitch(QWidget):
    """How "<|endoftext|>" in a typed text is read; hidden where there is none."""

    specials_requested = Signal(bool)
    """Read it as one special token (True) or as characters."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Two buttons of which one is down, under the question they answer."""
        super().__init__(parent)
        self._question = plain_label(ink="muted")
        self._question.setFont(sans(SMALL))
        self.as_characters = QPushButton("characters")
        self.as_special = QPushButton("one special token")
        self._group = QButtonGroup(self)
        choices = QHBoxLayout()
        choices.setSpacing(GAP)
        for number, button in enumerate((self.as_characters, self.as_special)):
            button.setCheckable(True)
            button.setProperty("kind", "segment")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._group.addButton(button, number)
            choices.addWidget(button)
        choices.addStretch(1)
        default = plain_label("Characters is the default.", ink="muted")
        default.setFont(sans(SMALL))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(GAP)
        whole.addWidget(self._question)
        whole.addLayout(choices)
        whole.addWidget(default)
        self._group.idClicked.connect(self._on_button_clicked)

    def show_choice(self, special: str, reads_specials: bool) -> None:
        """Ask about `special`; "" hides the question."""
        self.setVisible(bool(special))
        self._question.setText(f"Read {special} as")
        self._group.button(int(reads_specials)).setChecked(True)

    @Slot(int)
    def _on_button_clicked(self, number: int) -> None:
        self.specials_requested.emit(bool(number))


class WordsCard(Card):
    """The pre-split of the sentence, the chosen word, and its bytes."""

    word_requested = Signal(int)
    """The reader chose a word."""

    def __init__(self, session: Session) -> None:
        """No words yet."""
        super().__init__("Words")
        self._session = session
        self._shown: Encoding | None = None
        self._chosen = -1
        self.words = WordFlow("Words of the sentence")
        self.bytes_title = plain_label(ink="muted")
        self.bytes_title.setFont(sans(SMALL))
        self.bytes = WordFlow("Bytes of the chosen word")
        self.specials = SpecialsSwitch()
        for widget in (self.words, self.bytes_title, self.bytes):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.body.addWidget(self.specials)
        self.words.word_clicked.connect(self.word_requested)
        self.specials.specials_requested.connect(session.set_specials)

    def display(self, scene: Scene) -> None:
        """Show the words of the scene's sentence and the bytes of the chosen one."""
        encoding = scene.tokens.encoding
        is_new = encoding is not self._shown
        if is_new:
            self._shown = encoding
            self._show_words(scene.tokens)
        is_shown_there = name_of(scene.selection.step) == FACE_WITH_BYTES
        self.bytes_title.setVisible(not is_shown_there)
        self.bytes.setVisible(not is_shown_there)
        special = special_in(encoding.text, scene.tokenizer.specials)
        self.specials.show_choice(special, self._session.reads_specials)
        chosen = word_of(encoding, scene.selection.query)
        if is_new or chosen != self._chosen:
            self._chosen = chosen
            self._show_bytes(scene.tokens, chosen)

    def _show_words(self, tokens: TokenSide) -> None:
        encoding = tokens.encoding
        words = zip(encoding.words, word_notes(encoding, tokens.name), strict=True)
        self.words.show_words(
            tuple(FlowWord((FlowCell(label_of(w.data)),), note) for w, note in words)
        )
        self.set_title(words_title(encoding, tokens.name))

    def _show_bytes(self, tokens: TokenSide, chosen: int) -> None:
        data = tokens.encoding.words[chosen].data
        self.words.set_chosen(chosen)
        name = word_name(chosen, tokens.name)
        self.bytes_title.setText(f"{name} has {counted(len(data), 'byte')}")
        self.bytes.show_words((flow_word(data),))
