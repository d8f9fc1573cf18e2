"""Content that is never squeezed below a height; where there is less, it scrolls."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget


class Tall(QScrollArea):
    """Holds one layout; fills its room, and scrolls downwards if that is too low."""

    def __init__(
        self, content: QLayout, least_height: int, parent: QWidget | None = None
    ) -> None:
        """Hold `content` at no less than `least_height` pixels."""
        super().__init__(parent)
        inside = QWidget()
        inside.setLayout(content)
        inside.setMinimumHeight(least_height)
        content.setContentsMargins(0, 0, 0, 0)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
