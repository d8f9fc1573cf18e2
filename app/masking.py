"""Masking a token of the sentence, to see what the model expects in its place.

In: the wish to, of a reader who stands at a token. Out: the same sentence with the
tokenizer's mask there; the model's row for that place then speaks of what is missing.
"""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

from app.session import Session
from app.widgets.label import as_tip
from core.tokenizers.base import Tokenizer

MASKS = ("[MASK]", "<mask>")
"""What tokenizers call the token that stands for a missing one."""
FILLS_NOTHING = "Masking is for models that fill gaps, such as BERT; this one does not."
HOW = "Replace the chosen token by {mask}: the model says what it expects there ({key})"


class Masking(QObject):
    """Carries out the wish, and lets the action be chosen only where it can be."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        """Off until a model is open that fills gaps."""
        super().__init__(session)
        self._session = session
        self._mask, self._specials = actions["token.mask"], actions["text.specials"]
        self._mask.triggered.connect(self._on_mask_triggered)
        for changed in (session.trace_changed, session.selection_changed):
            changed.connect(self._on_session_changed)
        self._on_session_changed()

    @Slot()
    def _on_mask_triggered(self) -> None:
        """Put the mask there; its text is then read as the special token it is."""
        scene, session = self._session.scene, self._session
        mask = None if scene is None else mask_of(scene.tokenizer)
        if scene is None or mask is None:
            return
        place, ids = scene.selection.query, list(scene.trace.ids)
        ids[place] = scene.tokenizer.specials[mask]
        self._specials.setChecked(True)
        session.request_ids(ids)

    @Slot()
    def _on_session_changed(self) -> None:
        scene, key = self._session.scene, self._mask.shortcut().toString()
        fills = scene is not None and scene.trace.config.output_head == "masked"
        mask = mask_of(scene.tokenizer) if scene is not None and fills else None
        is_own = mask is not None and self._session.is_current
        self._mask.setEnabled(is_own and not self._session.is_recorded)
        tip = FILLS_NOTHING if mask is None else HOW.format(mask=mask, key=key)
        self._mask.setToolTip(as_tip(tip))


def mask_of(tokenizer: Tokenizer) -> str | None:
    """What the tokenizer's mask is called; None where it has none."""
    return next((mask for mask in MASKS if mask in tokenizer.specials), None)
