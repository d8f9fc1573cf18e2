"""One line of words, each in the colour of what it names.

Place: wherever tokens, steps or numbers are named in the frame. In: `Words`. The line
is painted, so that no token is ever read as HTML; what has no room ends in "…".
"""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import SMALL, mono
from app.style.theme import theme
from app.widgets.label import Align, advance, as_tip, draw_label, line_height
from app.widgets.qt_calls import tells_faults
from core.trace.views.places import Words

LEAST_ROOM = 24.0
"""A word with less room than this is not begun."""


@tells_faults
class WordsLine(QWidget):
    """Words side by side on one line."""

    def __init__(
        self, font: QFont | None = None, gap: int = 6, parent: QWidget | None = None
    ) -> None:
        """An empty line."""
        super().__init__(parent)
        self._words: tuple[Words, ...] = ()
        self._type = font or mono(SMALL)
        self._gap = gap
        self.setFixedHeight(round(line_height(self._type)) + 2)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_words(self, words: Sequence[Words], tip: str = "") -> None:
        """Show other words; the tooltip says them all unless `tip` says more."""
        self._words = tuple(words)
        text = self.text
        self.setAccessibleName(text)
        self.setToolTip(as_tip(tip or text))
        self.updateGeometry()
        self.update()

    @property
    def text(self) -> str:
        """All words as one text."""
        return " ".join(words.text for words in self._words)

    def sizeHint(self) -> QSize:
        """Room for all of it."""
        widths = (advance(words.text, self._type) for words in self._words)
        gaps = self._gap * max(0, len(self._words) - 1)
        return QSize(round(sum(widths)) + gaps + 2, self.height())

    def minimumSizeHint(self) -> QSize:
        """It may be cut."""
        return QSize(0, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Word after word, as far as there is room."""
        with QPainter(self) as painter:
            painter.setFont(self._type)
            left = 0.0
            for text, role in self._words:
                room = self.width() - left
                if room < min(LEAST_ROOM, advance(text, self._type)):
                    break
                painter.setPen(theme().ink(role))
                draw_label(
                    painter, QRectF(left, 0, room, self.height()), text, Align.AlignLeft
                )
                left += advance(text, self._type) + self._gap
