"""One token is picked: what is cut, where the draw falls, what Append puts.

Step: output.pick. It is always about the last token of the sentence; a reader at
another token is told what the model thought of the one that follows there.
"""

from dataclasses import replace

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.panels.output.controls import ControlsCard
from app.panels.output.draw_card import DrawCard
from app.panels.output.page import CARD_GAP, Page, scrolled
from app.panels.output.words import share_text
from app.panels.output.writing import WritingCard
from app.scene import Scene
from app.session import Session
from app.widgets.card import give_the_rest
from app.widgets.qt_calls import tells_faults
from core.errors import TraceError
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.token_side import TEXTS
from core.trace.views.output import (
    LOGITS,
    PROBS,
    PickView,
    follower,
    pick_view,
    ranking,
    row_parts,
)
from core.trace.views.places import token_label

SIDE_WIDTH = 284
ROOMY = SIDE_WIDTH + 400
"""Below this width the numbers of the bars would be cut."""
PICK_HEAD_HEIGHT = 34
"""Room for the picked token beside the title."""
KNOBS = 1000
"""The controls' part of the room that is left over, up to their height."""
Direction = QBoxLayout.Direction


@tells_faults
class PickPage(Page):
    """The draw at the left, its controls and what to do with it at the right.

    Where that is too low the controls scroll, and what writes stays in sight. Where it
    is too narrow all stand below each other, and the page scrolls.
    """

    def __init__(self, session: Session) -> None:
        """Empty."""
        super().__init__(session)
        self._last = 0
        self.drawn, self.controls = DrawCard(), ControlsCard()
        self.writing = WritingCard(session)
        for card in (self.drawn, self.controls):
            card.head.addStrut(PICK_HEAD_HEIGHT)
        self.drawn.token_chosen.connect(self._on_drawn_token_chosen)
        self.controls.sampling_requested.connect(session.request_sampling)
        self._knobs = scrolled(self.controls)
        give_the_rest(self._knobs, 0)
        self._below = QVBoxLayout()
        self._below.addWidget(self.writing)
        self._side = QWidget()
        self._side.setMinimumWidth(SIDE_WIDTH)
        column = QVBoxLayout(self._side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        column.addWidget(self._knobs, KNOBS)
        column.addLayout(self._below)
        column.addStretch(1)
        bar = self._knobs.verticalScrollBar()
        bar.rangeChanged.connect(self._on_bar_range_changed)
        both = QWidget()
        self._cards = QBoxLayout(Direction.LeftToRight, both)
        self._cards.setContentsMargins(0, 0, 0, 0)
        self._cards.setSpacing(CARD_GAP)
        self._cards.addWidget(self.drawn, 1)
        self._cards.addWidget(self._side)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scrolled(both))

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The last logits, and the row of the chosen token where it is another."""
        last, query = scene.trace.n - 1, scene.selection.query
        here = () if query == last else row_parts(query)
        return ((LOGITS, (last, None)), *here)

    def display(self, scene: Scene) -> None:
        """Draw the pick; say what follows the chosen token in the sentence."""
        self._last = scene.trace.n - 1
        view = self._show_pick(scene)
        self.drawn.set_selected(scene.selection.token)
        self.drawn.set_note(elsewhere(scene))
        self.controls.show_sampling(scene.sampling, view)
        label = "" if view is None else scene.tokenizer.label(view.draw.token_id)
        self.writing.show_pick(label)
        self._arrange()

    @Slot(int)
    def _on_drawn_token_chosen(self, token_id: int) -> None:
        """Have the softmax of a clicked token explained; the cuts come after it."""
        asked = Cell(PROBS, (self._last, token_id))
        chosen = replace(self.session.selection, token=token_id, focus=asked)
        self.session.request_selection(chosen)

    def _show_pick(self, scene: Scene) -> PickView | None:
        """Show the draw, or why there is none."""
        try:
            view = pick_view(scene.trace, scene.sampling)
        except TraceError as error:
            is_known = bool(self.session.broken_from)
            self.drawn.show_trouble(self.trouble if is_known else str(error))
            return None
        self.drawn.show_pick(view, scene.tokenizer)
        return view

    def _arrange(self) -> None:
        """Stand the cards where they fit; below the draw the column has its height."""
        is_narrow = self.width() < ROOMY
        self._cards.setDirection(
            Direction.TopToBottom if is_narrow else Direction.LeftToRight
        )
        height = self.controls.sizeHint().height()
        self._knobs.setMinimumHeight(height if is_narrow else 0)
        self._knobs.setMaximumHeight(height)
        self._side.setMaximumWidth(self.width() if is_narrow else SIDE_WIDTH)

    @Slot(int, int)
    def _on_bar_range_changed(self, low: int, high: int) -> None:
        """Keep both cards equally wide beside the controls' scroll bar."""
        bar = self._knobs.verticalScrollBar()
        room = bar.sizeHint().width() if high > low else 0
        self._below.setContentsMargins(0, 0, room, 0)

    # Qt's own.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the cards anew."""
        super().resizeEvent(event)
        self._arrange()


def elsewhere(scene: Scene) -> str:
    """What the model thought at the chosen token, where that is not the last."""
    trace, query = scene.trace, scene.selection.query
    true = follower(trace, query)
    last, here = token_label(trace, trace.n - 1), token_label(trace, query)
    if true is None:
        return ""
    row = ranking(trace, query)
    text = TEXTS[trace.tokens().name]
    about = f"This is about what follows {last} at the end."
    if not row.is_finite:
        return about
    return (
        f"{about} After {here}, where you are, the {text} goes on with "
        f"{scene.tokenizer.label(true)}: {share_text(float(row.probs[true]))} "
        f"(rank {row.rank(true) + 1:,}, a surprise of {row.surprisal(true):.1f} bits)."
    )
