"""The stages of a score as a row of segments, the present one lit."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from core.trace.trace import Trace
from core.trace.views.attention_map import STAGE_WORDS, STAGES, stages_of

WEIGHTED = "weighted"
"""The name of what comes after the pattern: shares times lengths."""


class StageSwitch(QWidget):
    """Scores, scaled, masked, pattern, and what a page has beside them."""

    stage_clicked = Signal(str)
    """The reader chose this stage."""

    def __init__(self, stages: tuple[str, ...] = STAGES) -> None:
        """No stage is lit yet."""
        super().__init__()
        self._stages = stages
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        for place, stage in enumerate(stages):
            button = QPushButton(STAGE_WORDS.get(stage, stage))
            button.setCheckable(True)
            button.setProperty("kind", "segment")
            button.setObjectName(f"stage.{stage}")
            self._group.addButton(button, place)
            row.addWidget(button)
        self._group.idClicked.connect(self._on_clicked)

    def show_stage(self, trace: Trace, attn: str, stage: str) -> None:
        """Light a stage, among those that an attention has."""
        there = stages_of(trace, attn)
        for place, name in enumerate(self._stages):
            is_there = name in there or name not in STAGES
            self._group.button(place).setVisible(is_there)
        self._group.button(self._stages.index(stage)).setChecked(True)

    @Slot(int)
    def _on_clicked(self, place: int) -> None:
        self.stage_clicked.emit(self._stages[place])
