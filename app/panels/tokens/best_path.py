"""A face of the tokens panel: all tokens that fit in a word, and the best path.

Step: tokens.merges, for tokenizers like T5's. The slider's place is the selection's
`n_merges`: the letters that the walk has behind it.
"""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.panels.tokens.merges import NoMerges
from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.card import GAP, Card, plain_label
from app.widgets.lattice import Lattice, LatticeBox
from app.widgets.play_slider import PlaySlider
from app.widgets.rows import Column, Row, Rows
from core.tokenizers.base import Encoding
from core.tokenizers.labels import label_of
from core.trace.token_side import TokenSide
from core.trace.views.tokens import cut_note, no_merges_reason, word_of, word_title
from core.trace.views.ways import LatticeArc, LatticeView, lattice_view, letters_title

NOTE = (
    "Each token has a score, the logarithm of its probability. Of all ways to cut the "
    "word, the one with the highest sum is taken; under each border stands the highest "
    "sum that leads there."
)
COLUMNS = (
    Column("token"),
    Column("highest sum before", is_number=True, ink="muted"),
    Column("score", is_number=True),
    Column("sum", is_number=True, ink="accent"),
    Column("", ink="muted"),
)
LATTICE_SHARE, ROWS_SHARE = 3, 2


class BestPathFace(Card):
    """The lattice of the word, what leads to the present border, and a slider."""

    n_merges_requested = Signal(int)
    """The reader wants so many letters walked through."""

    def __init__(self) -> None:
        """No word yet."""
        super().__init__("Best path")
        self._shown: tuple[Encoding, int] | None = None
        self._view: LatticeView | None = None
        self.cut = plain_label(ink="warning")
        self.cut.setFont(sans(SMALL))
        self.head.addWidget(self.cut)
        self.lattice = Lattice()
        self.rows = Rows("Tokens that end here", COLUMNS)
        self.slider = PlaySlider("letters of the word")
        self.slider.setObjectName("path.slider")
        self.empty = NoMerges()
        walk = QWidget()
        column = QVBoxLayout(walk)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.lattice, LATTICE_SHARE)
        column.addWidget(self.rows, ROWS_SHARE)
        column.addWidget(self.slider)
        self.pages = QStackedWidget()
        self.pages.addWidget(walk)
        self.pages.addWidget(self.empty)
        self.body.addWidget(self.pages)
        self.set_note(NOTE)
        self.lattice.box_clicked.connect(self.n_merges_requested)
        self.slider.position_requested.connect(self.n_merges_requested)

    def display(self, scene: Scene) -> None:
        """Show the word of the query token as far as the selection has walked."""
        encoding = scene.tokens.encoding
        chosen = word_of(encoding, scene.selection.query)
        word = encoding.words[chosen]
        if self._shown != (encoding, chosen):
            self._shown = (encoding, chosen)
            self._show_word(scene.tokens, chosen)
        done = min(scene.selection.n_merges, word.n_recorded)
        self.lattice.set_position(done)
        self.rows.show_rows(rows_at(self._view, done))
        self.slider.show_position(done, word.n_recorded)
        title = letters_title(word, done) if self._view else "no path"
        self.set_title(f"{word_title(word)} · {title}")

    def _show_word(self, tokens: TokenSide, chosen: int) -> None:
        word = tokens.encoding.words[chosen]
        self.slider.stop()
        view = self._view = lattice_view(word)
        reason = "" if view else no_merges_reason(tokens.encoding, chosen, tokens.name)
        self.pages.setCurrentIndex(int(bool(reason)))
        self.empty.word.show_text(" ".join(map(label_of, word.symbols)))
        self.empty.reason.setText(reason)
        self.cut.setText(cut_note(word))
        if view is not None:
            boxes = tuple(map(box_of, view.arcs))
            sums = tuple(f"{total:.2f}" for total in view.best)
            self.lattice.show_word(view.letters, boxes, sums)


def box_of(arc: LatticeArc) -> LatticeBox:
    """A token that fits, as a box."""
    kind = "no token: it would be unknown\n" if arc.is_stand_in else ""
    tip = f"{kind}{arc.before:.2f} before it, score {arc.score:.2f}: {arc.total:.2f}"
    return LatticeBox(arc.label, arc.start, arc.stop, tip, arc.is_best, arc.is_on_path)


def rows_at(view: LatticeView | None, n_done: int) -> tuple[Row, ...]:
    """What leads to the present border; at the end, the tokens of the best path."""
    if view is None:
        return ()
    if n_done < len(view.letters):
        return tuple(_row(arc, arc.is_best) for arc in view.arcs_to(n_done + 1))
    return tuple(_row(arc, False) for arc in view.arcs if arc.is_on_path)


def _row(arc: LatticeArc, is_best: bool) -> Row:
    numbers = (f"{number:.3f}" for number in (arc.before, arc.score, arc.total))
    remark = "the highest" if is_best else ""
    if arc.is_stand_in:
        remark = f"{remark}, no token" if remark else "no token"
    return Row((arc.label, *numbers, remark))
