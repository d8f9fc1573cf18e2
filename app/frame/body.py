"""Between the bars: pipeline, panel and inspector side by side, each side foldable.

On a narrow window the inspector is no column but a drawer over the panel's right side.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QSplitterHandle, QVBoxLayout, QWidget

from app.frame.sizes import INSPECTOR_WIDTH, PIPELINE_WIDTH
from app.settings import bytes_of_text, text_of_bytes
from app.widgets.qt_calls import tells_faults

NARROW = 1100
"""Below this width the inspector is a drawer."""
ONE_SIDE = 1000
"""Below this width the pipeline gives way while the drawer is out."""
LEAST_PANEL = 420
LEAST_SIDE = 150
HANDLE_WIDTH = 6
"""Wide enough to be caught by a mouse."""


@tells_faults
class QuietHandle(QSplitterHandle):
    """What is dragged between two columns; their own lines show where it is."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing."""


class QuietSplitter(QSplitter):
    """A splitter that draws no lines."""

    def createHandle(self) -> QSplitterHandle:
        """A handle without ink."""
        return QuietHandle(self.orientation(), self)


@tells_faults
class Body(QWidget):
    """Three columns, or two and a drawer."""

    is_narrow_changed = Signal(bool)
    """The window has become too narrow for the inspector's column, or wide enough."""

    def __init__(self, pipeline: QWidget, middle: QWidget, inspector: QWidget) -> None:
        """Everything is unfolded."""
        super().__init__()
        self._inspector = inspector
        self._is_narrow = False
        self._wants_pipeline = self._wants_inspector = True
        self._side = QFrame()
        self._side.setProperty("bar", "left")
        inside = QVBoxLayout(self._side)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(pipeline)
        self._side.setMinimumWidth(LEAST_SIDE)
        middle.setMinimumWidth(LEAST_PANEL)
        inspector.setMinimumWidth(INSPECTOR_WIDTH - 40)
        self._splitter = QuietSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(HANDLE_WIDTH)
        self._splitter.setChildrenCollapsible(False)
        for widget in (self._side, middle, inspector):
            self._splitter.addWidget(widget)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([PIPELINE_WIDTH, 800, INSPECTOR_WIDTH])
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(self._splitter)

    @property
    def is_narrow(self) -> bool:
        """Whether the inspector is a drawer now."""
        return self._is_narrow

    def show_pipeline(self, is_shown: bool) -> None:
        """Unfold or fold the left side."""
        self._wants_pipeline = is_shown
        self._place_sides()

    def show_inspector(self, is_shown: bool) -> None:
        """Unfold or fold the right side, or pull the drawer out and in."""
        self._wants_inspector = is_shown
        self._place_sides()

    def state(self) -> str:
        """The widths of the columns, to be remembered."""
        return text_of_bytes(self._splitter.saveState())

    def restore(self, state: str) -> None:
        """Take remembered widths; what does not fit changes nothing."""
        if state:
            self._splitter.restoreState(bytes_of_text(state))

    def _become(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        if is_narrow:
            self._inspector.setParent(self)
        else:
            self._splitter.addWidget(self._inspector)
            self._splitter.setSizes(
                [PIPELINE_WIDTH, self.width() - INSPECTOR_WIDTH, INSPECTOR_WIDTH]
            )
        self.is_narrow_changed.emit(is_narrow)

    def _place_sides(self) -> None:
        """Show the sides that are wanted; the drawer alone where both are too much."""
        has_room = self.width() >= ONE_SIDE or not self._wants_inspector
        self._side.setVisible(self._wants_pipeline and has_room)
        self._inspector.setVisible(self._wants_inspector)
        if self._is_narrow:
            self._place_drawer()

    def _place_drawer(self) -> None:
        left = self.width() - INSPECTOR_WIDTH
        self._inspector.setGeometry(left, 0, INSPECTOR_WIDTH, self.height())
        self._inspector.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn the inspector into a drawer and back."""
        super().resizeEvent(event)
        if (self.width() < NARROW) != self._is_narrow:
            self._become(self.width() < NARROW)
        self._place_sides()
