"""A small "?" that answers what readers wonder about in a picture."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QToolButton, QToolTip, QWidget

from app.widgets.label import as_tip
from core.trace.trace import Trace
from core.trace.views.masking import is_causal

FIRST_COLUMN = (
    "Why is the first column so strong?\n"
    "A row has to spend all of its attention. A head that finds nothing to\n"
    "take from the other tokens leaves what is spare on the first one."
)
FIRST_ROW = (
    "Why does row 1 always say 1.0?\n"
    "The first token can look at nothing but itself, so it gives itself all."
)
EVERY_COLUMN = (
    "Why is no cell empty?\n"
    "The whole source is there before the first word of the target is\n"
    "written, so every target token may look at every source token."
)


def help_for_shares(trace: Trace, attn: str) -> str:
    """What readers wonder about in the shares of an attention."""
    told = [FIRST_COLUMN]
    if is_causal(trace, attn):
        told.append(FIRST_ROW)
    elif trace.step(f"{attn}.pattern").is_cross:
        told.append(EVERY_COLUMN)
    return "\n\n".join(told)


class HelpNote(QToolButton):
    """The note shows under the mouse, and on a click or a key."""

    def __init__(self, note: str, parent: QWidget | None = None) -> None:
        """`note` is plain text with its line breaks."""
        super().__init__(parent)
        self.setText("?")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty("kind", "flat")
        self.setAccessibleName("help")
        self.set_note(note)
        self.clicked.connect(self._on_clicked)

    def set_note(self, note: str) -> None:
        """Answer something else."""
        self.setAccessibleDescription(note)
        self.setToolTip(as_tip(note))

    @Slot()
    def _on_clicked(self) -> None:
        QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self.toolTip())
