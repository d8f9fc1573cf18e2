"""Second page of the studio: what the model is, and what it costs before it starts.

In: the plan, and this machine's speed as a child process measures it. Out: wishes for
other settings. The speed is asked for after a pause, and again where the answer would
be another one.
"""

from dataclasses import replace

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.training.draft import Draft
from app.dialogs.training.estimate_card import MachineCard, ModelCard, ScheduleCard
from app.dialogs.training.plan import Plan
from app.dialogs.training.preset_list import PresetList
from app.dialogs.training.settings_tabs import SettingsTabs
from app.widgets.card import Card
from app.widgets.qt_calls import tells_faults
from app.workers.calibrating import Calibration
from core.training.config import (
    CHARACTERS,
    RunConfig,
    TrainingConfig,
    WatchConfig,
)
from core.training.presets import PRESETS, Preset
from core.training.speed import Speed

PAUSE_MS = 1200
"""After the last change, before the speed is measured."""
GAP = 12
LEFT, RIGHT = 7, 6
"""Shares of the width."""
VIEWS = ("Presets", "All settings")


@tells_faults
class ModelPage(QWidget):
    """Presets or all settings at the left, what they cost at the right."""

    error_changed = Signal(str)
    """Why the settings make no run; "" if they do."""

    def __init__(self, plan: Plan, calibration: Calibration) -> None:
        """Show the plan's settings."""
        super().__init__()
        self._plan, self._calibration = plan, calibration
        self._speeds: dict[RunConfig, Speed] = {}
        self.presets, self.settings = PresetList(), SettingsTabs()
        self.model, self.machine = ModelCard(), MachineCard()
        self.schedule = ScheduleCard()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._arrange()
        self._connect()
        self._on_plan_draft_changed(plan.draft)

    def _arrange(self) -> None:
        left, right = Card("The model"), QVBoxLayout()
        self._pages = QStackedWidget()
        self.views = QButtonGroup(self)
        for index, (title, page) in enumerate(
            zip(VIEWS, (self.presets, self.settings), strict=True)
        ):
            button = QPushButton(title)
            button.setProperty("kind", "segment")
            button.setCheckable(True)
            button.setObjectName(f"training.view.{index}")
            self.views.addButton(button, index)
            left.head.addWidget(button)
            self._pages.addWidget(page)
        self.views.button(0).setChecked(True)
        self.views.idClicked.connect(self._pages.setCurrentIndex)
        left.body.addWidget(self._pages)
        right.addWidget(self.model)
        right.addWidget(self.machine)
        right.addWidget(self.schedule, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(left, LEFT)
        row.addLayout(right, RIGHT)
        right.setSpacing(GAP)
        row.setSpacing(GAP)

    def _connect(self) -> None:
        self._plan.draft_changed.connect(self._on_plan_draft_changed)
        self.presets.preset_requested.connect(self._on_presets_preset_requested)
        self.settings.fields_requested.connect(self._plan.set_fields)
        self.settings.error_changed.connect(self.error_changed)
        self.machine.measure_requested.connect(self._measure)
        self._pause.timeout.connect(self._measure)
        self._calibration.measured.connect(self._on_calibration_measured)
        self._calibration.failed.connect(self._on_calibration_failed)

    def show_settings(self, table: str) -> None:
        """Turn to all settings, and there to one table."""
        self.views.button(1).click()
        self.settings.tabs.setCurrentIndex(list(self.settings.forms).index(table))

    @Slot(object)
    def _on_presets_preset_requested(self, preset: Preset) -> None:
        draft = self._plan.draft
        self._plan.take(draft.with_preset(preset.model, preset.training))

    @Slot(object)
    def _on_plan_draft_changed(self, draft: Draft) -> None:
        self.presets.mark(preset_of(draft))
        self.presets.setEnabled(draft.origin is None)  # weights bring their own shape
        self.settings.show_draft(draft)
        self.model.show_model(draft.model)
        self.machine.show_memory(draft.model, draft.training)
        self.schedule.show_training(draft.training)
        self._show_speed()

    # The speed.

    def _show_speed(self) -> None:
        """Show the speed of this very model, or ask for it in a moment."""
        draft = self._plan.draft
        speed = self._speeds.get(question_of(draft))
        tokens = self._plan.look.tokens
        pairs = tokens.pairs if tokens else None
        per_pair = pairs.tokens_per_pair if pairs else 0.0
        self.machine.show_speed((draft.model, draft.training), speed, per_pair)
        if speed is None and self.isVisible():
            self._pause.start()
        else:
            self._pause.stop()

    @Slot()
    def _measure(self) -> None:
        self._pause.stop()
        self._calibration.measure(question_of(self._plan.draft))
        self.machine.show_measuring(is_measuring=True)

    @Slot(object, object)
    def _on_calibration_measured(self, asked: RunConfig, speed: Speed) -> None:
        self._speeds[asked] = speed
        self.machine.show_measuring(is_measuring=False)
        self._show_speed()

    @Slot(object, str)
    def _on_calibration_failed(self, asked: RunConfig, sentence: str) -> None:
        self.machine.show_measuring(is_measuring=False)
        self.machine.show_fault(sentence)

    # Qt's calls.

    def showEvent(self, event: QShowEvent) -> None:
        """Now the speed is of interest."""
        super().showEvent(event)
        self._show_speed()

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave the processor to others."""
        super().hideEvent(event)
        self._pause.stop()
        self._calibration.stop()
        self.machine.show_measuring(is_measuring=False)


def preset_of(draft: Draft) -> Preset | None:
    """The preset that a draft is; None if a person changed it."""
    for preset in PRESETS:
        if draft.with_preset(preset.model, preset.training) == draft:
            return preset
    return None


def question_of(draft: Draft) -> RunConfig:
    """A draft without what does not change its speed."""
    kept = ("batch_size", "n_parts", "device", "n_threads", "compile", "shard")
    training = TrainingConfig(**{name: getattr(draft.training, name) for name in kept})
    config = draft.config
    # Characters may have any number; what is learned has no part in the speed.
    tokenizer = replace(config.tokenizer, file="", kind=CHARACTERS)
    data = replace(config.data, pairs=config.model.has_encoder)
    return replace(
        config, training=training, watch=WatchConfig(), tokenizer=tokenizer, data=data
    )
