"""Any step as one enlarged matrix, for steps that have no panel of their own."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout

from app.panels.base import Panel
from app.scene import Scene
from app.session import Session
from app.style.sheet import CARD_PADDING
from app.widgets.heatmap import Heatmap
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.selection import has_numbers
from core.trace.views.places import place_text
from core.trace.views.step_matrix import StepMatrix, shown_part, step_matrix

NO_NUMBERS = "This step makes text; its pieces stand above. Press Next for the numbers."


class MatrixPanel(Panel):
    """One head's matrix of the present step."""

    def __init__(self, session: Session) -> None:
        """An empty card."""
        super().__init__(session)
        self._scene: Scene | None = None
        self._shown: StepMatrix | None = None
        self._map = Heatmap()
        self._map.cell_clicked.connect(self._on_map_cell_clicked)
        self._map.set_hover_text(self._hover_text)
        card = QFrame()
        card.setProperty("card", True)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(*[CARD_PADDING] * 4)
        inside.addWidget(self._map)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        outside.addWidget(card)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The matrix of the chosen head."""
        step = scene.trace.step(scene.selection.step)
        return (shown_part(scene.trace, scene.selection),) if step.axes else ()

    def display(self, scene: Scene) -> None:
        """Draw the present step."""
        self._scene = scene
        step = scene.trace.step(scene.selection.step)
        if not (step.axes and has_numbers(step)):
            self._shown = None
            self._map.set_message(NO_NUMBERS)
            self._map.show_matrix(None)
            return
        shown = step_matrix(scene.trace, scene.selection, scene.tokenizer.label)
        self._shown = shown
        self._map.show_matrix(shown.matrix)
        self._map.set_selected(*shown.selected)
        column = shown.selected[1] if step.axes[-1] == "n_key" else None
        self._map.set_highlight(shown.selected[0], column)

    @Slot(int, int)
    def _on_map_cell_clicked(self, row: int, column: int) -> None:
        if self._scene is not None and self._shown is not None:
            self.point_at(self._scene, self._shown.cell(row, column))

    def _hover_text(self, row: int, column: int) -> str:
        if self._scene is None or self._shown is None:
            return ""
        cell = self._shown.cell(row, column)
        label_of = self._scene.tokenizer.label
        value = float(self._shown.matrix.values[row, column])
        return f"{place_text(self._scene.trace, cell, label_of)}\n{short(value, 4)}"
