"""A face of the tokens panel: the merges of the chosen word, one after another.

Step: tokens.merges. The slider's place is the selection's `n_merges`, and so are the
row that is lit and the part of the tree that is solid.
"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.scene import Scene
from app.style.fonts import SMALL, TITLE, mono, sans
from app.widgets.card import GAP, Card, plain_label
from app.widgets.elided import ElidedLabel
from app.widgets.label import Align
from app.widgets.merge_rows import MergeRow, MergeRows
from app.widgets.merge_tree import MergeTree
from app.widgets.merge_tree_layout import TreeNode
from app.widgets.play_slider import PlaySlider
from core.tokenizers.base import Encoding
from core.tokenizers.labels import label_of
from core.trace.token_side import TokenSide
from core.trace.views.tokens import (
    Join,
    MergeState,
    Rival,
    cut_note,
    merge_states,
    merge_trees,
    merges_title,
    no_merges_reason,
    word_of,
    word_title,
)

ROWS_SHARE, TREE_SHARE = 6, 5


class NoMerges(QWidget):
    """A word that no merge touched, and why."""

    def __init__(self) -> None:
        """No word yet."""
        super().__init__()
        self.word = ElidedLabel(align=Align.AlignHCenter)
        self.word.setFont(mono(TITLE))
        self.reason = plain_label(ink="muted")
        self.reason.setWordWrap(True)
        self.reason.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column = QVBoxLayout(self)
        column.setSpacing(GAP)
        column.addStretch(2)
        column.addWidget(self.word)
        column.addWidget(self.reason)
        column.addStretch(3)


class MergesFace(Card):
    """The word row by row, its tree, and a slider over the merges."""

    n_merges_requested = Signal(int)
    """The reader wants so many merges played."""

    def __init__(self) -> None:
        """No word yet."""
        super().__init__("Merges")
        self._shown: tuple[Encoding, int] | None = None
        self.cut = plain_label(ink="warning")
        self.cut.setFont(sans(SMALL))
        self.head.addWidget(self.cut)
        self.rows, self.tree = MergeRows(), MergeTree()
        self.slider = PlaySlider("merges of the word")
        self.slider.setObjectName("merges.slider")
        self.empty = NoMerges()
        walk = QWidget()
        column = QVBoxLayout(walk)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        column.addWidget(self.rows, ROWS_SHARE)
        column.addWidget(self.tree, TREE_SHARE)
        column.addWidget(self.slider)
        self.pages = QStackedWidget()
        self.pages.addWidget(walk)
        self.pages.addWidget(self.empty)
        self.body.addWidget(self.pages)
        self.rows.row_clicked.connect(self.n_merges_requested)
        self.tree.node_clicked.connect(self._on_tree_node_clicked)
        self.slider.position_requested.connect(self.n_merges_requested)

    def display(self, scene: Scene) -> None:
        """Show the word of the query token after the selection's merges."""
        encoding = scene.tokens.encoding
        chosen = word_of(encoding, scene.selection.query)
        word = encoding.words[chosen]
        if self._shown != (encoding, chosen):
            self._shown = (encoding, chosen)
            self._show_word(scene.tokens, chosen)
        n_merges = min(scene.selection.n_merges, len(word.merges))
        self.rows.set_position(n_merges)
        self.tree.set_position(n_merges)
        self.slider.show_position(n_merges, len(word.merges))
        self.set_title(f"{word_title(word)} · {merges_title(word, n_merges)}")

    def _show_word(self, tokens: TokenSide, chosen: int) -> None:
        word = tokens.encoding.words[chosen]
        self.slider.stop()
        reason = no_merges_reason(tokens.encoding, chosen, tokens.name)
        self.pages.setCurrentIndex(int(bool(reason)))
        self.empty.word.show_text(" ".join(map(label_of, word.symbols)))
        self.empty.reason.setText(reason)
        self.cut.setText(cut_note(word))
        self.rows.show_rows(tuple(map(row_of, merge_states(word))))
        self.tree.show_trees(tuple(map(node_of, merge_trees(word))))

    @Slot(TreeNode)
    def _on_tree_node_clicked(self, node: TreeNode) -> None:
        self.n_merges_requested.emit(node.order + 1)


def row_of(state: MergeState) -> MergeRow:
    """A state of the word as a row."""
    first, *again = state.positions or (None,)
    return MergeRow(
        symbols=state.symbols,
        joined=None if first is None else (first, first + 1),
        rank="" if state.rank is None else f"rank {state.rank + 1}",
        losers=tuple(map(rival_text, state.rivals)),
        again=tuple(place for place in again if place is not None),
    )


def rival_text(rival: Rival) -> str:
    """A pair that has to wait, with its rank."""
    return f"{rival.left} {rival.right} rank {rival.rank + 1}"


def node_of(join: Join) -> TreeNode:
    """A join as a node of the tree."""
    rank = "" if join.rank is None else str(join.rank + 1)
    return TreeNode(join.label, tuple(map(node_of, join.parts)), join.order, rank)
