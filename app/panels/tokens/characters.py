"""A face of the tokens panel: all characters that a model knows, none of them merged.

Step: tokens.merges, for tokenizers whose tokens are characters. The character of the
query token is the chosen one; a click goes to where another one stands in the sentence.
"""

from PySide6.QtCore import Signal, Slot

from app.scene import Scene
from app.widgets.card import Card
from app.widgets.word_flow import FlowCell, FlowWord, WordFlow
from core.tokenizers.base import Tokenizer
from core.trace.views.tokens import VocabularyRow, vocabulary_rows, vocabulary_title

NOTE = (
    "Under each character stands its id: the row of the embedding table that it picks. "
    "Nothing is joined, and there is no token for any other character."
)


class CharactersFace(Card):
    """The whole vocabulary, with the query token's character lit."""

    token_requested = Signal(int)
    """The reader chose a character; this token of the sentence is one."""

    def __init__(self) -> None:
        """No characters yet."""
        super().__init__("Characters")
        self._tokenizer: Tokenizer | None = None
        self._rows: tuple[VocabularyRow, ...] = ()
        self._place_of: dict[int, int] = {}
        self._ids: tuple[int, ...] = ()
        self.flow = WordFlow("Characters that the model knows", grows=True)
        self.flow.word_clicked.connect(self._on_flow_word_clicked)
        self.body.addWidget(self.flow)
        self.set_note(NOTE)

    def display(self, scene: Scene) -> None:
        """Show the vocabulary and light the query token's row of it."""
        if scene.tokenizer is not self._tokenizer:
            self._tokenizer = scene.tokenizer
            self._rows = vocabulary_rows(scene.tokenizer)
            self._place_of = {row.id: place for place, row in enumerate(self._rows)}
            self.flow.show_words(tuple(map(flow_word, self._rows)))
            self.set_title(vocabulary_title(scene.tokenizer))
        self._ids = scene.tokens.encoding.ids
        chosen = self._ids[scene.selection.query]
        self.flow.set_chosen(self._place_of.get(chosen))

    @Slot(int)
    def _on_flow_word_clicked(self, place: int) -> None:
        token_id = self._rows[place].id
        if token_id in self._ids:
            self.token_requested.emit(self._ids.index(token_id))


def flow_word(row: VocabularyRow) -> FlowWord:
    """A token as a box: what it is, above its id."""
    return FlowWord((FlowCell(row.label, str(row.id)),))
