"""The panel itself: it chooses the page for a step and hands wishes to the session.

The steps from scores to pattern have several pictures; which of them is seen, the
viewing decides. A page in less room than it needs is scrolled.
"""

from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout

from app.panels.attention.joined import ConcatPage, OutputProjectionPage
from app.panels.attention.mix import MixPage
from app.panels.attention.norm import NormPage
from app.panels.attention.page import Page, Part, kind_of_scene, stage_of
from app.panels.attention.picture_bar import PictureBar
from app.panels.attention.pictures import Picture, picture_of
from app.panels.attention.projections import ProjectionsPage
from app.panels.attention.rotation import RotationPage
from app.panels.base import Panel
from app.scene import Scene
from app.session import Session
from app.widgets.room import Room, scrolled
from core.trace.sheet import Sheet
from core.trace.viewing import PLAIN, viewing_of
from core.trace.views.attention_map import STAGES

BAR_GAP = 8

PAGES: dict[str, type[Page]] = {
    "norm": NormPage,
    "q": ProjectionsPage,
    "k": ProjectionsPage,
    "v": ProjectionsPage,
    "q_normed": NormPage,
    "k_normed": NormPage,
    "q_rotated": RotationPage,
    "k_rotated": RotationPage,
    "heads": MixPage,
    "concat": ConcatPage,
    "out": OutputProjectionPage,
}
"""The last word of a step's key -> its page; the steps of a score have pictures."""


class AttentionPanel(Panel):
    """Every step of a layer's attention, each with its own picture."""

    def __init__(self, session: Session) -> None:
        """No page is made before it is first shown."""
        super().__init__(session)
        self._pages: dict[type[Page] | Picture, Page] = {}
        for changed in (
            session.studies.scores_changed,
            session.studies.maps_changed,
            session.studies.rollout_changed,
            session.studies.failed,
        ):
            changed.connect(self._on_studies_changed)
        self._viewing = PLAIN
        self._bar = PictureBar()
        self._bar.viewing_requested.connect(session.request_viewing)
        self._stack = QStackedWidget()
        self._room = Room(self._stack)
        area = scrolled(self._room)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(BAR_GAP)
        column.addWidget(self._bar)
        column.addWidget(area, 1)

    def page(self, scene: Scene) -> Page:
        """The page for the step and the picture of a scene."""
        name = stage_of(scene)
        kind = picture_of(scene.viewing.picture) if name in STAGES else page_of(scene)
        if kind not in self._pages:
            page = kind.create() if isinstance(kind, Picture) else kind()
            page.selection_requested.connect(self.session.request_selection)
            page.studies = self.session.studies
            page.viewing_requested.connect(self.session.request_viewing)
            page.beside_requested.connect(self.session.request_beside)
            page.pointed.connect(self.session.point_at)
            self._pages[kind] = page
            self._stack.addWidget(page)
        return self._pages[kind]

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """What the page of the present step is about to ask for."""
        return self.page(scene).parts(of_one_kind(scene))

    def parts_beside(self, scene: Scene) -> tuple[Part, ...]:
        """What it is about to ask for of the sentence beside."""
        return self.page(scene).parts_beside(of_one_kind(scene))

    def display(self, scene: Scene) -> None:
        """Show the present step on its page."""
        page, scene = self.page(scene), of_one_kind(scene)
        self._viewing = scene.viewing
        self._bar.setVisible(stage_of(scene) in STAGES)
        self._bar.show_viewing(scene.viewing)
        page.display(scene)
        self._stack.setCurrentWidget(page)
        self._room.set_least(page.least)

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The numbers of the page that is seen."""
        return self.page(scene).numbers(of_one_kind(scene))

    @property
    def is_busy(self) -> bool:
        """Whether a score, a rollout or a small map is on its way."""
        return self.session.studies.is_busy

    @Slot()
    def _on_studies_changed(self) -> None:
        """Show the answer, if anybody looks."""
        scene = self.session.scene
        if scene is not None and self.isVisible():
            seen = of_one_kind(replace(scene, viewing=self._viewing))
            self.page(seen).display(seen)


def page_of(scene: Scene) -> type[Page]:
    """The page of a step that belongs to no score."""
    step = scene.trace.step(scene.selection.step)
    is_unmixed = step.name == "attn.out" and len(step.inputs) == 1
    return ConcatPage if is_unmixed else PAGES[stage_of(scene)]


def of_one_kind(scene: Scene) -> Scene:
    """The scene with no heads chosen but those of the attention that is looked at."""
    viewing = viewing_of(scene.viewing, kind_of_scene(scene))
    return scene if viewing is scene.viewing else replace(scene, viewing=viewing)
