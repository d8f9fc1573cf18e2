"""The stream before and after the norm, side by side. Step: ffn.norm.

Few tokens make wide maps, so then the two stand one above the other.
"""

from PySide6.QtWidgets import QBoxLayout

from app.panels.feed_forward.map_card import MapCard
from app.panels.feed_forward.page import CARD_GAP, Page
from core.trace.needs import Index
from core.trace.selection import Selection, feature_of
from core.trace.trace import Trace
from core.trace.views.feed_forward import norm_view

FEW_TOKENS = 10
DOWN, ACROSS = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight


class NormPage(Page):
    """Two maps [n, d_model]."""

    def __init__(self) -> None:
        """Empty maps."""
        super().__init__()
        self._before, self._after = (
            MapCard("Before"),
            MapCard("Normed"),
        )
        self._cards = QBoxLayout(ACROSS, self)
        self._cards.setContentsMargins(0, 0, 0, 0)
        self._cards.setSpacing(CARD_GAP)
        for card in (self._before, self._after):
            card.cell_clicked.connect(self.cell_clicked)
            self._cards.addWidget(card, 1)

    def parts(
        self, trace: Trace, selection: Selection
    ) -> tuple[tuple[str, Index], ...]:
        """The norm and what it reads, of all tokens."""
        step = trace.step(selection.step)
        return (step.inputs[0], ()), (step.key, ())

    def display(self, trace: Trace, selection: Selection) -> None:
        """Draw both maps with the chosen cell outlined in each."""
        is_wide = trace.rows_of(selection.step).n <= FEW_TOKENS
        self._cards.setDirection(DOWN if is_wide else ACROSS)
        view = norm_view(trace, selection.step, selection.query)
        feature = feature_of(selection, trace, "d_model")
        self._before.show_matrix(view.before)
        self._before.set_note(view.note_before)
        self._after.show_matrix(view.after)
        self._after.set_note(view.note_after)
        for card in (self._before, self._after):
            card.map.set_band(selection.query, None)
            card.map.set_selected(selection.query, feature)
