"""What the pages of the output panel share: the session, the scene, a way to ask."""

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from app.scene import Scene
from app.session import Session
from core.trace.needs import Index

CARD_GAP = 12
NOT_NUMBERS = "The logits are not numbers; look for the first step that is not."


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

    @property
    def trouble(self) -> str:
        """Why there is nothing to rank, where there is a reason."""
        broken_from = self.session.broken_from
        return f"Not a number since {broken_from}." if broken_from else NOT_NUMBERS
