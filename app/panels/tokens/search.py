"""A face of the tokens panel: the search for the longest match through the chosen word.

Step: tokens.merges, for tokenizers like BERT's. The slider's place is the selection's
`n_merges`: the round that is looked at.
"""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.panels.tokens.merges import NoMerges
from app.scene import Scene
from app.widgets.card import GAP, Card
from app.widgets.merge_rows import MergeRow, MergeRows
from app.widgets.play_slider import PlaySlider
from core.tokenizers.base import Encoding
from core.tokenizers.labels import label_of
from core.trace.token_side import TokenSide
from core.trace.views.tokens import no_merges_reason, way_reason, word_of, word_title
from core.trace.views.ways import SearchState, rounds_title, search_states

NOTE = (
    "From the left, the longest beginning that is a token is taken. What goes on "
    "inside a word is sought with ## before it. Below each round: what was tried first."
)


class SearchFace(Card):
    """The word round by round, and a slider over the rounds."""

    n_merges_requested = Signal(int)
    """The reader wants so many rounds done."""

    def __init__(self) -> None:
        """No word yet."""
        super().__init__("Longest match")
        self._shown: tuple[Encoding, int] | None = None
        self.rows = MergeRows()
        self.slider = PlaySlider("rounds of the search")
        self.slider.setObjectName("search.slider")
        self.empty = NoMerges()
        walk = QWidget()
        column = QVBoxLayout(walk)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.rows, 1)
        column.addWidget(self.slider)
        self.pages = QStackedWidget()
        self.pages.addWidget(walk)
        self.pages.addWidget(self.empty)
        self.body.addWidget(self.pages)
        self.rows.row_clicked.connect(self.n_merges_requested)
        self.slider.position_requested.connect(self.n_merges_requested)

    def display(self, scene: Scene) -> None:
        """Show the word of the query token in the selection's round."""
        encoding = scene.tokens.encoding
        chosen = word_of(encoding, scene.selection.query)
        word = encoding.words[chosen]
        if self._shown != (encoding, chosen):
            self._shown = (encoding, chosen)
            self._show_word(scene.tokens, chosen)
        done = min(scene.selection.n_merges, word.n_recorded)
        self.rows.set_position(done)
        self.slider.show_position(done, word.n_recorded)
        title = rounds_title(word, done) if word.n_recorded else "no search"
        self.set_title(f"{word_title(word)} · {title}")

    def _show_word(self, tokens: TokenSide, chosen: int) -> None:
        word = tokens.encoding.words[chosen]
        self.slider.stop()
        states = search_states(word)
        reason = no_merges_reason(tokens.encoding, chosen, tokens.name)
        self.pages.setCurrentIndex(int(bool(reason)))
        self.empty.word.show_text(" ".join(map(label_of, word.symbols)))
        self.empty.reason.setText(reason)
        self.rows.show_rows(tuple(map(row_of, states)))
        self.set_note((way_reason(word) if word.n_recorded else "") or NOTE)


def row_of(state: SearchState) -> MergeRow:
    """A state of the search as a row."""
    tried = [f"{name} is no token" for name in state.tried]
    return MergeRow(
        symbols=state.symbols,
        joined=state.taken,
        rank=state.outcome,
        losers=state.tried,
        tip="\n".join([state.outcome or "the end", *tried]),
    )
