"""A list of widgets that is filled anew when what it shows has changed.

Place: sources, findings and merges of the studio. It scrolls where it has no room.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

GAP = 10


class Listing(QScrollArea):
    """Widgets below one another, as wide as the list."""

    def __init__(self, name: str) -> None:
        """Empty; `name` is what a screen reader calls it."""
        super().__init__()
        self.setAccessibleName(name)
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(GAP)
        self._column.addStretch(1)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_widgets(self, widgets: Sequence[QWidget]) -> None:
        """Show these and no others."""
        for index in reversed(range(self._column.count() - 1)):
            item = self._column.takeAt(index)
            old = item.widget() if item is not None else None
            if old is not None:
                old.hide()
                old.deleteLater()
        for index, widget in enumerate(widgets):
            self._column.insertWidget(index, widget)
            widget.show()
