"""Third page of the studio: what the run is called, where it goes, how it is started.

In: the plan and the settings. Out: the folder to write the run into. The commands shown
are the ones that start this very run elsewhere: in a terminal, or on many machines.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.commands import (
    cluster_command,
    command_text,
    machine_command,
    train_command,
)
from app.dialogs.training.doctor_card import quiet
from app.dialogs.training.draft import Draft
from app.dialogs.training.place import runs_folder
from app.dialogs.training.plan import Plan
from app.dialogs.training.preset_list import parameters_text, shape_text
from app.dialogs.training.source_line import title_of
from app.dialogs.training.wording import plural
from app.frame.parts import icon_button
from app.settings import RUNS, Settings
from app.style.fonts import SMALL, mono, sans
from app.widgets.card import Card, plain_label, set_ink
from app.widgets.number_field import WholeField
from app.widgets.steady_button import SteadyButton
from core.errors import CoreError
from core.training.config import CHARACTERS
from core.training.runs import free_folder

GAP = 12
TITLE_WIDTH = 104
FIRST_NAME = "my model"
MOST_PROCESSES, MOST_MACHINES = 4096, 4096
FIRST_PROCESSES = 2
MOST_TITLES = 3
ONE, MANY, CLUSTER = "One process", "Several GPUs", "Several machines"
COMMANDS = (ONE, MANY, CLUSTER)
LEARNED, AS_IT_IS = "learned from the text", "ready"
WRITE = "Write the folder, start nothing"
COMMAND_HINT = (
    "The Start button writes the folder and runs the first line for you. Any of them "
    "may be typed in a terminal instead, here or on another machine that has the "
    "folder, once it is written; this window then watches it."
)


class StartPage(QWidget):
    """Name and place at the left, the summary and the commands at the right."""

    place_changed = Signal()
    """Another name or another place; `folder` or `fault` says what comes of it."""

    writing_requested = Signal()
    """The folder is to be written, and nothing started."""

    def __init__(self, plan: Plan, settings: Settings) -> None:
        """Suggest a name that is free."""
        super().__init__()
        self._plan, self._settings = plan, settings
        self.name = QLineEdit(FIRST_NAME)
        self.place = QLineEdit(str(runs_folder(settings)))
        self.processes = WholeField(1, MOST_PROCESSES)
        self.machines = WholeField(2, MOST_MACHINES)
        self.folder: Path | None = None
        self.fault = ""
        self.write = SteadyButton(WRITE)
        self.write.setObjectName("training.write")
        self._where = quiet("")
        self.commands = {name: CommandLine(name) for name in COMMANDS}
        self._summary = SummaryCard()
        self._arrange()
        self.write.clicked.connect(self.writing_requested)
        self.name.textEdited.connect(self._on_place_edited)
        self.place.textEdited.connect(self._on_place_edited)
        for field in (self.processes, self.machines):
            field.number_changed.connect(self._on_place_edited)
        plan.draft_changed.connect(self._on_plan_changed)
        plan.look_changed.connect(self._on_plan_changed)
        self._summary.show_plan(plan)
        self.refresh()

    def _arrange(self) -> None:
        self.name.setObjectName("training.name")
        self.place.setObjectName("training.place")
        self.processes.setObjectName("training.processes")
        self.machines.setObjectName("training.machines")
        self.processes.show_number(FIRST_PROCESSES)
        choose = icon_button("open", "Choose another place", "training.place.choose")
        choose.clicked.connect(self._on_choose_clicked)
        where, command = Card("Name and place"), Card("The exact command")
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(8)
        grid.addWidget(plain_label("Name"), 0, 0)
        grid.addWidget(self.name, 0, 1, 1, 2)
        grid.addWidget(plain_label("Place"), 1, 0)
        grid.addWidget(self.place, 1, 1)
        grid.addWidget(choose, 1, 2)
        grid.addWidget(self._where, 2, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        where.body.addLayout(grid)
        for title, field in (
            ("Processes on each machine", self.processes),
            ("Machines", self.machines),
        ):
            label = plain_label(title, "muted")
            label.setFont(sans(SMALL))
            command.head.addWidget(label)
            command.head.addWidget(field)
        for line in self.commands.values():
            command.body.addWidget(line)
        command.body.addWidget(self.write, 0, Qt.AlignmentFlag.AlignLeft)
        command.set_note(COMMAND_HINT)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        for card in (self._summary, where, command):
            column.addWidget(card)
        column.addStretch(1)

    def refresh(self) -> None:
        """Find the folder that is free now, and show what starts the run there."""
        self.folder, self.fault = None, ""
        place = Path(os.path.expanduser(self.place.text().strip() or "."))
        try:
            self.folder = free_folder(place, self.name.text().strip())
        except CoreError as error:
            self.fault = str(error)
        set_ink(self._where, "error" if self.fault else "muted")
        self._where.setText(self.fault or f"It becomes the folder {self.folder}.")
        folder = self.folder or place
        n, n_machines = self.processes.number, self.machines.number
        self.commands[ONE].show_command(train_command(folder))
        self.commands[MANY].show_command(machine_command(folder, n))
        self.commands[CLUSTER].show_command(cluster_command(folder, n, n_machines))
        self.place_changed.emit()

    def show_at_work(self, names: Sequence[str]) -> None:
        """Say which runs train already; they and this one share the machine."""
        self._summary.set_note(sharing_words(names))

    def suggest(self, name: str, place: Path) -> None:
        """Suggest a name and a place; a person may change them."""
        self.name.setText(name)
        self.place.setText(str(place))
        self.refresh()

    def remember(self) -> None:
        """Keep the place for the next run."""
        place = self.place.text().strip()
        if Path(place) != runs_folder(self._settings):
            self._settings.write(RUNS, place)

    @Slot()
    def _on_place_edited(self) -> None:
        self.refresh()

    @Slot()
    def _on_choose_clicked(self) -> None:
        name = QFileDialog.getExistingDirectory(
            self, "Choose where runs are kept", self.place.text()
        )
        if name:
            self.place.setText(name)
            self.refresh()

    @Slot(object)
    def _on_plan_changed(self, _: object) -> None:
        self._summary.show_plan(self._plan)


class SummaryCard(Card):
    """What will be trained, in a few lines."""

    def __init__(self) -> None:
        """Nothing is chosen yet."""
        super().__init__("What will happen")
        self.values: dict[str, QLabel] = {}
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self.body.addLayout(self._grid)

    def show_plan(self, plan: Plan) -> None:
        """Tell of a draft: text, tokenizer, model, training."""
        for name, text in summary_of(plan).items():
            if name not in self.values:
                self._add(name)
            self.values[name].setText(text)

    def _add(self, name: str) -> None:
        line, value = len(self.values), plain_label()
        value.setWordWrap(True)
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(plain_label(name, "muted"), line, 0, top)
        self._grid.addWidget(value, line, 1)
        self.values[name] = value


class CommandLine(QWidget):
    """A command to read and to copy."""

    def __init__(self, title: str) -> None:
        """No command yet."""
        super().__init__()
        self.edit = QLineEdit()
        self.edit.setReadOnly(True)
        self.edit.setFont(mono(SMALL))
        self.edit.setAccessibleName(title)
        self._copy = icon_button("copy", f"Copy: {title}", "training.copy")
        self._copy.clicked.connect(self._on_copy_clicked)
        label = plain_label(title, "muted")
        label.setFont(sans(SMALL))
        label.setFixedWidth(TITLE_WIDTH)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label)
        row.addWidget(self.edit, 1)
        row.addWidget(self._copy)

    def show_command(self, words: Sequence[str]) -> None:
        """Show a command as this system's terminals take it."""
        self.edit.setText(command_text(words))
        self.edit.setCursorPosition(0)

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.edit.text())


