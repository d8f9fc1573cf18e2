"""A row of words of which exactly one is chosen."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget


class Segments(QWidget):
    """The words as flat buttons, the chosen one lit."""

    chosen = Signal(int)
    """The reader chose the word at this place."""

    def __init__(self, words: tuple[str, ...], name: str) -> None:
        """The first word is chosen. Buttons are called `name.word`."""
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        for place, word in enumerate(words):
            button = QPushButton(word)
            button.setCheckable(True)
            button.setChecked(place == 0)
            button.setProperty("kind", "segment")
            button.setObjectName(f"{name}.{word}")
            self._group.addButton(button, place)
            row.addWidget(button)
        self._group.idClicked.connect(self._on_group_clicked)

    @property
    def place(self) -> int:
        """Which word is chosen."""
        return self._group.checkedId()

    def choose(self, place: int) -> None:
        """Choose a word, as a click on it does."""
        self._group.button(place).click()

    def set_place(self, place: int) -> None:
        """Light a word that somebody else chose; nothing is told."""
        self._group.button(place).setChecked(True)

    def focus(self) -> None:
        """Let keys go to the chosen word."""
        self._group.button(self.place).setFocus(Qt.FocusReason.TabFocusReason)

    def set_word(self, place: int, word: str) -> None:
        """Call a choice otherwise; the button's name stays."""
        self._group.button(place).setText(word)

    def set_tip(self, place: int, tip: str) -> None:
        """What is said of a word while the mouse rests on it."""
        self._group.button(place).setToolTip(tip)

    @Slot(int)
    def _on_group_clicked(self, place: int) -> None:
        self.chosen.emit(place)
