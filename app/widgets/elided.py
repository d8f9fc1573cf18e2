"""One line of text that ends in "…" where it has no room, whole in its tooltip."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.theme import theme
from app.widgets.label import Align, as_tip, draw_label, line_height
from app.widgets.qt_calls import tells_faults


@tells_faults
class ElidedLabel(QWidget):
    """A line that takes the width it is given; its middle leaves first."""

    def __init__(
        self,
        ink: str = "text",
        align: Align = Align.AlignLeft,
        parent: QWidget | None = None,
    ) -> None:
        """Nothing yet, in a colour of the theme."""
        super().__init__(parent)
        self._text = ""
        self._ink, self._align = ink, align
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str) -> None:
        """Show another text."""
        self._text = text
        self.setToolTip(as_tip(text))
        self.setAccessibleName(text)
        self.update()

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """One line, as wide as comes."""
        return QSize(0, round(line_height(self.font())) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what fits."""
        with QPainter(self) as painter:
            painter.setPen(theme().ink(self._ink))
            draw_label(painter, QRectF(self.rect()), self._text, self._align)
