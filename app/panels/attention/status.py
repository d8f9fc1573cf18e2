"""One line under a map: how to read it, or what lies under the mouse."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import SMALL, sans
from app.style.theme import theme
from app.widgets.label import Align, as_tip, draw_label, line_height
from app.widgets.qt_calls import tells_faults


@tells_faults
class StatusLine(QWidget):
    """Quiet words; those of the cell under the mouse take their place meanwhile."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty line."""
        super().__init__(parent)
        self._note = self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_note(self, note: str) -> None:
        """What stands there while nothing is under the mouse."""
        self._note = note
        self.setToolTip(as_tip(note))
        self.update()

    def say(self, words: str) -> None:
        """What lies under the mouse; "" for nothing."""
        self._words = words
        self.update()

    @property
    def text(self) -> str:
        """What the line says now."""
        return self._words or self._note

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """One line of any width."""
        return QSize(0, round(line_height(sans(SMALL))) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words, cut in the middle where they are too long."""
        with QPainter(self) as painter:
            painter.setFont(sans(SMALL))
            painter.setPen(theme().ink("text" if self._words else "muted"))
            draw_label(painter, QRectF(self.rect()), self.text, Align.AlignLeft)
