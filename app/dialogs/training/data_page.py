"""First page of the studio: the text, what the doctor thinks of it, the tokenizer.

In: the plan. Out: wishes to it. Nothing is read here: the plan's thread does that.
"""

from dataclasses import replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.dialogs.training.doctor_card import DoctorCard, FactsCard
from app.dialogs.training.lesson import Lesson
from app.dialogs.training.plan import Plan
from app.dialogs.training.sources_card import SourcesCard
from app.dialogs.training.tokenizer_card import TokenizerCard
from core.training.sources import Source

GAP = 12
LEFT, RIGHT = 6, 7
"""Shares of the width."""
UPPER, LOWER = 5, 6
"""Shares of the height at the left."""


class DataPage(QWidget):
    """Sources and tokenizer at the left, facts and findings at the right."""

    def __init__(self, plan: Plan) -> None:
        """Show the plan's texts."""
        super().__init__()
        self._plan = plan
        self.sources, self.tokenizer = SourcesCard(), TokenizerCard()
        self.facts, self.doctor = FactsCard(), DoctorCard()
        self.lesson = Lesson(plan)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(self.sources, UPPER)
        left.addWidget(self.tokenizer, LOWER)
        right.addWidget(self.facts)
        right.addWidget(self.doctor, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addLayout(left, LEFT)
        row.addLayout(right, RIGHT)
        for layout in (left, right, row):
            layout.setSpacing(GAP)
        self._connect()
        self._on_plan_changed(None)

    def _connect(self) -> None:
        plan = self._plan
        self.sources.sources_requested.connect(plan.add_sources)
        self.sources.removal_requested.connect(plan.remove_source)
        self.sources.reading_requested.connect(self._on_sources_reading_requested)
        self.tokenizer.tokenizer_requested.connect(plan.set_tokenizer)
        self.tokenizer.learning_requested.connect(self.lesson.begin)
        self.tokenizer.stop_requested.connect(self.lesson.stop)
        self.facts.split_requested.connect(plan.set_split)
        self.doctor.mend_requested.connect(plan.mend)
        plan.draft_changed.connect(self._on_plan_changed)
        plan.look_changed.connect(self._on_plan_changed)
        self.lesson.began.connect(self.tokenizer.begin)
        self.lesson.ended.connect(self._on_lesson_ended)
        self.lesson.merged.connect(self.tokenizer.add_merges)

    @Slot(object)
    def _on_plan_changed(self, _: object) -> None:
        draft, look = self._plan.draft, self._plan.look
        self.sources.show_sources(draft.sources, look.facts)
        self.tokenizer.show_tokenizer(
            draft.tokenizer, is_learned=self.lesson.made(draft.tokenizer)
        )
        self.tokenizer.learn.setEnabled(bool(look.tokens) or self.lesson.is_running)
        self.facts.show_look(look, draft.split)
        self.doctor.show_look(look, is_looking=self._plan.is_looking)

    @Slot(object)
    def _on_sources_reading_requested(self, change: tuple[Source, Source]) -> None:
        before, after = change
        draft = self._plan.draft
        sources = tuple(after if each == before else each for each in draft.sources)
        self._plan.take(replace(draft, sources=sources))

    @Slot()
    def _on_lesson_ended(self) -> None:
        self.tokenizer.end()
        self._on_plan_changed(None)
