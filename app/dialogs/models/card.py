"""About this model: what it is, its parameters by part, its files, what was inferred.

In: the open model's `ModelCard`; the figures come from a thread. Out: nothing.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFormLayout,
    QFrame,
    QHeaderView,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.models.words import facts_about, kinds_text, notes_about
from app.dialogs.training.estimate_card import ROLES
from app.dialogs.training.wording import size_text
from app.failures import ErrorReport
from app.model_card import ModelCard
from app.style.fonts import LARGE, TITLE, mono, sans
from app.style.theme import theme
from app.widgets.card import Card, plain_label, set_ink
from app.widgets.label import as_tip
from app.widgets.qt_calls import tells_faults
from app.widgets.share_bar import Part, ShareBar
from app.workers.models import ANSWERS, FactsRequest, ModelsWorker
from app.workers.runner import Request, Runner

if TYPE_CHECKING:
    from core.checkpoints.card import ModelFacts

TITLE_TEXT = "About this model"
SIZE, LEAST_SIZE = (620, 720), (420, 360)
MARGIN, GAP, LINE_GAP = 18, 12, 6
ROW_HEIGHT, TENSORS_HEIGHT = 26, 260
HEADS = ("Tensor", "Shape", "Numbers")
PALER = {"encoder": 0.45, "cross": 0.25}
"""How pale parts are, by the first word of their names; others are not."""
SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse


@tells_faults
class ModelCardDialog(QDialog):
    """Cards below one another."""

    def __init__(self, card: ModelCard, parent: QWidget | None = None) -> None:
        """Say what is known, and ask for the rest."""
        super().__init__(parent)
        self.setObjectName("model.card")
        self.setWindowTitle(TITLE_TEXT)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)  # each model has its own
        self.setMinimumSize(*LEAST_SIZE)
        self.resize(*SIZE)
        self._card = card
        self.about, self.parts = Card("What it is"), Card("Parameters")
        self.files, self.tensors = Card("Files"), Card("Tensors as stored")
        self.total, self.bar = plain_label(""), ShareBar("Parameters by part")
        self.table = QTableWidget(0, len(HEADS))
        self._form = QFormLayout()
        self._runner = Runner(ModelsWorker(), tuple(ANSWERS), "card")
        self._arrange()
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        self.finished.connect(self._on_finished)
        if card.folder is not None and not card.is_recorded:
            self._runner.request(FactsRequest(card.folder, card.config))
        self._runner.start()

    def _arrange(self) -> None:
        name = plain_label(self._card.name)
        name.setFont(sans(TITLE))
        name.setWordWrap(True)
        self._form.setHorizontalSpacing(2 * GAP)
        self._form.setVerticalSpacing(LINE_GAP)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for title, value in facts_about(self._card):
            self._add_fact(title, value)
        self.about.body.addLayout(self._form)
        self.total.setFont(mono(LARGE))
        self.total.setText(f"{self._card.n_parameters:,}")
        self.parts.head.addWidget(self.total)
        self.parts.body.addWidget(self.bar)
        self._prepare_table()
        self.tensors.body.addWidget(self.table)
        self.notes = Card("Notes")
        for text, ink in notes_about(self._card):
            line = plain_label(text, ink)
            line.setWordWrap(True)
            line.setTextInteractionFlags(SELECTABLE)
            self.notes.body.addWidget(line)
        self.notes.setVisible(bool(notes_about(self._card)))
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(*[MARGIN] * 4)
        column.setSpacing(GAP)
        column.addWidget(name)
        for part in (self.about, self.parts, self.files, self.notes, self.tensors):
            column.addWidget(part)
        column.addStretch(1)
        for part in (self.parts, self.files, self.tensors):
            part.hide()  # until their figures are there
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)

    def _prepare_table(self) -> None:
        table = self.table
        table.setAccessibleName("Tensors of the files")
        table.setHorizontalHeaderLabels(HEADS)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setMinimumHeight(TENSORS_HEIGHT)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def _add_fact(self, title: str, value: str) -> None:
        line = plain_label(value)
        line.setWordWrap(True)
        line.setTextInteractionFlags(SELECTABLE)
        self._form.addRow(plain_label(title, "muted"), line)

    @Slot(object, object)
    def _on_runner_answered(self, _: Request, facts: "ModelFacts") -> None:
        self._form.insertRow(
            0, plain_label("Family", "muted"), plain_label(facts.family)
        )
        self._add_fact("In the files", kinds_text(facts.kinds))
        self.bar.show_parts(tuple(shown_part(name, n) for name, n in facts.parts))
        self.total.setText(f"{facts.n_parameters:,}")
        self.parts.set_note(facts.check)
        for name, n_bytes in facts.files:
            self.files.body.addWidget(plain_label(f"{name} · {size_text(n_bytes)}"))
        self._fill_table(facts)
        for part in (self.parts, self.files, self.tensors):
            part.show()

    def _fill_table(self, facts: "ModelFacts") -> None:
        self.table.setRowCount(len(facts.tensors))
        for row, tensor in enumerate(facts.tensors):
            shape = " × ".join(f"{n:,}" for n in tensor.shape)
            for column, text in enumerate((tensor.name, shape, tensor.kind)):
                item = QTableWidgetItem(text)
                item.setFont(mono())
                item.setToolTip(as_tip(text))
                item.setForeground(theme().ink("text" if column == 0 else "muted"))
                self.table.setItem(row, column, item)

    @Slot(object, object)
    def _on_runner_failed(self, _: Request, report: ErrorReport) -> None:
        line = plain_label(report.sentence)
        line.setWordWrap(True)
        set_ink(line, "error")
        self.notes.body.insertWidget(0, line)
        self.notes.show()

    @Slot(int)
    def _on_finished(self, _: int) -> None:
        self._runner.stop()


def shown_part(name: str, n: int) -> Part:
    """A part of the model in the bar; an encoder's is paler than a decoder's."""
    first, _, kind = name.rpartition(" ")
    role, pale = ROLES.get(kind, "accent"), PALER.get(first, 0.0)
    return Part(name, n, f"{n:,}", role, pale)