def sharing_words(names: Sequence[str]) -> str:
    """That runs at work and a new one slow one another down; "" if none is at work."""
    if not names:
        return ""
    first = f"“{names[0]}”"
    who = first if len(names) == 1 else f"{first} and {len(names) - 1} more"
    verb = "is" if len(names) == 1 else "are"
    return f"{who} {verb} training on this machine too; each run is slower for it."


def summary_of(plan: Plan) -> dict[str, str]:
    """A draft in four lines, by what each is about."""
    draft = plan.draft
    training, tokenizer = draft.training, draft.tokenizer
    unit = "character" if tokenizer.kind == CHARACTERS else "token"
    n_vocab = plural(tokenizer.n_vocab, unit)
    shape = shape_text(draft.model)
    return {
        "Text": text_summary(plan),
        "Tokenizer": f"{n_vocab}, {AS_IT_IS if tokenizer.file else LEARNED}",
        "Model": f"{parameters_text(draft.model)} in {shape}",
        "Training": (
            f"{plural(training.n_steps, 'step')}, in each of them {batch_text(draft)}"
        ),
    }


def batch_text(draft: Draft) -> str:
    """What one step reads: windows that are full, or pairs as long as they are."""
    if draft.model.has_encoder:
        return plural(draft.training.batch_size, "pair")
    return (
        f"{plural(draft.training.batch_size, 'window')} of {draft.model.n_ctx} tokens"
    )


def text_summary(plan: Plan) -> str:
    """The texts by name, and how many tokens they give."""
    draft, look = plan.draft, plan.look
    if draft.origin is not None:
        return f"that of “{draft.origin.run.name}”"
    titles = [title_of(source) for source in draft.sources[:MOST_TITLES]]
    if len(draft.sources) > MOST_TITLES:
        titles.append(f"{len(draft.sources) - MOST_TITLES} more")
    named = ", ".join(titles) or "none yet"
    if not look.tokens:
        return named
    n_train, n_valid = look.parts
    return f"{named}: {n_train:,} tokens to learn from, {n_valid:,} for validation"
