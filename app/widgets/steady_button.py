"""A button that keeps the keyboard's focus while it is of no use for a moment.

Place: buttons that start work and can do nothing until it is done. Qt moves the focus
on from a button that is disabled, to wherever Tab would go; a reader who pressed it
wants to press it again.
"""

from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.qt_calls import tells_faults


@tells_faults
class SteadyButton(QPushButton):
    """Disabled where it is of no use, but not before the focus has left it.

    Until then a press is told as always: the one who is asked has to ignore it.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        """Of use."""
        super().__init__(text, parent)
        self._is_usable = True

    @property
    def is_usable(self) -> bool:
        """Whether pressing it would do something."""
        return self._is_usable

    def set_usable(self, is_usable: bool) -> None:
        """Say whether pressing it would do something."""
        self._is_usable = is_usable
        self.setEnabled(is_usable or self.hasFocus())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Now it can be disabled."""
        super().focusOutEvent(event)
        self.setEnabled(self._is_usable)
