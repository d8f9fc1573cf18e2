"""Every field of a run, behind "All settings": one form for each table of its file.

Place: left half of the model page. In: the draft. Out: fields that were changed, once
their class takes them; a form that is at fault says so below the field.
"""

from functools import partial
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from app.dialogs.form import Form
from app.dialogs.training.draft import Draft, raw
from core.config import ModelConfig
from core.training.config import DataConfig, TrainingConfig, WatchConfig

TABLES: tuple[tuple[str, str, type], ...] = (
    ("model", "Model", ModelConfig),
    ("training", "Training", TrainingConfig),
    ("watch", "Watching", WatchConfig),
    ("data", "Data", DataConfig),
)
"""Key, title and class of each table; the tokenizer has a card of its own."""
ELSEWHERE = {"n_vocab": "decided by the tokenizer"}
ROOM = 10


class SettingsTabs(QWidget):
    """One tab a table of the run's file."""

    fields_requested = Signal(object)
    """Other values are wanted: {"model.n_ctx": 64}."""

    error_changed = Signal(str)
    """Why the fields make no run; "" if they do."""

    def __init__(self) -> None:
        """Show the defaults."""
        super().__init__()
        self.tabs = QTabWidget()
        self.forms: dict[str, Form] = {}
        self._shown: dict[str, Any] = {}
        self._told = ""
        for table, title, owner in TABLES:
            form = Form(owner, ELSEWHERE)
            form.changed.connect(partial(self._on_form_changed, table))
            self.forms[table] = form
            self.tabs.addTab(scrolled(form), title)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)

    @property
    def error(self) -> str:
        """The first form's complaint; "" if all are in order."""
        return next(filter(None, (form.error for form in self.forms.values())), "")

    def show_draft(self, draft: Draft) -> None:
        """Show what the draft has; what is being typed stays where it is meant."""
        for table, form in self.forms.items():
            config = getattr(draft, table)
            if config != self._shown.get(table) and not form.means(config):
                form.show_values(raw(config))
            self._shown[table] = config
        self._tell_error()

    @Slot()
    def _on_form_changed(self, table: str) -> None:
        form = self.forms[table]
        if not form.error:
            values = form.values
            self.fields_requested.emit({f"{table}.{n}": v for n, v in values.items()})
        self._tell_error()

    def _tell_error(self) -> None:
        if self.error != self._told:
            self._told = self.error
            self.error_changed.emit(self._told)


def scrolled(form: Form) -> QScrollArea:
    """A form in a frame that scrolls."""
    area = QScrollArea()
    area.setWidget(form)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    form.setContentsMargins(0, ROOM, 0, ROOM)
    return area
