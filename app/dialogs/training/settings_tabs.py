"""Every field of a run, behind "All settings": one form for each table of its file.

Place: left half of the model page. In: the draft. Out: fields that were changed, once
their class takes them and the typing rests; a form that is at fault says so below the
field at once.
"""

from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from app.dialogs.form import Form
from app.dialogs.training.draft import Draft, raw
from app.widgets.qt_calls import tells_faults
from core.config import ModelConfig
from core.training.config import DataConfig, TrainingConfig, WatchConfig

TABLES: tuple[tuple[str, str, type], ...] = (
    ("model", "Model", ModelConfig),
    ("training", "Training", TrainingConfig),
    ("watch", "Watching", WatchConfig),
    ("data", "Data", DataConfig),
)
"""Key, title and class of each table; the tokenizer has a card of its own."""
ELSEWHERE = {
    "n_vocab": "decided by the tokenizer",
    "start_id": "decided by the tokenizer",
    "pairs": "decided by your texts",
}
ROOM = 10
TYPING_PAUSE_MS = 250
"""After the last key, before costs and texts are looked at again."""


@tells_faults
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
        self._forms: dict[str, Form] = {}
        self._draft: Draft | None = None
        self._shown: dict[str, Any] = {}
        self._told = ""
        self._typed: set[str] = set()
        """Tables with values that have not been asked for yet."""
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._request_fields)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)

    @property
    def forms(self) -> dict[str, Form]:
        """One for each table, made when first asked for.

        They are so many widgets that a theme is put on twice as fast without them.
        """
        if not self._forms:
            self._make_forms()
        return self._forms

    def _make_forms(self) -> None:
        for table, title, owner in TABLES:
            form = Form(owner, ELSEWHERE)
            form.changed.connect(partial(self._on_form_changed, table))
            self._forms[table] = form
            self.tabs.addTab(scrolled(form), title)
        if self._draft is not None:
            self.show_draft(self._draft)

    @property
    def error(self) -> str:
        """The first form's complaint; "" if all are in order."""
        return next(filter(None, (form.error for form in self._forms.values())), "")

    def show_draft(self, draft: Draft) -> None:
        """Show what the draft has; what is being typed stays where it is meant."""
        self._draft = draft
        for table, form in self._forms.items():
            config = getattr(draft, table)
            is_older = table in self._typed
            is_new = config != self._shown.get(table)
            if is_new and not is_older and not form.means(config):
                form.show_values(raw(config))
            self._shown[table] = config
        self._tell_error()

    @Slot()
    def _on_form_changed(self, table: str) -> None:
        self._typed.add(table)
        self._tell_error()
        self._pause.start()

    @Slot()
    def _request_fields(self) -> None:
        """Ask for what was typed, where its class takes it."""
        self._pause.stop()
        typed, self._typed = self._typed, set()
        for table, form in self._forms.items():
            if table in typed and not form.error:
                fields = {f"{table}.{n}": v for n, v in form.values.items()}
                self.fields_requested.emit(fields)

    def _tell_error(self) -> None:
        if self.error != self._told:
            self._told = self.error
            self.error_changed.emit(self._told)

    # Qt's calls.

    def showEvent(self, event: QShowEvent) -> None:
        """Now the forms are needed."""
        if not self._forms:
            self._make_forms()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Wait no longer: what is looked at next must know what was typed."""
        super().hideEvent(event)
        self._request_fields()


def scrolled(form: Form) -> QScrollArea:
    """A form in a frame that scrolls."""
    area = QScrollArea()
    area.setWidget(form)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    form.setContentsMargins(0, ROOM, 0, ROOM)
    return area
