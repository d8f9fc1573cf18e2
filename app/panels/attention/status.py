"""Words under a map: how to read it, or what lies under the mouse; what a click does.

A note that says what was done to the numbers is not cut: it takes more lines.
"""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import SMALL, sans
from app.style.theme import theme
from app.widgets.label import Align, advance, as_tip, draw_label, line_height, metrics
from app.widgets.qt_calls import tells_faults

MOST_LINES = 4
"""A note takes no more of the card."""
WRAPPED = Align.AlignLeft.value | Align.AlignTop.value | Qt.TextFlag.TextWordWrap.value


@tells_faults
class StatusLine(QWidget):
    """Quiet words; those of the cell under the mouse take their place meanwhile."""

    def __init__(
        self, parent: QWidget | None = None, *, is_only_note: bool = False
    ) -> None:
        """An empty line; one that only ever has a note takes no room without."""
        super().__init__(parent)
        self._note = self._words = ""
        self._is_only_note = is_only_note
        if is_only_note:
            self.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_note(self, note: str) -> None:
        """What stands there while nothing is under the mouse."""
        self._note = note
        self.setToolTip(as_tip(note))
        self._take_lines()
        if self._is_only_note:
            self.setHidden(not note)
        self.update()

    def say(self, words: str) -> None:
        """What lies under the mouse; "" for nothing."""
        self._words = words
        self.update()

    @property
    def text(self) -> str:
        """What the line says now."""
        return self._words or self._note

    @property
    def n_lines(self) -> int:
        """Lines that the note takes."""
        font = sans(SMALL)
        if advance(self._note, font) <= self.width():
            return 1
        room = QRectF(0, 0, self.width(), MOST_LINES * line_height(font))
        taken = metrics(font).boundingRect(room, WRAPPED, self._note).height()
        return max(2, min(MOST_LINES, round(taken / line_height(font))))

    def _take_lines(self) -> None:
        height = round(self.n_lines * line_height(sans(SMALL))) + 2
        if height != self.height():
            self.setFixedHeight(height)

    # Qt's calls.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the note anew."""
        self._take_lines()

    def sizeHint(self) -> QSize:
        """Lines of any width."""
        return QSize(0, round(self.n_lines * line_height(sans(SMALL))) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the words, cut in the middle where they are too long."""
        with QPainter(self) as painter:
            painter.setFont(sans(SMALL))
            painter.setPen(theme().ink("text" if self._words else "muted"))
            box = QRectF(self.rect())
            if self._words or self.n_lines == 1:
                draw_label(painter, box, self.text, Align.AlignLeft)
            else:
                painter.drawText(box, WRAPPED, self.text)


def hint_line(hint: str) -> StatusLine:
    """What the mouse can do, under what it does it to; on paper it means nothing."""
    line = StatusLine()
    line.set_note(hint)
    line.setProperty("furniture", True)
    return line
