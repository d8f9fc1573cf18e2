"""How the text is cut: learned here, by character, as the default, or from a file.

Place: lower left of the data page. In: the draft's tokenizer and, while one is learned,
its merges as they come. Out: wishes for another tokenizer, and for learning now.
"""

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
)

from app.frame.sentence_bar import DEFAULT_MODEL
from app.style.fonts import SMALL, mono, sans
from app.widgets.card import Card, plain_label
from app.widgets.number_field import WholeField
from core.tokenizers.alphabet import from_letters
from core.tokenizers.folder import TOKENIZER_FILE
from core.tokenizers.labels import label_of
from core.training.config import CHARACTERS, TokenizerConfig
from core.training.events import Merged

LEARN, BY_CHARACTER = "Learn one", "Characters"
DEFAULT, FILE = "The default's", "From a file…"
WAYS = (LEARN, BY_CHARACTER, DEFAULT, FILE)
GUESSED_CHARACTERS = 100
"""Tokens of a text's characters, until it has been read."""
MOST = 100
"""Of the room that is left, for the merges while they are in sight."""
LEAST_VOCAB, MOST_VOCAB = 257, 1_000_000
MOST_LINES = 2_000
"""Merges that stay in sight; older ones scroll away."""
FROZEN = (
    "It is frozen once the model trains, and travels with it: every row of the "
    "embedding table belongs to one token; under another tokenizer it means nothing."
)
TOKENIZERS = "Tokenizers (tokenizer.json);;All (*)"
"""How a file dialog names what it may choose."""


class TokenizerCard(Card):
    """Four ways to a tokenizer, and the merges of the one that is being learned."""

    tokenizer_requested = Signal(object)
    """The text is to be cut by this `TokenizerConfig`."""

    learning_requested = Signal()
    """The tokenizer is to be learned now, in sight."""

    stop_requested = Signal()
    """It is not to be learned after all."""

    def __init__(self) -> None:
        """Learn one, of the usual size."""
        super().__init__("Tokenizer")
        self._tokenizer = TokenizerConfig()
        self._is_learned = self._is_learning = False
        self._ways = QButtonGroup(self)
        self.buttons = {way: self._way(way) for way in WAYS}
        self.n_vocab = WholeField(LEAST_VOCAB, MOST_VOCAB)
        self.n_vocab.setObjectName("training.n_vocab")
        self.n_vocab.setAccessibleName("Size of the vocabulary")
        self.learn = QPushButton("Learn it now")
        self.learn.setObjectName("training.learn")
        self._about = plain_label("", "muted")
        self._bar = QProgressBar()
        self._merges = QPlainTextEdit()
        self._arrange()
        self._ways.idClicked.connect(self._on_ways_id_clicked)
        self.n_vocab.number_changed.connect(self._on_n_vocab_number_changed)
        self.learn.clicked.connect(self._on_learn_clicked)
        self.set_note(FROZEN)
        self.show_tokenizer(TokenizerConfig(), is_learned=False)

    def _way(self, way: str) -> QPushButton:
        button = QPushButton(way)
        button.setProperty("kind", "segment")
        button.setCheckable(True)
        index = WAYS.index(way)
        button.setObjectName(f"training.tokenizer.{index}")
        self._ways.addButton(button, index)
        return button

    def _row_of_ways(self) -> QHBoxLayout:
        """All ways in a row of their own: beside the title there is no room."""
        row = QHBoxLayout()
        row.setSpacing(4)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _arrange(self) -> None:
        self._about.setWordWrap(True)
        self._about.setFont(sans(SMALL))
        self._bar.setTextVisible(False)
        self._merges.setReadOnly(True)
        self._merges.setFont(mono(SMALL))
        self._merges.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._merges.setMaximumBlockCount(MOST_LINES)
        self._merges.setAccessibleName("Merges as they are learned")
        self._merges.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored
        )
        self.body.addLayout(self._row_of_ways())
        row = QHBoxLayout()
        row.setSpacing(8)
        self._size_label = plain_label("Tokens")
        for widget in (self._size_label, self.n_vocab, self.learn):
            row.addWidget(widget)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addWidget(self._about)
        self.body.addWidget(self._bar)
        self.body.addWidget(self._merges, MOST)
        self.body.addStretch(1)
        self._bar.hide()
        self._merges.hide()

    def show_tokenizer(self, tokenizer: TokenizerConfig, *, is_learned: bool) -> None:
        """Show what is chosen; `is_learned` says that its file was made here.

        Merges are in sight while they are those of this tokenizer.
        """
        self._tokenizer, self._is_learned = tokenizer, is_learned
        self._merges.setVisible(is_learned or self._is_learning)
        way = way_of(tokenizer, is_learned=is_learned)
        self.buttons[way].setChecked(True)
        for widget in (self._size_label, self.n_vocab, self.learn):
            widget.setVisible(way == LEARN)
        if way == LEARN:
            self.n_vocab.show_number(tokenizer.n_vocab)
        self._about.setText(about_of(tokenizer, way, is_learned=is_learned))

    # While one is learned.

    def begin(self) -> None:
        """Learning begins: nothing is known yet."""
        self._is_learning = True
        self.learn.setText("Stop")
        self._bar.setRange(0, 0)
        self._bar.show()
        self._merges.clear()
        self._merges.show()

    def add_merges(self, merged: Merged) -> None:
        """Show merges that were chosen just now."""
        self._bar.setRange(0, merged.n_asked)
        self._bar.setValue(merged.n_done)
        self._merges.appendPlainText("\n".join(merge_lines(merged)))

    def end(self) -> None:
        """Learning has ended; the merges stay if a tokenizer came of it."""
        self._is_learning = False
        self.learn.setText("Learn it now")
        self._bar.hide()

    @property
    def merges(self) -> list[str]:
        """The merges in sight."""
        return self._merges.toPlainText().splitlines()

    # What the person does.

    @Slot(int)
    def _on_ways_id_clicked(self, index: int) -> None:
        way = WAYS[index]
        if way == LEARN:
            self._ask(TokenizerConfig(n_vocab=self.n_vocab.number))
        elif way == BY_CHARACTER:
            self._ask(TokenizerConfig(kind=CHARACTERS, n_vocab=GUESSED_CHARACTERS))
        elif way == DEFAULT:
            self._ask_file(DEFAULT_MODEL / TOKENIZER_FILE)
        else:
            self._choose_file()

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Choose a tokenizer", "", TOKENIZERS
        )
        if name:
            self._ask_file(Path(name))
        else:
            self.show_tokenizer(self._tokenizer, is_learned=self._is_learned)

    def _ask_file(self, path: Path) -> None:
        self._ask(TokenizerConfig(file=str(path), n_vocab=self._tokenizer.n_vocab))

    def _ask(self, tokenizer: TokenizerConfig) -> None:
        if tokenizer != self._tokenizer:
            self.tokenizer_requested.emit(tokenizer)

    @Slot()
    def _on_n_vocab_number_changed(self) -> None:
        self._ask(TokenizerConfig(n_vocab=self.n_vocab.number))

    @Slot()
    def _on_learn_clicked(self) -> None:
        if self._is_learning:
            self.stop_requested.emit()
        else:
            self.learning_requested.emit()


