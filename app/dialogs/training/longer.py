"""Letting a run go on for longer than was asked at first.

Place: the studio asks it when the monitor's "Continue longer" is pressed. In: a run's
folder. Out: its `config.toml` with more steps; the training program does the rest.
"""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton

from app.frame.parts import icon_button, plain_label
from app.widgets.number_field import WholeField
from core.errors import CoreError, TrainingError
from core.files import write_whole
from core.training.config import CONFIG_FILE, config_text, read_config
from core.training.runs import run_info

MOST_STEPS = 10**12
MARGINS = (14, 6, 8, 6)


class LongerBar(QFrame):
    """Asks how many steps a run has in all, and hides again."""

    continued = Signal(object)
    """The run of this folder has more steps now and may be started: Path."""

    failed = Signal(object)
    """It cannot have them: the `CoreError`."""

    def __init__(self) -> None:
        """Hidden until it asks."""
        super().__init__()
        self._folder = Path()
        self.setProperty("bar", "top")
        self._words: QLabel = plain_label("")
        self.n_steps = WholeField(1, MOST_STEPS)
        self.n_steps.setObjectName("training.longer")
        self.n_steps.setAccessibleName("Steps in all")
        self.go = QPushButton("Continue")
        self.go.setObjectName("training.longer.go")
        self.go.clicked.connect(self._on_go_clicked)
        close = icon_button("close", "Close", "training.longer.close")
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(*MARGINS)
        for part in (self._words, self.n_steps, self.go):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(close)
        self.hide()

    def ask(self, folder: Path) -> None:
        """Ask for a run; twice its steps are suggested."""
        try:
            n_steps = read_config(folder).training.n_steps
        except CoreError as error:
            self.failed.emit(error)
            return
        self._folder = folder
        n_done = run_info(folder).step
        self._words.setText(
            f"“{folder.name}” has done {n_done:,} of {n_steps:,} steps. Train it up to"
        )
        self.n_steps.set_range(n_done + 1, MOST_STEPS)
        self.n_steps.show_number(2 * n_steps)
        self.show()

    @Slot()
    def _on_go_clicked(self) -> None:
        try:
            lengthen(self._folder, self.n_steps.number)
        except CoreError as error:
            self.failed.emit(error)
        else:
            self.hide()
            self.continued.emit(self._folder)


def lengthen(folder: Path, n_steps: int) -> None:
    """Give a run another number of steps; its rate falls over all of them.

    Raises:
        CoreError: Its file cannot be read or written, or it has done as many already.
    """
    config = read_config(folder)
    n_done = run_info(folder).step
    if n_steps <= n_done:
        raise TrainingError(
            f"“{folder.name}” has done {n_done:,} steps already; ask for more."
        )
    longer = replace(config, training=replace(config.training, n_steps=n_steps))
    write_whole(folder / CONFIG_FILE, config_text(longer).encode())
