"""The card of a row: everything that may follow one token, likeliest first."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal, Slot

from app.panels.output.find_token import FindToken
from app.scene import Scene
from app.widgets.bars import Bar
from app.widgets.card import Card
from app.widgets.ranked_bars import NO_BARS, Ranked, RankedBars
from core.trace.views.output import Ranking
from core.trace.views.places import token_label

NoteOf = Callable[[range], str]


class RowCard(Card):
    """Bars over the whole vocabulary, a field to find a token, a line on the rest."""

    token_chosen = Signal(int)
    """The reader chose a token: its id."""

    def __init__(self) -> None:
        """Empty."""
        super().__init__()
        self._row: Ranking | None = None
        self._note_of: NoteOf = str
        self._find = FindToken()
        self._find.found.connect(self._on_find_found)
        self.head.addWidget(self._find)
        self.bars = RankedBars("What may follow, likeliest first")
        self.bars.row_clicked.connect(self._on_bars_row_clicked)
        self.bars.seen_changed.connect(self._on_bars_seen_changed)
        self.body.addWidget(self.bars, 1)

    def show_row(
        self,
        scene: Scene,
        row: Ranking,
        columns: tuple[str, ...],
        bar_of: Callable[[int], Bar],
        note_of: NoteOf,
    ) -> None:
        """Show a row; `bar_of` makes the bar of a rank, `note_of` the line below."""
        self._row, self._note_of = row, note_of
        self._find.use(scene.tokenizer)
        self.set_title(title(scene, row))
        self.bars.show_ranked(Ranked(row.n_vocab, bar_of, columns))
        token = scene.selection.token
        self.bars.set_selected(0 if token is None else row.rank(token))

    def show_trouble(self, scene: Scene, row: Ranking, reason: str) -> None:
        """Show no bars, and why."""
        self._row = None
        self.set_title(title(scene, row))
        self.bars.set_message(reason)
        self.bars.show_ranked(NO_BARS)
        self.set_note("")

    @Slot(int)
    def _on_bars_row_clicked(self, rank: int) -> None:
        if self._row is not None:
            self.token_chosen.emit(int(self._row.order[rank]))

    @Slot(int, int)
    def _on_bars_seen_changed(self, first: int, stop: int) -> None:
        if self._row is not None:
            self.set_note(self._note_of(range(first, stop)))

    @Slot(object)
    def _on_find_found(self, ids: Sequence[int]) -> None:
        if self._row is not None:
            self.token_chosen.emit(min(ids, key=self._row.rank))


def title(scene: Scene, row: Ranking) -> str:
    """After which token of the sentence, or at which."""
    where = "After" if scene.trace.config.writes else "At"
    return f"{where} {token_label(scene.trace, row.query)}"
