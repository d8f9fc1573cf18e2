"""A card: a heading, what there is to see, and a quiet line below it.

Place: every panel is one or two of these. It knows nothing of what lies in it.
"""

from math import ceil

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.style.fonts import LARGE, SMALL, sans
from app.style.sheet import CARD_PADDING
from app.widgets.elided import ElidedLabel
from app.widgets.label import advance

LEAST_TITLE = 56
"""A longer title is cut in a narrow card, but not below this."""
GAP = 8
"""Between heading, content and note."""


def plain_label(text: str = "", ink: str = "") -> QLabel:
    """Words on one line or more, read literally; `ink` is a colour of the theme."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if ink:
        label.setProperty("ink", ink)
    return label


def control_label(text: str) -> QLabel:
    """Quiet words beside a control; like it, they mean nothing on paper."""
    label = plain_label(text, "muted")
    label.setProperty("furniture", True)
    return label


def set_ink(label: QLabel, ink: str) -> None:
    """Let a label wear another colour of the theme."""
    label.setProperty("ink", ink)
    label.style().unpolish(label)
    label.style().polish(label)


def give_the_rest(picture: QWidget, least_height: int) -> None:
    """Let a picture have what height is left over, whatever size it would like.

    Beside a note that wraps, Qt's layout takes the wish of a widget for its minimum.
    """
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
    picture.setSizePolicy(policy)
    picture.setMinimumHeight(least_height)


class Card(QFrame):
    """A framed area. Widgets are put into `body`; `head` has room at its right end."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        """An empty card under a heading."""
        super().__init__(parent)
        self.setProperty("card", True)
        self._title = ElidedLabel()
        self._title.setFont(sans(LARGE))
        self.set_title(title)
        self._note = plain_label(ink="muted")
        self._note.setFont(sans(SMALL))
        self._note.setWordWrap(True)
        self._note.hide()
        self.head = QHBoxLayout()
        self.head.setSpacing(GAP)
        self.head.addWidget(self._title, 1)
        self.body = QVBoxLayout()
        self.body.setSpacing(GAP)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(*[CARD_PADDING] * 4)
        whole.setSpacing(GAP)
        whole.addLayout(self.head)
        whole.addLayout(self.body, 1)
        whole.addWidget(self._note)

    def set_title(self, title: str) -> None:
        """Say what the card shows; a few letters of it always have room."""
        self._title.show_text(title)
        whole = ceil(advance(title, sans(LARGE))) + 1
        self._title.setMinimumWidth(min(LEAST_TITLE, whole) if title else 0)

    def set_note(self, note: str) -> None:
        """Say something quietly under the content; "" says nothing."""
        self._note.setText(note)
        self._note.setVisible(bool(note))

    @property
    def title(self) -> str:
        """The heading."""
        return self._title.text

    @property
    def note(self) -> str:
        """The line under the content."""
        return self._note.text()
