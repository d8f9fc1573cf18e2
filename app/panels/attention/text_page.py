"""Text: the sentence, shaded by what a token looks at or by who looks at it.

Steps: attn.scores to attn.pattern; the shades are always shares. A token is pointed at,
or pinned; without either the chosen query (or key) of the window is looked at. In cross
attention there are two texts: a token of one is pointed at, the other is shaded.
"""

from collections.abc import Hashable

import numpy as np
from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.heads_row import HeadsRow, regathered
from app.panels.attention.page import CARD_GAP, Page, Part, attn_of, layer_of
from app.panels.attention.status import StatusLine, hint_line
from app.panels.attention.text_list import TextList
from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.canvas import NOTHING
from app.widgets.card import GAP, Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.qt_calls import tells_faults
from app.widgets.segments import Segments
from app.widgets.shaded_text import Shade, ShadedText, TextToken
from core.trace.sheet import Sheet
from core.trace.viewing import JOININGS, Head
from core.trace.views.attention_shares import share_parts
from core.trace.views.attention_text import (
    TextItem,
    TextView,
    text_heads,
    text_view,
)
from core.trace.views.share_sheets import text_sheets

WAYS = ("looks at", "looked at by")
JOINED = ("one head", "mean", "largest")
HOW = "point at a token · click: pin · again: let go"
SIDES = ("target", "source")
"""Who looks, and what is looked at, where these are two texts."""
ROLES = ("query", "key")
"""What the pointed token is: it looks, or it is looked at."""
LEAST_TEXT, LEAST_LIST = 60, 132
"""Heights."""
NAME_WIDTH = 42
"""Beside each of two texts."""
LIST_FROM = 200
"""A text that is longer than the page leaves the list room if it has so much itself."""


