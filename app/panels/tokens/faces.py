"""Two faces of the tokens panel: the words as bytes, and the tokens as a list.

Steps: tokens.pieces and tokens.ids.
"""

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from app.panels.tokens.reading import Reading
from app.panels.tokens.words import flow_word
from app.scene import Scene
from app.style.fonts import BASE, SMALL, mono, sans
from app.widgets.card import Card, plain_label, set_ink
from app.widgets.elided import ElidedLabel
from app.widgets.rows import Column, Row, Rows
from app.widgets.word_flow import WordFlow
from core.tokenizers.base import Encoding
from core.trace.step import DECODER
from core.trace.views.tokens import (
    PieceRow,
    counted,
    one_line,
    piece_rows,
    word_notes,
    word_of,
)

COUNT_NOTE = "Tokens count from 1; the position added to the first of them is 0."
SPLIT_NOTE = "Under each character stand its bytes, in hexadecimal."
START_NOTE = "The first is the model's start token; nobody typed it."
COLUMNS = (
    Column("token no.", is_number=True, ink="muted"),
    Column("token"),
    Column("id", is_number=True, ink="accent"),
    Column("bytes", ink="muted", gives=True),
    Column("at byte", is_number=True, ink="muted"),
    Column("at character", is_number=True, ink="muted"),
    Column("part", ink="muted"),
)


class PiecesFace(Card):
    """Every word of the sentence, its characters above their bytes."""

    word_requested = Signal(int)
    """The reader chose a word."""

    def __init__(self) -> None:
        """No words yet."""
        super().__init__("Bytes")
        self._shown: Encoding | None = None
        self.flow = WordFlow("Words as bytes", grows=True)
        self.flow.word_clicked.connect(self.word_requested)
        self.reading = Reading()
        self.body.addWidget(self.flow)
        self.body.addWidget(self.reading)
        self.set_note(SPLIT_NOTE)

    def display(self, scene: Scene) -> None:
        """Show the split and mark the word of the query token."""
        encoding, side = scene.tokens.encoding, scene.tokens.name
        if encoding is not self._shown:
            self._shown = encoding
            words = zip(encoding.words, word_notes(encoding, side), strict=True)
            self.flow.show_words(tuple(flow_word(w.data, note) for w, note in words))
            self.reading.display(encoding, scene.tokenizer)
            n = counted(encoding.n_bytes, "byte")
            self.set_title(f"{counted(encoding.n_characters, 'character')}, {n}")
            self.set_note(with_start(SPLIT_NOTE, side))
        self.flow.set_chosen(word_of(encoding, scene.selection.query))


class IdsFace(Card):
    """Every token with its id and its place in the text, and the text decoded again."""

    token_requested = Signal(int)
    """The reader chose a token."""

    def __init__(self) -> None:
        """No tokens yet."""
        super().__init__("Tokens")
        self._shown: Encoding | None = None
        self.rows = Rows("Tokens with their ids", COLUMNS)
        self.rows.row_clicked.connect(self.token_requested)
        caption = plain_label("decoded", "muted")
        caption.setFont(sans(SMALL))
        self.decoded = ElidedLabel()
        self.decoded.setFont(mono(BASE))
        self.verdict = plain_label()
        self.verdict.setFont(sans(SMALL))
        said = QHBoxLayout()
        said.addWidget(caption)
        said.addWidget(self.verdict, 1)
        self.body.addWidget(self.rows, 1)
        self.body.addLayout(said)
        self.body.addWidget(self.decoded)
        self.set_note(COUNT_NOTE)

    def display(self, scene: Scene) -> None:
        """Show the tokens and mark the query."""
        encoding = scene.tokens.encoding
        if encoding is not self._shown:
            self._shown = encoding
            self.set_note(with_start(COUNT_NOTE, scene.tokens.name))
            self.set_title(counted(len(encoding.pieces), "token"))
            self.rows.show_rows(table_rows(encoding))
            self._show_decoded(scene)
        self.rows.set_chosen(scene.selection.query)

    def _show_decoded(self, scene: Scene) -> None:
        pieces = scene.tokens.encoding.pieces
        own = pieces[1:] if scene.tokens.name == DECODER else pieces
        decoded = scene.tokenizer.decode([piece.id for piece in own])
        self.decoded.show_text(one_line(decoded))
        ink, words = VERDICTS[verdict_on(decoded, scene)]
        self.verdict.setText(words)
        set_ink(self.verdict, ink)


def with_start(note: str, side: str) -> str:
    """A note; of a target first what its start token is."""
    return f"{START_NOTE} {note}" if side == DECODER else note


Verdict = Literal["equal", "as read", "different"]
VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    "equal": ("checked", "equal to the text, character for character"),
    "as read": ("muted", "the text as the tokenizer reads it, not as it was typed"),
    "different": ("warning", "not the text that was typed"),
}
"""The ink and the words for the decoded line."""


def verdict_on(decoded: str, scene: Scene) -> Verdict:
    """Whether the decoded line is the text, and if not, whether it could be.

    A tokenizer that changes the text, or keeps no spaces, cannot lead back to it.
    """
    if decoded == scene.tokens.encoding.text:
        return "equal"
    is_changed = bool(scene.tokenizer.notes) or scene.tokenizer.method == SPACELESS
    return "as read" if is_changed else "different"


SPACELESS = "longest match"
"""The method whose tokens do not say where spaces stood."""


def table_rows(encoding: Encoding) -> tuple[Row, ...]:
    """The tokens as rows; those that share a character in one bracket."""
    bracket_of = {
        place: number
        for number, (start, stop) in enumerate(encoding.brackets)
        for place in range(start, stop)
    }
    return tuple(
        Row(texts_of(place, row), bracket_of.get(place))
        for place, row in enumerate(piece_rows(encoding))
    )


def texts_of(place: int, row: PieceRow) -> tuple[str, ...]:
    """One token's texts, a column each."""
    return (
        str(place + 1),
        row.label,
        str(row.id),
        row.hexadecimal,
        row.bytes_,
        row.characters,
        row.share,
    )
