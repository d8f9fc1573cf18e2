"""What every panel is: a picture of the session's scene, and a way to ask for another.

A panel holds no state. The host calls `display` with the scene whenever it changed and
the panel is visible; a click becomes a request to the session, which answers everyone.
"""

from PySide6.QtWidgets import QWidget

from app.scene import Scene
from app.session import Session
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.selection import pointed_at
from core.trace.sheet import Sheet
from core.trace.views.sheets import step_sheet


class Panel(QWidget):
    """One station of the pipeline."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The parts of the trace it is about to ask for.

        Large ones are derived by the tracing worker before `display` is called.
        """
        return ()

    def parts_beside(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The same of the sentence beside, where the scene has one."""
        return ()

    def display(self, scene: Scene) -> None:
        """Draw the scene. On the GUI thread, within 16 ms."""
        raise NotImplementedError

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """What it shows, as arrays to take along; the first is the main one.

        The present step of the chosen head, unless a panel knows better.
        """
        return (step_sheet(scene.trace, scene.selection, scene.tokenizer.label),)

    @property
    def is_busy(self) -> bool:
        """Whether something that it shows is still being worked out."""
        return False

    def point_at(self, scene: Scene, cell: Cell) -> None:
        """Ask the session to select a number."""
        moved = pointed_at(scene.selection, scene.trace, cell)
        self.session.request_selection(moved)
