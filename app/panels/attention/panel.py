"""The panel itself: it chooses the page for a step and hands wishes to the session."""

from PySide6.QtWidgets import QStackedLayout

from app.panels.attention.joined import ConcatPage, OutputProjectionPage
from app.panels.attention.mix import MixPage
from app.panels.attention.norm import NormPage
from app.panels.attention.page import Page, Part
from app.panels.attention.projections import ProjectionsPage
from app.panels.attention.rotation import RotationPage
from app.panels.attention.squares import SquaresPage
from app.panels.base import Panel
from app.scene import Scene
from app.session import Session

PAGES: dict[str, type[Page]] = {
    "norm": NormPage,
    "q": ProjectionsPage,
    "k": ProjectionsPage,
    "v": ProjectionsPage,
    "q_rotated": RotationPage,
    "k_rotated": RotationPage,
    "scores": SquaresPage,
    "scaled": SquaresPage,
    "masked": SquaresPage,
    "pattern": SquaresPage,
    "heads": MixPage,
    "concat": ConcatPage,
    "out": OutputProjectionPage,
}
"""The last word of a step's key -> the page that shows it."""


class AttentionPanel(Panel):
    """Every step of a layer's attention, each with its own picture."""

    def __init__(self, session: Session) -> None:
        """No page is made before its first step is shown."""
        super().__init__(session)
        self._pages: dict[type[Page], Page] = {}
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)

    def page(self, step_key: str) -> Page:
        """The page for a step."""
        kind = PAGES[step_key.rpartition(".")[2]]
        if kind not in self._pages:
            page = self._pages[kind] = kind()
            page.selection_requested.connect(self.session.request_selection)
            self._stack.addWidget(page)
        return self._pages[kind]

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """What the page of the present step is about to ask for."""
        return self.page(scene.selection.step).parts(scene)

    def display(self, scene: Scene) -> None:
        """Show the present step on its page."""
        page = self.page(scene.selection.step)
        page.display(scene)
        self._stack.setCurrentWidget(page)
