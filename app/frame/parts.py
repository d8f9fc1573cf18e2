"""The small parts the frame is put together from: labels and buttons, dressed alike."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton

from app.style.fonts import BASE, CAPTION, TITLE, sans
from app.style.icons import show_icon
from app.widgets.label import as_tip
from app.widgets.text_field import TextField

ICON_BUTTON = 28
"""Side of a quiet button with an icon."""
MENU_BUTTON_HEIGHT, FIELD_HEIGHT = 32, 30
HINT = "Type a sentence"


def plain_label(text: str, font: QFont | None = None, ink: str = "") -> QLabel:
    """A label that shows its text literally, in a colour of the sheet."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(font or sans(BASE))
    if ink:
        label.setProperty("ink", ink)
    return label


def caption(text: str) -> QLabel:
    """A heading in small capitals."""
    return plain_label(text.upper(), sans(CAPTION), "muted")


def icon_button(icon: str, tip: str, name: str) -> QToolButton:
    """A quiet button that shows an icon and says in its tip what it does."""
    button = QToolButton()
    button.setProperty("kind", "flat")
    button.setFixedSize(ICON_BUTTON, ICON_BUTTON)
    button.setStyleSheet("padding: 3px;")  # the sheet's room is for words
    show_icon(button, icon, "muted")
    button.setToolTip(as_tip(tip))
    button.setAccessibleName(tip)
    button.setObjectName(name)
    return button


def flat_button(text: str, name: str) -> QPushButton:
    """A quiet button with a word on it."""
    button = QPushButton(text)
    button.setProperty("kind", "flat")
    button.setObjectName(name)
    return button


def menu_button(text: str, name: str) -> QPushButton:
    """A button that opens a menu."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setProperty("menu", True)
    button.setFixedHeight(MENU_BUTTON_HEIGHT)
    button.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    return button


def sentence_field(text: str = "") -> TextField:
    """The field for the sentence."""
    field = TextField(text)
    field.setPlaceholderText(HINT)
    field.setFont(sans(TITLE - 2))
    field.setFixedHeight(FIELD_HEIGHT)
    return field


def begin_typing(field: TextField) -> None:
    """Let the keys go into a field, over all that it holds."""
    field.setFocus(Qt.FocusReason.ShortcutFocusReason)
    field.selectAll()


def set_ink(label: QLabel, ink: str) -> None:
    """Give a label another colour of the sheet."""
    if label.property("ink") != ink:
        label.setProperty("ink", ink)
        label.style().unpolish(label)
        label.style().polish(label)
