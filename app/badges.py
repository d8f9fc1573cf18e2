"""How models were held to another program: remembered by place and state of the files.

In: a badge that the session tells of. Out: the same badge when that model is opened
again, in this start of the program or a later one, unless its files have changed.
"""

from PySide6.QtCore import QObject, Qt, Slot

from app.model_card import ModelCard
from app.session import Session
from app.settings import BADGES, Settings

MOST = 100
"""Models whose badges are kept."""


class Badges(QObject):
    """Owns what is remembered; rows of (place, state of the files, badge)."""

    def __init__(self, session: Session, settings: Settings, parent: QObject) -> None:
        """Nothing is open."""
        super().__init__(parent)
        self._session, self._settings = session, settings
        queued = (
            Qt.ConnectionType.QueuedConnection
        )  # everybody first hears of the model
        session.model_changed.connect(self._on_session_model_changed, queued)
        session.badge_changed.connect(self._on_session_badge_changed)

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        if card is self._session.model and not card.badge:
            for place, stamp, badge in self._settings.read(BADGES):
                if [place, stamp] == address_of(card):
                    self._session.recall_badge(card, badge)
                    return

    @Slot(object)
    def _on_session_badge_changed(self, card: ModelCard) -> None:
        if card.folder is None or not card.stamp:
            return
        place, _ = address_of(card)
        others = [row for row in self._settings.read(BADGES) if row[0] != place]
        rows = [[*address_of(card), card.badge], *others]
        self._settings.write(BADGES, rows[:MOST])


def address_of(card: ModelCard) -> list[str]:
    """Where a model lies, and the state of its files when it was opened."""
    return [str(card.folder), card.stamp]
