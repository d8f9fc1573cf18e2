"""What is scrolled: a place that gives its content all of itself, and no more.

Place: inside a scroll area. A layout would ask for the height that every text in it
likes best; here only the least size that was set for the content counts.
"""

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.widgets.qt_calls import tells_faults


@tells_faults
class Room(QWidget):
    """Holds one widget; it is never smaller than that widget's minimum size."""

    def __init__(self, content: QWidget) -> None:
        """`content` becomes a child."""
        super().__init__()
        self._content = content
        content.setParent(self)

    def set_least(self, size: QSize) -> None:
        """In less room than this the content is scrolled."""
        self._content.setMinimumSize(size)
        self.setMinimumSize(size)

    # Qt's calls.

    def event(self, event: QEvent) -> bool:
        """Follow a minimum that was set for the content itself."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.setMinimumSize(self._content.minimumSize())
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """All of it is the content's."""
        self._content.resize(event.size())


def scrolled(room: Room) -> QScrollArea:
    """The room in a scroll area without a frame."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setCornerWidget(QWidget())  # else the style paints a box between the bars
    area.setWidget(room)
    return area
