"""The reader's way through the numbers: its one owner.

In: links that are followed, and wishes to go back, forward or to a crumb. Out: ordinary
wishes to the session, and the crumbs that the inspector shows.
"""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from app.session import Session
from core.trace.matrix import Cell
from core.trace.selection import Selection, pointed_at
from core.trace.trail import Trail, can_go, followed, moved, stretch


class TrailKeeper(QObject):
    """Owns the trail and walks it."""

    trail_changed = Signal()
    """The reader or the trail is elsewhere: crumbs and both directions may differ."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        """Nobody has gone anywhere yet."""
        super().__init__(parent)
        self._session = session
        self._trail = Trail()
        self._actions: dict[int, QAction] = {}
        session.scene_changed.connect(self._on_session_scene_changed)

    def use_actions(self, actions: Mapping[str, QAction]) -> None:
        """Let menu and keys go back and forward, where there is somewhere to go."""
        self._actions = {-1: actions["trail.back"], 1: actions["trail.forward"]}
        self._actions[-1].triggered.connect(self.back)
        self._actions[1].triggered.connect(self.forward)
        self.trail_changed.connect(self._on_trail_changed)
        self._on_trail_changed()

    @property
    def crumbs(self) -> tuple[tuple[int, Selection], ...]:
        """The stops that led here, each with its place on the trail; or none."""
        places = stretch(self._trail, self._session.selection)
        return tuple((place, self._trail.stops[place].selection) for place in places)

    def can_go(self, by: int) -> bool:
        """Whether `back` (-1) or `forward` (1) would do something."""
        has_scene = self._session.scene is not None
        return has_scene and can_go(self._trail, self._session.selection, by)

    def follow(self, cell: Cell) -> None:
        """Go where a number comes from."""
        scene = self._session.scene
        if scene is not None:
            there = pointed_at(scene.selection, scene.trace, cell)
            self._take(followed(self._trail, scene.selection, there))

    @Slot()
    def back(self) -> None:
        """Return to the number before."""
        self._go(-1)

    @Slot()
    def forward(self) -> None:
        """Go again where `back` came from."""
        self._go(1)

    @Slot(int)
    def jump(self, place: int) -> None:
        """Return to a crumb."""
        if 0 <= place < len(self._trail.stops):
            self._take(Trail(self._trail.stops, place))

    def _go(self, by: int) -> None:
        trail = moved(self._trail, self._session.selection, by)
        if trail is not None and self._session.scene is not None:
            self._take(trail)

    def _take(self, trail: Trail) -> None:
        before, self._trail = self._session.selection, trail
        self._session.request_selection(trail.present)
        if self._session.selection == before:  # else the scene has told it
            self.trail_changed.emit()

    @Slot(object)
    def _on_session_scene_changed(self, _: object) -> None:
        self.trail_changed.emit()

    @Slot()
    def _on_trail_changed(self) -> None:
        for by, action in self._actions.items():
            action.setEnabled(self.can_go(by))
