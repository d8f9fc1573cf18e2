"""What becomes of runs when their window closes: asked once, remembered, never a box.

Place: a strip of the studio, and of the monitor page for the one other question,
whether a run is really to go; and the menu in which the answer is changed.
"""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPushButton, QWidget

from app.frame.parts import plain_label
from app.settings import ON_CLOSE, Settings

Answer = tuple[str, str, str]
"""What stands on a button, its name, and its look ("primary", "flat", "")."""


class AskBar(QFrame):
    """A question with a button for each answer; hidden while nothing is asked."""

    answered = Signal(str)
    """The name of the answer's button."""

    def __init__(self, question: str, answers: tuple[Answer, ...]) -> None:
        """Hidden."""
        super().__init__()
        self.setProperty("card", True)
        self.question = plain_label(question)
        self.question.setWordWrap(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.question, 1)
        self.buttons: dict[str, QPushButton] = {}
        for words, name, kind in answers:
            button = QPushButton(words)
            button.setObjectName(f"ask.{name}")
            button.setProperty("kind", kind)
            button.clicked.connect(self._on_clicked)
            self.buttons[name] = button
            row.addWidget(button)
        self.hide()

    def ask(self, question: str | None = None) -> None:
        """Ask, or ask again."""
        if question is not None:
            self.question.setText(question)
        self.show()
        next(iter(self.buttons.values())).setFocus()

    @Slot()
    def _on_clicked(self) -> None:
        name = next(n for n, b in self.buttons.items() if b is self.sender())
        self.hide()
        self.answered.emit(name)


CLOSE_ANSWERS: tuple[Answer, ...] = (
    ("Keep training in the background", "keep", "primary"),
    ("Stop with a checkpoint", "stop", ""),
    ("Do not close", "cancel", "flat"),
)
DISCARD_ANSWERS: tuple[Answer, ...] = (
    ("Move to the trash", "discard", ""),
    ("Keep it", "cancel", "flat"),
)


def close_question(names: Sequence[str]) -> str:
    """Name every run that is at work and would end with the window."""
    *first, last = [f"“{name}”" for name in names]
    if not first:
        return f"{last} is not done. What becomes of it when you close the window?"
    every = f"{', '.join(first)} and {last}"
    return f"{every} are not done. What becomes of them when you close the window?"


def discard_question(name: str, n_checkpoints: int) -> str:
    """What a person should know before a run goes."""
    what = {0: "nothing saved", 1: "its checkpoint"}
    words = what.get(n_checkpoints, f"its {n_checkpoints} checkpoints")
    return f"Move the run {name}, with {words}, to the trash?"


MENU_TITLE = "When the window closes"
MENU_ROWS = (
    ("ask", "Ask what becomes of the run"),
    ("keep", "Keep training in the background"),
    ("stop", "Stop with a checkpoint"),
)
"""Each value of ON_CLOSE, and its words."""


class CloseMenu(QMenu):
    """The remembered answer, to be looked up and changed."""

    chosen = Signal(str)
    """The reader gave another answer; it is remembered already."""

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        """The remembered answer is marked whenever the menu is opened."""
        super().__init__(MENU_TITLE, parent)
        self._settings = settings
        self._group = QActionGroup(self)
        for value, words in MENU_ROWS:
            action = self.addAction(words)
            action.setCheckable(True)
            action.setData(value)
            action.setObjectName(f"action.training.on_close.{value}")
            self._group.addAction(action)
        self._group.triggered.connect(self._on_group_triggered)
        self.aboutToShow.connect(self._mark)

    @Slot()
    def _mark(self) -> None:
        value = self._settings.read(ON_CLOSE)
        for action in self._group.actions():
            action.setChecked(action.data() == value)

    @Slot(QAction)
    def _on_group_triggered(self, action: QAction) -> None:
        self._settings.write(ON_CLOSE, action.data())
        self.chosen.emit(action.data())
