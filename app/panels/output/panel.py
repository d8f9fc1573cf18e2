"""The output panel: a page for each of its steps, the one of the present step shown."""

from PySide6.QtWidgets import QStackedLayout

from app.panels.base import Panel
from app.panels.output.dense_page import DensePage
from app.panels.output.logits_page import LogitsPage
from app.panels.output.norm_page import NormPage
from app.panels.output.page import Page
from app.panels.output.pick_page import PickPage
from app.panels.output.probs_page import ProbsPage
from app.panels.output.sides_page import SidesPage
from app.scene import Scene
from app.session import Session
from core.trace.needs import Index
from core.trace.step import name_of
from core.trace.views.output import LOGITS, NORM, PICK, PROBS

PAGES: tuple[tuple[str, type[Page]], ...] = (
    ("output.first", SidesPage),
    ("output.dense", DensePage),
    ("output.active", SidesPage),
    ("output.scaled", SidesPage),
    ("output.pooled", SidesPage),
    (NORM, NormPage),
    (LOGITS, LogitsPage),
    (PROBS, ProbsPage),
    (PICK, PickPage),
)
"""The name of each step and its page, made when it is first shown."""


class OutputPanel(Panel):
    """From the last rows of the stream to a token, or to one row for the text."""

    def __init__(self, session: Session) -> None:
        """No page yet."""
        super().__init__(session)
        self._stack = QStackedLayout(self)
        self._pages: dict[str, Page] = {}

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """What the present step's page asks for."""
        return self._page(scene).parts(scene)

    def display(self, scene: Scene) -> None:
        """Show the present step's page."""
        page = self._page(scene)
        page.display(scene)
        self._stack.setCurrentWidget(page)

    def _page(self, scene: Scene) -> Page:
        """The present step's; a model that does not write has nothing to draw."""
        step = name_of(scene.selection.step)
        is_pick = step == PICK and not scene.trace.config.writes
        key = PROBS if is_pick else step
        if key not in self._pages:
            page = self._pages[key] = dict(PAGES)[key](self.session)
            self._stack.addWidget(page)
        return self._pages[key]
