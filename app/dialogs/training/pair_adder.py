"""A small form that makes a source of pairs: a built-in task, or a file of one's own.

Place: it stands where the list of texts is while it is filled in.
"""

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFileDialog, QGridLayout, QPushButton

from app.dialogs.form import Choice
from app.dialogs.training.adders import FIELD_WIDTH, MOST_SEED, Adder
from app.style.fonts import SMALL, sans
from app.widgets.card import plain_label
from app.widgets.label import as_tip
from app.widgets.number_field import WholeField
from core.training.pairs.tasks import TASKS
from core.training.sources import PairsSource, TaskSource

LEAST_PAIRS, MOST_PAIRS = 20, 10_000_000
TASK_WIDTH = 220
HINT = (
    "The model reads one side and learns to write the other. A file of your own has "
    "a pair on each line: what is read, a tab, what is written."
)
FILE, FILES = "A file of pairs…", "Pairs (*.tsv *.txt *.csv);;All (*)"


class PairAdder(Adder):
    """A task, a seed and a number; or a file."""

    def __init__(self) -> None:
        """The first task, and the number that suits it."""
        chosen = TaskSource(TASKS[0].name)
        self.task = Choice()
        self.task.setObjectName("training.task")
        self.task.setAccessibleName("task")
        for task in TASKS:
            self.task.addItem(task.title, task.name)
            tip, last = as_tip(task.text), self.task.count() - 1
            self.task.setItemData(last, tip, Qt.ItemDataRole.ToolTipRole)
        self.seed = WholeField(0, MOST_SEED)
        self.pairs = WholeField(LEAST_PAIRS, MOST_PAIRS)
        self.seed.show_number(chosen.seed)
        self.pairs.show_number(chosen.n_pairs)
        self.seed.setAccessibleName("seed")
        self.pairs.setAccessibleName("pairs")
        self.file = QPushButton(FILE)
        self.file.setObjectName("training.pairs.file")
        self._about = plain_label("", "muted")
        super().__init__("pairs", self._content())
        self.task.currentIndexChanged.connect(self._on_task_changed)
        self.file.clicked.connect(self._on_file_clicked)
        self._on_task_changed(0)

    def _content(self) -> QGridLayout:
        content = QGridLayout()
        words = plain_label(HINT, "muted")
        for label in (words, self._about):
            label.setFont(sans(SMALL))
            label.setWordWrap(True)
        content.addWidget(words, 0, 0, 1, 4)
        content.addWidget(plain_label("Task"), 1, 0)
        content.addWidget(self.task, 1, 1)
        content.addWidget(self.file, 1, 3)
        content.addWidget(self._about, 2, 1, 1, 3)
        self.task.setFixedWidth(TASK_WIDTH)
        for line, (name, field) in enumerate(
            (("Seed", self.seed), ("Pairs", self.pairs)), 3
        ):
            field.setFixedWidth(FIELD_WIDTH)
            content.addWidget(plain_label(name), line, 0)
            content.addWidget(field, line, 1)
        content.setColumnStretch(2, 1)
        content.setRowStretch(5, 1)
        return content

    def begin(self) -> None:
        """Let the task be chosen."""
        self.task.setFocus(Qt.FocusReason.OtherFocusReason)

    def give(self) -> None:
        """Give the pairs of the task that is chosen."""
        chosen = (self.task.currentData(), self.seed.number, self.pairs.number)
        self.source_given.emit(TaskSource(*chosen))

    @Slot(int)
    def _on_task_changed(self, index: int) -> None:
        self._about.setText(TASKS[index].text)

    @Slot()
    def _on_file_clicked(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Choose pairs", "", FILES)
        if name:
            self.source_given.emit(PairsSource(Path(name)))
