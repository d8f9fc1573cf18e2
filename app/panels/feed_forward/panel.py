"""The panel itself: it chooses the page for a step and hands wishes to the session."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedLayout

from app.panels.base import Panel
from app.panels.feed_forward.experts_page import ExpertsPage
from app.panels.feed_forward.hidden_page import HiddenPage
from app.panels.feed_forward.norm_page import NormPage
from app.panels.feed_forward.out_page import OutPage
from app.panels.feed_forward.page import Page
from app.scene import Scene
from app.session import Session
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.views.experts import EXPERT_STEPS

PAGES: dict[str, type[Page]] = {
    "norm": NormPage,
    "gate": HiddenPage,
    "hidden": HiddenPage,
    "active": HiddenPage,
    "out": OutPage,
}
"""The last word of a step's key -> the page that shows it."""
WITH_EXPERTS: dict[str, type[Page]] = {
    "norm": NormPage,
    **dict.fromkeys(EXPERT_STEPS, ExpertsPage),
}
"""The same in a model whose layers have many networks."""


class FeedForwardPanel(Panel):
    """Every step of a layer's feed-forward network."""

    def __init__(self, session: Session) -> None:
        """No page is made before its first step is shown."""
        super().__init__(session)
        self._scene: Scene | None = None
        self._pages: dict[type[Page], Page] = {}
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)

    def page(self, step_key: str, *, has_experts: bool = False) -> Page:
        """The page for a step."""
        kind = (WITH_EXPERTS if has_experts else PAGES)[step_key.rpartition(".")[2]]
        if kind not in self._pages:
            page = self._pages[kind] = kind()
            page.cell_clicked.connect(self._on_page_cell_clicked)
            self._stack.addWidget(page)
        return self._pages[kind]

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """What the step's page shows."""
        page = self._page_of(scene)
        return page.parts(scene.trace, scene.selection)

    def display(self, scene: Scene) -> None:
        """Let the step's page draw."""
        self._scene = scene
        page = self._page_of(scene)
        self._stack.setCurrentWidget(page)
        page.display(scene.trace, scene.selection)

    def _page_of(self, scene: Scene) -> Page:
        has_experts = scene.trace.config.n_experts > 0
        return self.page(scene.selection.step, has_experts=has_experts)

    @Slot(object)
    def _on_page_cell_clicked(self, cell: Cell) -> None:
        if self._scene is not None:
            self.point_at(self._scene, cell)
