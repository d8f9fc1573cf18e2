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
from app.widgets.card import plain_label, set_ink
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.qt_calls import tells_faults
from app.workers.checking import Checked, CheckingWorker, CheckRequest
from app.workers.runner import Request, Runner

if TYPE_CHECKING:
    from core.analysis.reference import ComparedStep, Comparison

TITLE = "Check against the reference"
SIZE, LEAST_SIZE = (560, 520), (400, 300)
MARGIN, GAP = 18, 12
HEADS = ("difference", "rounding")
WAITING = "Walking the sentence through transformers, too; its loading takes seconds."
NO_SENTENCE = "There is no sentence to check with: type something first."
RECORDED = "This is a trace file; there is no model to check."
FIRST = "the first step that disagrees"


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
        self.table = NumberTable("Differences by step")
        self.again, self.close_button = QPushButton("Check again"), QPushButton("Close")
        self._runner = Runner(CheckingWorker(), (CheckRequest,), "checking")
        self._arrange()
        self.again.clicked.connect(self.check)
        self.close_button.clicked.connect(self.close)
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        self._runner.progressed.connect(self._on_runner_progressed)
        self.finished.connect(self._on_finished)
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
        column.addWidget(self.table, 1)
        column.addWidget(self.note)
        column.addStretch(0)
        column.addLayout(foot)

    @Slot()
    def check(self) -> None:
        """Compare the present sentence."""
        bundle, encoding = self._session.bundle, self._session.encoding
        self.table.show_rows((), HEADS)
        self.table.set_selected(None)
        self.note.hide()
        if bundle is None or not self._session.is_current:
            recorded = self._session.is_recorded
            self._say(RECORDED if recorded else NO_SENTENCE, "muted")
            return
        self._asked = CheckRequest(bundle, encoding)
        self.again.setEnabled(False)
        self._say(WAITING, "muted")
        self._runner.request(self._asked)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin at once."""
        super().showEvent(event)
        if self._asked is None:
            self.check()

    def _say(self, sentence: str, ink: str) -> None:
        self.message.setText(sentence)
        set_ink(self.message, ink)

    @Slot(object, object)
    def _on_runner_progressed(self, _: Request, what: str) -> None:
        self.note.setText(what)
        self.note.show()

    @Slot(object, object)
    def _on_runner_answered(self, request: CheckRequest, checked: Checked) -> None:
        self.again.setEnabled(True)
        found = checked.reference
        if found is None:
            self._say(checked.reason, "muted")
        else:
            self._say(found.sentence, "checked" if found.first is None else "error")
            self._session.note_badge(request.bundle, found.badge)
        self.table.show_rows(rows_of(checked), HEADS)
        rows = found.rows if found else ()
        wrong = (place for place, row in enumerate(rows) if not row.agrees)
        self.table.set_selected(next(wrong, None))
        self.note.setText(found.note if found else "")
        self.note.setVisible(bool(self.note.text()))

    @Slot(object, object)
    def _on_runner_failed(self, _: Request, report: ErrorReport) -> None:
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
        rows = [
            _row(step_label(row.step), row, row is found.first) for row in found.rows
        ]
    if checked.cpu is not None:
        worst = worst_of(checked.cpu)
        rows.append(_row("GPU to CPU", worst, checked.cpu.first is not None))
    return tuple(rows)


def worst_of(found: "Comparison") -> "ComparedStep":
    """The first step that disagrees, or the one with the largest share of its limit."""
    return found.first or max(found.rows, key=lambda row: row.difference / row.limit)


def step_label(key: str) -> str:
    """A step in a word or two: "layer 1 pattern", "layer 1 stream", "logits"."""
    parts = key.split(".")
    if parts[0] != "layers":
        return {"embed": "embeddings"}.get(parts[0], parts[-1])
    what = "pattern" if parts[-1] == "pattern" else "stream"
    return f"layer {int(parts[1]) + 1} {what}"


def _row(label: str, step: "ComparedStep", is_first: bool) -> TableRow:
    """One line of the table; the first step that disagrees stands out."""
    ink = "error" if not step.agrees else "text"
    return TableRow(
        label,
        (f"{step.difference:.1e}", f"{step.limit:.1e}"),
        min(1.0, step.difference / step.limit),
        "checked" if step.agrees else "error",
        f"{step.step}: {FIRST}" if is_first else step.step,
        ink,
    )
