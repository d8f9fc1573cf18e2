"""Walking over cells and maps by the arrow keys, the same in every widget of cells."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

ARROWS: dict[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
"""Key -> the step it makes, as (rows, columns)."""

STAY = (0, 0)
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def step_of(key: int) -> tuple[int, int] | None:
    """The step a key asks for, STAY for Enter, None for every other key."""
    return STAY if key in ENTER else ARROWS.get(key)


def claims(event: QEvent) -> bool:
    """Whether a key that is also a shortcut of the window belongs to the cells."""
    return (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and step_of(event.key()) is not None
        and event.modifiers()
        in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    )
