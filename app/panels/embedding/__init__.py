"""The embedding panel: each id takes its row of the table, and rows have neighbours.

Steps: embed.token, embed.scaled.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.base import Panel
from app.panels.embedding.neighbours import MapCard, NeighboursCard
from app.panels.embedding.table import TableCard
from app.scene import Scene
from app.session import Session
from app.widgets.tall import Tall
from core.trace.matrix import Cell

CARD_GAP = 12
LEAST_HEIGHT = 480
LEFT_SHARE, RIGHT_SHARE = 7, 4


class EmbeddingPanel(Panel):
    """The table and the rows in use at the left, the row's neighbours at the right."""

    def __init__(self, session: Session) -> None:
        """Empty cards; `display` fills them."""
        super().__init__(session)
        self._scene: Scene | None = None
        self.table = TableCard()
        self.neighbours, self.map = NeighboursCard(), MapCard()
        right = QVBoxLayout()
        right.setSpacing(CARD_GAP)
        right.addWidget(self.neighbours)
        right.addWidget(self.map, 1)
        row = QHBoxLayout()
        row.setSpacing(CARD_GAP)
        row.addWidget(self.table, LEFT_SHARE)
        row.addLayout(right, RIGHT_SHARE)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(Tall(row, LEAST_HEIGHT))
        for card in (self.table, self.neighbours, self.map):
            card.cell_requested.connect(self._on_cell_requested)

    def display(self, scene: Scene) -> None:
        """Show the sentence's rows and what lies near the query's."""
        self._scene = scene
        self.table.display(scene)
        self.neighbours.display(scene)
        self.map.display(scene)

    @Slot(object)
    def _on_cell_requested(self, cell: Cell) -> None:
        if self._scene is not None:
            self.point_at(self._scene, cell)
