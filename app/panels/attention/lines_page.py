"""Lines: tokens left and right, joined by what some heads of the layer share out.

Steps: attn.scores to attn.pattern; the lines are always shares.
"""

from collections.abc import Hashable

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.heads_row import HeadsRow, regathered
from app.panels.attention.page import (
    Page,
    Part,
    attn_of,
    kind_of_scene,
    layer_of,
)
from app.panels.attention.status import StatusLine, hint_line
from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.attention_lines import AttentionLines
from app.widgets.canvas import NOTHING
from app.widgets.card import Card, plain_label
from app.widgets.line_strands import MOST_STRANDS
from core.trace.sheet import Sheet
from core.trace.views.attention_lines import LinesView, lines_heads, lines_view
from core.trace.views.attention_shares import share_parts
from core.trace.views.share_sheets import lines_sheets

CUT = f" · of more than {MOST_STRANDS:,} lines in sight the strongest are drawn"
HOW = "point at a token or a line · click a token: pin · again: let go"
CAPTIONS = {
    False: ("queries: who looks", "keys: who is looked at"),
    True: ("target: who looks", "source: who is looked at"),
}
"""Over the two sides, by whether they are of two texts."""


class LinesPage(Page):
    """The lines of one head, or of those that are gathered."""

    def __init__(self) -> None:
        """No lines."""
        super().__init__()
        self._view: LinesView | None = None
        self._card, self._heads = Card(), HeadsRow(is_coloured=True)
        self._lines = AttentionLines()
        self._status, self._note = StatusLine(), StatusLine(is_only_note=True)
        self._note.setObjectName("attention.lines.note")
        self._lines.setObjectName("attention.lines")
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        sides = QHBoxLayout()
        right, left = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft
        self._captions = []
        for ink, side in (("query", right), ("key", left)):
            label = plain_label(ink=ink)
            label.setFont(sans(SMALL))
            label.setAlignment(side)
            self._captions.append(label)
            sides.addWidget(label)
        sides.insertStretch(1, 1)
        self._card.body.addWidget(self._heads)
        self._card.body.addLayout(sides)
        self._card.body.addWidget(self._lines, 1)
        self._card.body.addWidget(self._status)
        self._card.body.addWidget(self._note)
        self._card.body.addWidget(hint_line(HOW))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)
        self._heads.gathered.connect(self._on_heads_gathered)
        self._lines.pin_requested.connect(self._on_lines_pin_requested)
        self._lines.hovered.connect(self._on_lines_hovered)
        self._lines.sides_changed.connect(self._on_lines_sides_changed)
        self._lines.set_pair_text(self._pair_text)
        self._escape.activated.connect(self._on_escape_activated)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The whole map of every head shown: a column needs all of it."""
        layer, heads = place_of(scene)
        pairs = [(layer, head) for head in heads]
        return share_parts(scene.trace, pairs, scene.viewing)

    def subject(self, scene: Scene) -> Hashable:
        """The heads, and how they are shaped."""
        at = scene.viewing
        shape = at.sink, at.is_log, at.threshold, at.whole_words, at.hides_specials
        return attn_of(scene), place_of(scene), shape

    def fill(self, scene: Scene) -> None:
        """Show the lines of these heads."""
        layer, heads = place_of(scene)
        self._view = view = lines_view(scene.trace, layer, heads, scene.viewing)
        shaping = view.shares.shaping
        self._card.set_title(view.title)
        self._heads.show_heads(scene.trace.config, heads, layer)
        labels = shaping.rows.labels, shaping.columns.labels
        words = CAPTIONS[kind_of_scene(scene).is_cross]
        for caption, word in zip(self._captions, words, strict=True):
            caption.setText(word)
        self._lines.show_maps(
            labels, view.shares, heads, view.least, view.scale, view.dimmed
        )
        may_be_cut = view.shares.n_rows * view.shares.n_columns > MOST_STRANDS
        self._note.set_note(view.note + CUT * may_be_cut)

    def mark(self, scene: Scene) -> None:
        """Hold the pinned token's lines."""
        view, viewing = self._view, scene.viewing
        assert view is not None
        place = view.place_of(viewing.looks_back, viewing.pinned)
        pinned = NOTHING
        if place is not None:
            pinned = self._lines.index_of(viewing.looks_back, place)
        self._lines.set_pinned(pinned)
        self._escape.setEnabled(pinned != NOTHING)
        self._tell()

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The shares of every head shown; those of the pinned token first."""
        layer, heads = place_of(scene)
        viewing = scene.viewing
        view = lines_view(scene.trace, layer, heads, viewing)
        place = view.place_of(viewing.looks_back, viewing.pinned)
        focus = None if place is None else (viewing.looks_back, place)
        return lines_sheets(view, viewing, focus)

    # What the reader does.

    def _tell(self) -> None:
        """Put the lines under the mouse, or of the pinned token, into words."""
        lines, view = self._lines, self._view
        if view is None or lines.focus_index == NOTHING:
            self._status.say("")
            return
        pair = lines.pair_with(lines.hover_index)
        if pair is not None:
            self._status.say(view.pair(*pair).replace("\n", " · "))
        else:
            self._status.say(view.told(*lines.side_of(lines.focus_index)))

    def _pair_text(self, row: int, column: int) -> str:
        return "" if self._view is None else self._view.pair(row, column)

    @Slot(int)
    def _on_lines_hovered(self, _: int) -> None:
        self._tell()

    @Slot(int, int)
    def _on_lines_sides_changed(self, *widths: int) -> None:
        """Let the captions stand over the labels of their sides."""
        for caption, width in zip(self._captions, widths, strict=True):
            caption.setFixedWidth(width)

    @Slot(int)
    def _on_lines_pin_requested(self, index: int) -> None:
        if index == NOTHING or self._view is None:
            self.look(pinned=None)
            return
        looks_back, place = self._lines.side_of(index)
        token = self._view.token_of(looks_back, place)
        self.look(pinned=token, looks_back=looks_back)
        self.ask(**{"key" if looks_back else "query": token})

    @Slot(object)
    def _on_heads_gathered(self, heads: tuple[int, ...]) -> None:
        if self._view is not None:
            layer = self._view.layer
            self.look(gathered=regathered(self.viewing, layer, heads))

    @Slot()
    def _on_escape_activated(self) -> None:
        self.look(pinned=None)


def place_of(scene: Scene) -> tuple[int, tuple[int, ...]]:
    """The layer, and the heads of it whose lines are drawn."""
    layer = layer_of(scene)
    return layer, lines_heads(scene.viewing, layer, scene.selection.head)
