"""What there is to say about a run, in a calm line: a failure or a warning."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from app.frame.parts import flat_button, icon_button, plain_label, set_ink
from app.widgets.label import as_tip
from core.training.events import Warned

COPY, COPIED = "Copy details", "Copied"


class RunWords(QFrame):
    """One sentence; hidden while there is nothing to say. A failure goes first."""

    def __init__(self) -> None:
        """Hidden."""
        super().__init__()
        self.setProperty("card", True)
        self._details = ""
        self._has_failed = False
        self._read: Warned | None = None
        """The warning that was closed."""
        self._shown: Warned | None = None
        self._dot = QLabel("●")
        self._sentence = plain_label("")
        self._sentence.setWordWrap(True)
        self._sentence.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._copy = flat_button(COPY, "training.copy_details")
        self._copy.clicked.connect(self._on_copy_clicked)
        close = icon_button("close", "Close", "training.close_words")
        close.clicked.connect(self._on_close_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self._dot)
        row.addWidget(self._sentence, 1)
        row.addWidget(self._copy)
        row.addWidget(close)
        self.hide()

    @property
    def sentence(self) -> str:
        """What is said; "" for nothing."""
        return "" if self.isHidden() else self._sentence.text()

    def say(self, sentence: str, ink: str, details: str = "") -> None:
        """Tell a failure."""
        self._has_failed = ink == "error"
        self._details = details
        self._sentence.setText(sentence)
        self._sentence.setToolTip("")
        set_ink(self._dot, ink)
        self._copy.setText(COPY)
        self._copy.setVisible(bool(details))
        self.show()

    def show_warnings(self, warnings: Sequence[Warned]) -> None:
        """Tell the newest warning, unless a failure is told or it has been read."""
        newest = warnings[-1] if warnings else None
        if self._has_failed or newest in (None, self._read, self._shown):
            return
        self._shown = newest
        self.say(f"Step {newest.step:,}: {newest.message}", "warning")
        all_of_them = "\n".join(f"step {w.step:,}: {w.message}" for w in warnings)
        self._sentence.setToolTip(as_tip(all_of_them))

    def forget(self) -> None:
        """Say nothing: another run, or a new life of this one."""
        self._has_failed = False
        self._read = self._shown = None
        self.hide()

    @Slot()
    def _on_copy_clicked(self) -> None:
        text = f"{self._sentence.text()}\n\n{self._details}"
        QGuiApplication.clipboard().setText(text)
        self._copy.setText(COPIED)

    @Slot()
    def _on_close_clicked(self) -> None:
        self._has_failed = False
        self._read = self._shown
        self.hide()