def way_of(tokenizer: TokenizerConfig, *, is_learned: bool) -> str:
    """Which of the ways a tokenizer came."""
    if is_learned or not tokenizer.file:
        return BY_CHARACTER if tokenizer.kind == CHARACTERS else LEARN
    is_default = Path(tokenizer.file) == DEFAULT_MODEL / TOKENIZER_FILE
    return DEFAULT if is_default else FILE


def about_of(tokenizer: TokenizerConfig, way: str, *, is_learned: bool) -> str:
    """A tokenizer in a sentence."""
    if is_learned:
        return f"Learned: {tokenizer.n_vocab:,} tokens, from the text above."
    if way == LEARN:
        return (
            "256 bytes, one token for the end of a text (of pairs: one for the start, "
            "too), and the rest merges of those that stand side by side most often."
        )
    if way == BY_CHARACTER:
        return (
            "A token for each character (code point) that stands in the text, and for "
            "no other. Easy to follow, but a sentence becomes four or five times as "
            "many tokens, and the model cannot read what the text does not have."
        )
    if way == DEFAULT:
        return f"The {tokenizer.n_vocab:,} tokens of the model that comes with us."
    return f"{tokenizer.n_vocab:,} tokens from {tokenizer.file}"


def merge_lines(merged: Merged) -> list[str]:
    """Merges as lines: "   1  t + he → the      1,234×"."""
    first = merged.n_done - len(merged.counts) + 1
    lines = []
    rows = zip(merged.left, merged.right, merged.counts, strict=True)
    for number, (left, right, count) in enumerate(rows, first):
        parts = [from_letters(symbol) for symbol in (left, right)]
        shown = " + ".join(map(label_of, parts))
        whole = label_of(b"".join(parts))
        lines.append(f"{number:>6,}  {shown:<13} → {whole:<10} {count:>9,}×")
    return lines
