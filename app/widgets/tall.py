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
        self._inside = inside = QWidget()
        inside.setLayout(content)
        inside.setMinimumHeight(least_height)
        content.setContentsMargins(0, 0, 0, 0)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def set_least_height(self, least_height: int) -> None:
        """Hold the content at no less than another height."""
        self._inside.setMinimumHeight(least_height)
