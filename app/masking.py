"""Masking a token of the sentence, to see what the model expects in its place.

In: the wish to, of a reader who stands at a token. Out: the same sentence with the
tokenizer's mask there; the model's row for that place then speaks of what is missing.
The wish to undo brings the word back.
"""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

from app.frame.parts import flat_button
from app.frame.token_bar import LONGEST_LABEL, TokenBar
from app.session import Session
from app.widgets.label import as_tip
from core.tokenizers.base import Tokenizer

MASKS = ("[MASK]", "<mask>")
"""What tokenizers call the token that stands for a missing one."""
FILLS_NOTHING = "Masking is for models that fill gaps, such as BERT; this one does not."
HOW = "Replace the chosen token by {mask}: the model says what it expects there ({key})"
HOW_BACK = "Put back what was there before ({key})"


class Masking(QObject):
    """Carries out the wish, and lets it be made only where it can be.

    Its buttons stand behind the tokens while the open model fills gaps.
    """

    def __init__(
        self, session: Session, actions: Mapping[str, QAction], bar: TokenBar
    ) -> None:
        """Off until a model is open that fills gaps."""
        super().__init__(session)
        self._session = session
        self._mask, self._undo = actions["token.mask"], actions["token.undo"]
        self._specials = actions["text.specials"]
        self._mask.triggered.connect(self._on_mask_triggered)
        self.mask_button = flat_button("", "token.mask")
        self.undo_button = flat_button("Undo", "token.undo")
        for button, action in (
            (self.undo_button, self._undo),
            (self.mask_button, self._mask),
        ):
            button.clicked.connect(action.trigger)
            bar.put_first(button)
        for changed in (
            session.trace_changed,
            session.selection_changed,
            session.encoding_changed,
        ):
            changed.connect(self._on_session_changed)
        self._on_session_changed()

    @Slot()
    def _on_mask_triggered(self) -> None:
        """Put the mask there; its text is then read as the special token it is."""
        scene, session = self._session.scene, self._session
        mask = None if scene is None else mask_of(scene.tokenizer)
        if scene is None or mask is None or not session.is_current:
            return
        session.mask_token(scene.selection.query, mask)
        self._specials.setChecked(session.reads_specials)

    @Slot()
    def _on_session_changed(self) -> None:
        session, key = self._session, self._mask.shortcut().toString()
        scene = session.scene
        fills = scene is not None and scene.trace.config.output_head == "masked"
        mask = mask_of(scene.tokenizer) if scene is not None and fills else None
        place = session.selection.query
        pieces = session.encoding.pieces if mask is not None else ()
        label = pieces[place].label if place < len(pieces) else ""
        can_mask = session.is_current and not session.is_recorded and label != mask
        self._mask.setEnabled(mask is not None and can_mask)
        tip = FILLS_NOTHING if mask is None else HOW.format(mask=mask, key=key)
        self._mask.setToolTip(as_tip(tip))
        is_long = len(label) > LONGEST_LABEL
        shown = f"{label[: LONGEST_LABEL - 1]}…" if is_long else label
        about = "" if label == mask else shown.replace("&", "&&")
        self.mask_button.setText(f"Mask {about}".rstrip())
        self.mask_button.setToolTip(as_tip(tip))
        self.mask_button.setEnabled(self._mask.isEnabled())
        self.mask_button.setVisible(mask is not None)
        back = HOW_BACK.format(key=self._undo.shortcut().toString())
        self.undo_button.setToolTip(as_tip(back))
        self.undo_button.setVisible(mask is not None and session.can_undo)


def mask_of(tokenizer: Tokenizer) -> str | None:
    """What the tokenizer's mask is called; None where it has none."""
    return next((mask for mask in MASKS if mask in tokenizer.specials), None)