@tells_faults
class TextPage(Page):
    """The tokens as running text."""

    def __init__(self) -> None:
        """No text."""
        super().__init__()
        self._view: TextView | None = None
        self._layer = 0
        self._chosen: int | None = None
        self._partner: int | None = None
        self._is_pinned = False
        self._shared: tuple[int, int, TextView | None] | None = None
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self._share_height)
        self._card, self._heads = Card(), HeadsRow(is_coloured=False)
        self._texts = ShadedText(), ShadedText()
        self._names = tuple(plain_label(name, "muted") for name in SIDES)
        self._status = StatusLine()
        self._note = StatusLine(is_only_note=True)
        self._note.setObjectName("attention.text.note")
        for text, name in zip(self._texts, ("text", "source"), strict=True):
            text.setObjectName(f"attention.{name}")
            text.setFixedHeight(LEAST_TEXT)
        self._list = TextList()
        self._bar = ColourBar()
        self._ways = Segments(WAYS, "text.way")
        self._joining = Segments(JOINED, "text.joining")
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        switches = QHBoxLayout()
        switches.setSpacing(2 * GAP)
        switches.addWidget(self._ways)
        switches.addWidget(self._joining)
        switches.addStretch(1)
        switches.addWidget(self._bar)
        self._card.body.addLayout(switches)
        self._card.body.addWidget(self._heads)
        for label, text in zip(self._names, self._texts, strict=True):
            label.setFont(sans(SMALL))
            label.setFixedWidth(NAME_WIDTH)
            row = QHBoxLayout()
            row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(text, 1)
            self._card.body.addLayout(row)
        self._card.body.addWidget(self._status)
        self._card.body.addWidget(self._note)
        self._card.body.addWidget(hint_line(HOW))
        self._card.body.addStretch(1)  # else the rows of switches share what is left
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        column.addWidget(self._card)
        column.addWidget(self._list, 1)

    def _connect(self) -> None:
        self._ways.chosen.connect(self._on_ways_chosen)
        self._joining.chosen.connect(self._on_joining_chosen)
        self._heads.gathered.connect(self._on_heads_gathered)
        self._heads.picked.connect(self._on_heads_picked)
        for text in self._texts:
            text.hovered.connect(self._on_text_hovered)
        looking, seen = self._texts
        looking.token_clicked.connect(self._on_looking_clicked)
        seen.token_clicked.connect(self._on_seen_clicked)
        self._list.item_clicked.connect(self._on_list_item_clicked)
        self._escape.activated.connect(self._on_escape_activated)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The whole map of every head that is joined."""
        return share_parts(scene.trace, heads_of(scene), scene.viewing)

    def subject(self, scene: Scene) -> Hashable:
        """The heads, and all that changes a shade or the text."""
        at = scene.viewing
        shape = at.sink, at.threshold, at.whole_words, at.hides_specials, at.is_log
        return attn_of(scene), heads_of(scene), shape, at.joining, at.looks_back

    def fill(self, scene: Scene) -> None:
        """Show the text and the switches."""
        viewing, heads = scene.viewing, heads_of(scene)
        self._layer = layer = layer_of(scene)
        self._view = view = text_view(scene.trace, heads, viewing)
        self._card.set_title(view.title)
        self._ways.set_place(int(viewing.looks_back))
        self._joining.set_place(JOININGS.index(viewing.joining))
        self._heads.show_heads(
            scene.trace.config,
            [head for of, head in heads if of == layer],
            layer,
            picks_one=viewing.joining == "head",
        )
        for text, items in zip(self._texts, view.texts, strict=True):
            text.show_tokens(tuple(map(token_of, items)))
        for each in (*self._names, self._texts[1]):
            each.setVisible(view.is_crossed)
        self._note.set_note(view.note)
        self._share_height()

    @property
    def _pointed(self) -> ShadedText:
        """The text of which a token is looked from."""
        view = self._view
        is_other = view is not None and view.is_crossed and view.viewing.looks_back
        return self._texts[is_other]

    @property
    def _shaded(self) -> ShadedText:
        """The text whose tokens are shaded; mostly the same."""
        view = self._view
        is_other = view is not None and view.is_crossed and not view.viewing.looks_back
        return self._texts[is_other]

    @Slot()
    def _share_height(self) -> None:
        """Give the texts the height that they take, and the list what is left over."""
        shown = self._texts if self._view and self._view.is_crossed else self._texts[:1]
        fixed = sum(text.minimumHeight() for text in shown)
        layout = self._card.layout()
        assert layout is not None
        layout.activate()  # else it may remember the texts as high as they were before
        room = self.height() - (self._card.sizeHint().height() - fixed)
        shape = room, self._texts[0].width(), self._view
        if shape == self._shared:
            return
        self._shared = shape
        with_list = room - LEAST_LIST - CARD_GAP
        each = room // len(shown)
        needed = [text.height_in(text.width(), each) for text in shown]
        has_list = sum(needed) <= with_list or with_list >= LIST_FROM * len(shown)
        self._list.setVisible(has_list)
        most = max(LEAST_TEXT, (with_list if has_list else room) // len(shown))
        for text, height in zip(shown, needed, strict=True):
            text.setFixedHeight(max(LEAST_TEXT, min(height, most)))
            text.refresh()

    def mark(self, scene: Scene) -> None:
        """Look from the pinned token, or from the chosen one."""
        view, at = self._view, scene.selection
        assert view is not None
        pinned = view.item_of(scene.viewing.pinned)
        self._is_pinned = pinned is not None
        self._escape.setEnabled(self._is_pinned)
        self._chosen = focus_of(view, scene)
        partner = at.query if scene.viewing.looks_back else at.key
        self._partner = view.shaded_item_of(partner)
        self._look_from_here()

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The shades of the token that is looked from, and those of every token."""
        view = text_view(scene.trace, heads_of(scene), scene.viewing)
        return text_sheets(view, focus_of(view, scene))

    # What the reader does.

    def _look_from_here(self) -> None:
        """Shade for the token under the mouse; a pinned one comes first."""
        view, hover = self._view, self._pointed.hover_index
        if view is None:
            return
        focus = self._chosen
        if hover != NOTHING and not self._is_pinned:
            focus = hover
        if focus is None or focus >= len(view.items):
            self._shade_nothing()
            return
        shades = view.shades(focus)
        scale, role = view.scale(shades), ROLES[view.viewing.looks_back]
        if view.is_crossed:
            self._pointed.show_shade(Shade(focus, None, scale, role))
        in_it = None if view.is_crossed else focus
        self._shaded.show_shade(Shade(in_it, shades, scale, role, view.dimmed))
        self._bar.show_scale(scale, "pattern")
        self._list.show_shades(view, focus, shades, scale)
        self._list.set_selected(self._partner)
        other = self._shaded.hover_index
        if other not in (NOTHING, in_it):
            self._status.say(view.pair(focus, other, float(shades[other])))
        else:
            self._status.say(view.told(focus, np.asarray(shades)))

    def _shade_nothing(self) -> None:
        """No token is looked from."""
        for text in self._texts:
            text.show_shade(None)
        self._list.clear()
        self._bar.show_scale(None, "pattern")
        self._status.say("")

    @Slot(int)
    def _on_text_hovered(self, _: int) -> None:
        self._look_from_here()

    @Slot(int)
    def _on_looking_clicked(self, item: int) -> None:
        self._on_clicked(self._texts[0], item)

    @Slot(int)
    def _on_seen_clicked(self, item: int) -> None:
        self._on_clicked(self._texts[1], item)

    def _on_clicked(self, text: ShadedText, item: int) -> None:
        """Pin a token to look from; of a shaded text, choose it as the partner."""
        view = self._view
        if view is None:
            return
        if text is not self._pointed:
            self._on_list_item_clicked(item)
        elif self._is_pinned and item == self._chosen:
            self.look(pinned=None)
        else:
            token = view.token_of(item)
            self.look(pinned=token)
            self.ask(**{ROLES[view.viewing.looks_back]: token})

    @Slot(int)
    def _on_list_item_clicked(self, item: int) -> None:
        """Go to the number of the pair."""
        if self._view is not None:
            other = ROLES[not self._view.viewing.looks_back]
            self.ask(**{other: self._view.shaded_token_of(item)})

    @Slot(int)
    def _on_ways_chosen(self, place: int) -> None:
        is_crossed = self._view is not None and self._view.is_crossed
        pinned = None if is_crossed else self.viewing.pinned  # it is of the other text
        self.look(looks_back=bool(place), pinned=pinned)

    @Slot(int)
    def _on_joining_chosen(self, place: int) -> None:
        self.look(joining=JOININGS[place])

    @Slot(object)
    def _on_heads_gathered(self, heads: tuple[int, ...]) -> None:
        self.look(gathered=regathered(self.viewing, self._layer, heads))

    @Slot(int)
    def _on_heads_picked(self, head: int) -> None:
        self.ask(head=head)

    @Slot()
    def _on_escape_activated(self) -> None:
        self.look(pinned=None)

    # Qt's calls.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the height anew."""
        super().resizeEvent(event)
        self._share_height()

    def event(self, event: QEvent) -> bool:
        """Share it again once the parts have found their sizes, which comes later."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._settling.start()
        return super().event(event)


def focus_of(view: TextView, scene: Scene) -> int | None:
    """The item that is looked from: the pinned one, or that of the chosen token."""
    at, viewing = scene.selection, scene.viewing
    pinned = view.item_of(viewing.pinned)
    chosen = view.item_of(at.key if viewing.looks_back else at.query)
    return chosen if pinned is None else pinned


def heads_of(scene: Scene) -> tuple[Head, ...]:
    """The heads whose shares are joined."""
    at, n_heads = scene.selection, scene.trace.config.n_heads
    return text_heads(scene.viewing, layer_of(scene), at.head, n_heads)


def token_of(item: TextItem) -> TextToken:
    """An item of the view as the widget takes it."""
    return TextToken(
        item.label, item.is_glued, item.ends_line, item.bracket, item.is_leftward
    )
