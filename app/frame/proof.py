"""The end of an answer: recomputed, recorded, difference, digit below digit.

Place: in the inspector, under the operands. In: the proof of an `InspectorView`. The
difference is green where the two numbers agree up to rounding, and red where not.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.frame.parts import plain_label, set_ink
from app.style.fonts import SMALL, mono, sans
from core.trace.views.inspector import InspectorView

N_LINES = 3
LINE_GAP, COLUMN_GAP = 2, 10


class ProofTable(QWidget):
    """Three labels and three numbers."""

    def __init__(self) -> None:
        """Nothing proven yet."""
        super().__init__()
        self.setObjectName("inspector.proof")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setVerticalSpacing(LINE_GAP)
        grid.setHorizontalSpacing(COLUMN_GAP)
        grid.setColumnStretch(1, 1)
        self._labels = [plain_label("", sans(SMALL), "muted") for _ in range(N_LINES)]
        self._numbers = [plain_label("", mono(SMALL)) for _ in range(N_LINES)]
        pairs = zip(self._labels, self._numbers, strict=True)
        for row, (label, number) in enumerate(pairs):
            grid.addWidget(label, row, 0)
            grid.addWidget(number, row, 1, Qt.AlignmentFlag.AlignRight)

    def show_proof(self, view: InspectorView | None) -> None:
        """Show the proof of a number; hidden where nothing was computed."""
        self.setVisible(bool(view and view.proof))
        if view is None or not view.proof:
            return
        pairs = zip(self._labels, self._numbers, strict=True)
        for (label, number), line in zip(pairs, view.proof, strict=True):
            label.setText(line.label)
            number.setText(line.text)
        ink = "checked" if view.is_proven else "error"
        set_ink(self._labels[-1], ink)
        set_ink(self._numbers[-1], ink)

    @property
    def text(self) -> str:
        """The lines as text."""
        pairs = zip(self._labels, self._numbers, strict=True)
        return "\n".join(f"{label.text()} {number.text()}" for label, number in pairs)
