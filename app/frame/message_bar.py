"""The message bar: what went wrong, in one sentence, until somebody has read it.

Place: under the token bar, above everything that goes on working. Never a box.
"""

from PySide6.QtCore import Qt, SignalInstance, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton

from app.failures import ErrorReport
from app.frame.parts import flat_button, icon_button, plain_label, set_ink

COPY, COPIED = "Copy details", "Copied"


class MessageBar(QFrame):
    """One failure, or the warnings of a model; hidden while there is nothing to say."""

    def __init__(self, failed: SignalInstance) -> None:
        """Hidden until `failed` brings an `ErrorReport`."""
        super().__init__()
        self._details = ""
        self.setProperty("bar", "top")
        self._sign = QLabel("●")
        self._sentence = plain_label("")
        self._sentence.setWordWrap(True)
        self._sentence.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._copy: QPushButton = flat_button(COPY, "message.copy")
        self._close: QToolButton = icon_button("close", "Close", "message.close")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self._sign)
        row.addWidget(self._sentence, 1)
        row.addWidget(self._copy)
        row.addWidget(self._close)
        self._copy.clicked.connect(self._on_copy_clicked)
        self._close.clicked.connect(self.hide)
        failed.connect(self._on_failed)
        self.hide()

    @property
    def sentence(self) -> str:
        """What is said."""
        return self._sentence.text()

    def say(self, sentence: str, ink: str, details: str = "") -> None:
        """Show a sentence; with details they can be copied."""
        self._details = details
        self._sentence.setText(sentence)
        set_ink(self._sign, ink)
        self._copy.setText(COPY)
        self._copy.setVisible(bool(details))
        self.show()

    @Slot(object)
    def _on_failed(self, report: ErrorReport) -> None:
        self.say(report.sentence, "error", report.details)

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.sentence}\n\n{self._details}")
        self._copy.setText(COPIED)
