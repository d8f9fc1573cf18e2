"""What stands in a panel's place while there is nothing to show, in the panel's shape.

Three looks: a model is being opened, nothing has been typed, opening failed.
"""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.frame.parts import plain_label
from app.style.fonts import LARGE, sans

LINE_WIDTH = 420
BAR_WIDTH = 160


@dataclass(frozen=True, slots=True)
class State:
    """One reason for having nothing to show."""

    title: str
    hint: str
    is_busy: bool = False


OPENING = State(
    "Opening the model…",
    "The sentence is cut into tokens meanwhile; its numbers follow.",
    is_busy=True,
)
EMPTY = State(
    "Type something",
    "Write a sentence above, or choose an example; here it walks through the model.",
)
NO_MODEL = State(
    "No model is open",
    "Choose a model folder from the menu at the top left.",
)
TOO_LONG = State(
    "The sentence is too long for this model",
    "Shorten it, or keep its last tokens with the button above.",
)
UNKNOWN = State(
    "The model does not know all of this sentence",
    "It has tokens only for what stood in its training text. Write without the marked "
    "ones, or leave them out with the button above.",
)
TARGET_TOO_LONG = State(
    "The target so far is too long for this model",
    "Shorten it, or keep its last tokens with the button above.",
)
TARGET_UNKNOWN = State(
    "The model does not know all of the target so far",
    UNKNOWN.hint,
)
COMPUTING = State("Thinking…", "The first trace of a sentence is on its way.", True)


class StatePage(QWidget):
    """A card as large as the panel's, with one message in its middle."""

    def __init__(self) -> None:
        """Nothing to say yet."""
        super().__init__()
        self._title = plain_label("", sans(LARGE))
        self._hint = plain_label("", ink="muted")
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setFixedWidth(BAR_WIDTH)
        centre = Qt.AlignmentFlag.AlignHCenter
        card = QFrame()
        card.setProperty("card", True)
        inside = QVBoxLayout(card)
        inside.setSpacing(8)
        inside.addStretch(2)
        inside.addWidget(self._title, 0, centre)
        for label in (self._title, self._hint):
            label.setAlignment(centre)
        self._hint.setWordWrap(True)
        self._hint.setMaximumWidth(LINE_WIDTH)
        middle = QHBoxLayout()  # an aligned label would be given one line's height
        middle.addStretch(1)
        middle.addWidget(self._hint, 10)
        middle.addStretch(1)
        inside.addLayout(middle)
        inside.addSpacing(8)
        inside.addWidget(self._busy, 0, centre)
        inside.addStretch(3)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(card)

    def show_state(self, state: State) -> None:
        """Say why there is nothing."""
        self._title.setText(state.title)
        self._hint.setText(state.hint)
        self._busy.setVisible(state.is_busy)

    @property
    def title(self) -> str:
        """What is said."""
        return self._title.text()
