"""The tokens panel: text into words, words into pieces by merges, pieces into ids.

Steps: tokens.pieces, tokens.merges, tokens.ids, of either side of a model. At the left
always the words, at the right the face of the step.
"""

from dataclasses import replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget

from app.panels.base import Panel
from app.panels.tokens.best_path import BestPathFace
from app.panels.tokens.characters import CharactersFace
from app.panels.tokens.faces import IdsFace, PiecesFace
from app.panels.tokens.merges import MergesFace
from app.panels.tokens.search import SearchFace
from app.panels.tokens.words import WordsCard
from app.scene import Scene
from app.session import Session
from core.trace.step import name_of
from core.trace.views.tokens import first_token_of

CARD_GAP = 12
LEFT_SHARE, RIGHT_SHARE = 3, 7
Face = PiecesFace | MergesFace | SearchFace | BestPathFace | CharactersFace | IdsFace


class TokensPanel(Panel):
    """How the sentence becomes ids."""

    def __init__(self, session: Session) -> None:
        """An empty panel; `display` fills it."""
        super().__init__(session)
        self._scene: Scene | None = None
        self.words = WordsCard(session)
        self.pieces, self.merges, self.ids = PiecesFace(), MergesFace(), IdsFace()
        self.search, self.path = SearchFace(), BestPathFace()
        self.characters = CharactersFace()
        self.by_method: dict[str, Face] = {
            "merges": self.merges,
            "longest match": self.search,
            "best path": self.path,
            "characters": self.characters,
        }
        self.faces = QStackedWidget()
        for face in (self.pieces, *self.by_method.values(), self.ids):
            self.faces.addWidget(face)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self.words, LEFT_SHARE)
        row.addWidget(self.faces, RIGHT_SHARE)
        self.words.word_requested.connect(self._on_word_requested)
        self.pieces.word_requested.connect(self._on_word_requested)
        for walked in (self.merges, self.search, self.path):
            walked.n_merges_requested.connect(self._on_n_merges_requested)
        self.characters.token_requested.connect(self._on_token_requested)
        self.ids.token_requested.connect(self._on_token_requested)

    def display(self, scene: Scene) -> None:
        """Show the words, and the face of the step."""
        self._scene = scene
        faces: dict[str, Face] = {
            "tokens.pieces": self.pieces,
            "tokens.merges": self.by_method[scene.tokenizer.method],
            "tokens.ids": self.ids,
        }
        face = faces[name_of(scene.selection.step)]
        self.words.display(scene)
        face.display(scene)
        self.faces.setCurrentWidget(face)

    @Slot(int)
    def _on_word_requested(self, word: int) -> None:
        if self._scene is not None:
            self._choose(first_token_of(self._scene.tokens.encoding, word))

    @Slot(int)
    def _on_token_requested(self, token: int) -> None:
        self._choose(token)

    @Slot(int)
    def _on_n_merges_requested(self, n_merges: int) -> None:
        if self._scene is not None:
            selection = self._scene.selection
            self.session.request_selection(replace(selection, n_merges=n_merges))

    def _choose(self, token: int) -> None:
        if self._scene is not None:
            selection = replace(self._scene.selection, query=token, n_merges=0)
            self.session.request_selection(selection)
