"""What the pages of the output panel share: the session, the scene, a way to ask."""

from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.scene import Scene
from app.session import Session
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.selection import pointed_at
from core.trace.views.hover import hover_text

CARD_GAP = 12
HEAD_HEIGHT = 30
"""Heads of cards side by side are equally high, so that their titles align."""
NOT_NUMBERS = "Nothing to rank: these logits are not numbers."
NOT_SINCE = "Nothing to rank: not a number since {}. Go there to see the first."


class Page(QWidget):
    """One step's composition."""

    def __init__(self, session: Session) -> None:
        """Empty until the first scene."""
        super().__init__()
        self.session = session

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The parts of the trace that `display` asks for."""
        raise NotImplementedError

    def display(self, scene: Scene) -> None:
        """Draw the scene."""
        raise NotImplementedError

    def choose(self, token_id: int) -> None:
        """Make a token of the vocabulary the selected one."""
        chosen = replace(self.session.selection, token=token_id, focus=None)
        self.session.request_selection(chosen)

    @Slot(object)
    def inspect(self, cell: Cell) -> None:
        """Have a number outside the step explained."""
        self.session.request_selection(replace(self.session.selection, focus=cell))

    def point_at(self, cell: Cell) -> None:
        """Make a number of what is drawn the selected one."""
        scene = self.session.scene
        if scene is not None:
            moved = pointed_at(scene.selection, scene.trace, cell)
            self.session.request_selection(moved)

    def told_of(self, cell: Cell) -> str:
        """What hovering over a number says."""
        scene = self.session.scene
        if scene is None:
            return ""
        return hover_text(scene.trace, cell, scene.tokenizer.label)

    @property
    def trouble(self) -> str:
        """Why there is nothing to rank, where there is a reason."""
        broken_from = self.session.broken_from
        return NOT_SINCE.format(broken_from) if broken_from else NOT_NUMBERS


def side_column(width: int, *cards: QWidget) -> QScrollArea:
    """Cards below each other at the right; they scroll where the window is low."""
    area = scrolled(stacked(*cards))
    area.setFixedWidth(width)
    return area


def stacked(*cards: QWidget) -> QWidget:
    """Cards below each other, none higher than it needs."""
    column = QWidget()
    layout = QVBoxLayout(column)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(CARD_GAP)
    for card in cards:
        layout.addWidget(card)
    layout.addStretch(1)
    return column


def scrolled(content: QWidget) -> QScrollArea:
    """Content as wide as there is room; it scrolls up and down where that is low."""
    area = QScrollArea()
    area.setWidget(content)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area
