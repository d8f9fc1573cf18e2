"""What becomes of a run when its window closes: asked once, remembered, never a box.

Place: a strip of the monitor page, also for the one other question, whether a run is
really to go.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from app.frame.parts import plain_label
from app.settings import Setting, one_of

ON_CLOSE = Setting("training/on_close", "ask", one_of("ask", "keep", "stop"))
"""What becomes of a run when its window closes."""

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


CLOSE_QUESTION = "The run is not done. What becomes of it when you close the window?"
CLOSE_ANSWERS: tuple[Answer, ...] = (
    ("Keep training in the background", "keep", "primary"),
    ("Stop with a checkpoint", "stop", ""),
    ("Do not close", "cancel", "flat"),
)
DISCARD_ANSWERS: tuple[Answer, ...] = (
    ("Move to the trash", "discard", ""),
    ("Keep it", "cancel", "flat"),
)


def discard_question(name: str, n_checkpoints: int) -> str:
    """What a person should know before a run goes."""
    what = {0: "nothing saved", 1: "its checkpoint"}
    words = what.get(n_checkpoints, f"its {n_checkpoints} checkpoints")
    return f"Move the run {name}, with {words}, to the trash?"
