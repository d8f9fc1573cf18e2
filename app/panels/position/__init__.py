"""The position panel: what tells one place of the sentence from another.

Steps: embed.position, embed.segment, embed.sum, embed.norm, in models that add
positions to the embeddings.
"""

from dataclasses import replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.base import Panel
from app.panels.position.norm import NormCard
from app.panels.position.sums import SumCard
from app.panels.position.waves import SimilarityCard, WavesCard
from app.scene import Scene
from app.session import Session
from app.widgets.tall import Tall
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.step import name_of
from core.trace.views.position import chosen_feature, similarity_cell, token_at

CARD_GAP = 12
LEAST_HEIGHT = 470
NORM = "embed.norm"
SUM_SHARE, FOOT_SHARE = 1, 1
WAVES_SHARE, SIMILARITY_SHARE = 8, 5


class PositionPanel(Panel):
    """Token + position = sum above; waves and similar positions below.

    At the norm that some models put behind the sum, its rows stand below instead.
    """

    def __init__(self, session: Session) -> None:
        """Empty cards; `display` fills them."""
        super().__init__(session)
        self._scene: Scene | None = None
        self.sum, self.waves, self.similarity = SumCard(), WavesCard(), SimilarityCard()
        self.norm = NormCard()
        foot = QHBoxLayout()
        foot.setSpacing(CARD_GAP)
        foot.addWidget(self.norm, WAVES_SHARE + SIMILARITY_SHARE)
        foot.addWidget(self.waves, WAVES_SHARE)
        foot.addWidget(self.similarity, SIMILARITY_SHARE)
        column = QVBoxLayout()
        column.setSpacing(CARD_GAP)
        column.addWidget(self.sum, SUM_SHARE)
        column.addLayout(foot, FOOT_SHARE)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(Tall(column, LEAST_HEIGHT))
        self.norm.cell_requested.connect(self._on_cell_requested)
        self.sum.cell_requested.connect(self._on_cell_requested)
        self.waves.position_requested.connect(self._on_position_requested)
        self.similarity.pair_requested.connect(self._on_pair_requested)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The rows after the norm; what is added is there already."""
        step = scene.selection.step
        return ((step, ()),) if name_of(step) == NORM else ()

    def display(self, scene: Scene) -> None:
        """Show the addition, and the waves and similarities or the norm."""
        self._scene = scene
        is_norm = name_of(scene.selection.step) == NORM
        self.norm.setVisible(is_norm)
        for card in (self.waves, self.similarity):
            card.setVisible(not is_norm)
        self.sum.display(scene)
        if is_norm:
            self.norm.display(scene)
            return
        self.waves.display(scene)
        self.similarity.display(scene)

    @Slot(object)
    def _on_cell_requested(self, cell: Cell) -> None:
        if self._scene is not None:
            self.point_at(self._scene, cell)

    @Slot(int)
    def _on_position_requested(self, position: int) -> None:
        if self._scene is not None:
            trace, selection = self._scene.trace, self._scene.selection
            feature = chosen_feature(trace.config, selection)
            place = (token_at(trace, selection, position), feature)
            self.point_at(self._scene, Cell(selection.step, place))

    @Slot(int, int)
    def _on_pair_requested(self, row: int, column: int) -> None:
        if self._scene is not None:
            asked = similarity_cell(row, column, self._scene.tokens.name)
            moved = replace(self._scene.selection, query=row, key=column, focus=asked)
            self.session.request_selection(moved)
