"""A small "?" that answers what readers wonder about in a picture."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QToolButton, QToolTip, QWidget

from app.widgets.label import as_tip

SPARE_ATTENTION = (
    "Why is the first column so strong?\n"
    "A row has to spend all of its attention. A head that finds nothing to\n"
    "take from the other tokens leaves what is spare on the first one.\n\n"
    "Why does row 1 always say 1.0?\n"
    "The first token can look at nothing but itself, so it gives itself all."
)


class HelpNote(QToolButton):
    """The note shows under the mouse, and on a click or a key."""

    def __init__(self, note: str, parent: QWidget | None = None) -> None:
        """`note` is plain text with its line breaks."""
        super().__init__(parent)
        self.setText("?")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty("kind", "flat")
        self.setAccessibleName("help")
        self.setAccessibleDescription(note)
        self.setToolTip(as_tip(note))
        self.clicked.connect(self._on_clicked)

    @Slot()
    def _on_clicked(self) -> None:
        QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self.toolTip())
