"""Check against the reference: the sentence through the model and `transformers`.

In: the session's model and tokens. Out: the badge of the model. A thread and a process
work; closing the window stops them.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.failures import ErrorReport
from app.session import Session
from app.widgets.card import Card, plain_label, set_ink
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.qt_calls import tells_faults
from app.workers.checking import Checked, CheckingWorker, CheckRequest
from app.workers.runner import Runner

if TYPE_CHECKING:
    from core.analysis.comparison import ComparedStep, Comparison

TITLE = "Check against the reference"
SIZE, LEAST_SIZE = (560, 520), (400, 300)
MARGIN, GAP = 18, 12
CARD = "Largest difference by step"
HEADS = ("difference", "limit")
NO_DIFFERENCE = "0"
WAITING = "Walking the sentence through transformers, too; its loading takes seconds."
NO_SENTENCE = "There is no sentence to check with: type something first."
ANOTHER = "Another model is open now. Check again to compare it."
RECORDED = "This is a trace file; there is no model to check."
FIRST = "the first step that disagrees"
LEGEND = "A bar is the share of the limit that rounding may reach."
WRONG = "error"
"""The colour of what disagrees."""


@tells_faults
class CheckDialog(QDialog):
    """A sentence, a table of steps, two buttons."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        """Nothing is compared before it is shown."""
        super().__init__(parent)
        self.setObjectName("model.check")
        self.setWindowTitle(TITLE)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(*LEAST_SIZE)
        self.resize(*SIZE)
        self._session = session
        self._asked: CheckRequest | None = None
        self.message, self.note = plain_label(""), plain_label("", "muted")
        self.card, self.table = Card(CARD), NumberTable(CARD)
        self.again, self.close_button = QPushButton("Check again"), QPushButton("Close")
        self._runner = Runner(CheckingWorker(), (CheckRequest,), "checking")
        self._arrange()
        self.again.clicked.connect(self.check)
        self.close_button.clicked.connect(self.close)
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        self._runner.progressed.connect(self._on_runner_progressed)
        self.finished.connect(self._on_finished)
        session.model_changed.connect(self._on_session_model_changed)
        self._runner.start()

    def _arrange(self) -> None:
        for label in (self.message, self.note):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.again.setObjectName("check.again")
        self.close_button.setObjectName("check.close")
        self.close_button.setDefault(True)
        foot = QHBoxLayout()
        foot.setSpacing(GAP)
        foot.addStretch(1)
        foot.addWidget(self.again)
        foot.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[MARGIN] * 4)
        column.setSpacing(GAP)
        column.addWidget(self.message)
        self.card.body.addWidget(self.table)
        self.card.set_note(LEGEND)
        column.addWidget(self.card, 1)
        column.addWidget(self.note)
        column.addLayout(foot)
        column.setAlignment(self.message, Qt.AlignmentFlag.AlignTop)

    @Slot()
    def check(self) -> None:
        """Compare the present sentence."""
        bundle, encoding = self._session.bundle, self._session.encoding
        self._show_rows(())
        self.note.hide()
        if bundle is None or not self._session.is_current:
            recorded = self._session.is_recorded
            self._say(RECORDED if recorded else NO_SENTENCE, "muted")
            return
        self._asked = CheckRequest(bundle, encoding, self._session.target)
        self.again.setEnabled(False)
        self._say(WAITING, "muted")
        self._runner.request(self._asked)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin at once."""
        super().showEvent(event)
        if self._asked is None:
            self.close_button.setFocus()
            self.check()

    def _show_rows(self, rows: tuple[TableRow, ...]) -> None:
        """Show steps, the first that disagrees marked; without any, no table."""
        self.table.show_rows(rows, HEADS)
        wrong = (place for place, row in enumerate(rows) if row.ink == WRONG)
        self.table.set_selected(next(wrong, None))
        self.card.setVisible(bool(rows))

    def _say(self, sentence: str, ink: str) -> None:
        self.message.setText(sentence)
        set_ink(self.message, ink)

    @Slot(object)
    def _on_session_model_changed(self, _: object) -> None:
        """What was found, or is being looked for, is of a model that has gone."""
        if self._asked is None:
            return
        self._asked.withdrawn.set()
        self._show_rows(())
        self.note.hide()
        self._say(ANOTHER, "muted")
        self.again.setEnabled(True)

    @Slot(object, object)
    def _on_runner_progressed(self, request: CheckRequest, what: str) -> None:
        if request.withdrawn.is_set():
            return
        self.note.setText(what)
        self.note.show()

    @Slot(object, object)
    def _on_runner_answered(self, request: CheckRequest, checked: Checked) -> None:
        if request.withdrawn.is_set():
            return  # of a model that has gone
        self.again.setEnabled(True)
        found = checked.reference
        if found is None:
            self._say(checked.reason, "muted")
        else:
            self._say(found.sentence, "checked" if found.first is None else "error")
            self._session.note_badge(request.bundle, found.badge)
        self._show_rows(rows_of(checked))
        self.note.setText(found.note if found else "")
        self.note.setVisible(bool(self.note.text()))

    @Slot(object, object)
    def _on_runner_failed(self, request: CheckRequest, report: ErrorReport) -> None:
        if request.withdrawn.is_set():
            return
        self.again.setEnabled(True)
        self.note.hide()
        self._say(report.sentence, "error")

    @Slot(int)
    def _on_finished(self, _: int) -> None:
        if self._asked is not None:
            self._asked.withdrawn.set()
        self._runner.stop()


def rows_of(checked: Checked) -> tuple[TableRow, ...]:
    """Steps with their differences; bars are shares of what rounding explains."""
    found, rows = checked.reference, []
    if found is not None:
        rows = [_row(row.label, row, row is found.first) for row in found.rows]
    if checked.cpu is not None:
        worst = worst_of(checked.cpu)
        rows.append(_row("GPU to CPU", worst, checked.cpu.first is not None))
    return tuple(rows)


def worst_of(found: "Comparison") -> "ComparedStep":
    """The first step that disagrees, or the one with the largest share of its limit."""
    return found.first or max(found.rows, key=lambda row: row.difference / row.limit)


def _row(label: str, step: "ComparedStep", is_first: bool) -> TableRow:
    """One line of the table; the first step that disagrees stands out."""
    return TableRow(
        label,
        (written(step.difference), written(step.limit)),
        min(1.0, step.difference / step.limit),
        "checked" if step.agrees else WRONG,
        f"{step.step}: {FIRST}" if is_first else step.step,
        "text" if step.agrees else WRONG,
    )


def written(x: float) -> str:
    """A difference with two figures and its power of ten; none is a plain 0."""
    return f"{x:.1e}" if x else NO_DIFFERENCE
