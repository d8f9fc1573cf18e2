"""Scores to pattern: one head enlarged, all heads beside it, the stage switched above.

Steps: attn.scores, attn.scaled, attn.masked, attn.pattern. The same map and the same
grid stay while the stages pass through them.
"""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.help_note import SPARE_ATTENTION, HelpNote
from app.panels.attention.page import CARD_GAP, Page, Part
from app.panels.attention.stage_switch import StageSwitch
from app.panels.attention.status import StatusLine
from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.card import GAP, Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.head_grid import HeadGrid
from app.widgets.heatmap import Heatmap
from core.trace.views.attention import SquaresView, squares_parts, squares_view

ENLARGED, ALL_HEADS = 3, 2
"""How the two columns share the width."""
GRID, ROW = 2, 1
"""How the cards of the second column share the height."""
FEW_HEADS = 4
"""Up to so many heads the grid leaves room for their rows below it."""


class SquaresPage(Page):
    """Query rows by key columns, at the stage of the present step."""

    def __init__(self) -> None:
        """Empty maps."""
        super().__init__()
        self._view: SquaresView | None = None
        self._head: int | None = None
        self._map, self._grid = Heatmap(), HeadGrid()
        self._map.setObjectName("attention.map")
        self._bar, self._status = ColourBar(), StatusLine()
        self._unit = plain_label(ink="muted")
        self._unit.setFont(sans(SMALL))
        self._row = Heatmap(may_be_square=False)
        self._enlarged, self._all, self._rows = Card(), Card(), Card()
        self._stages, self._help = StageSwitch(), HelpNote(SPARE_ATTENTION)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._enlarged, ENLARGED)
        column = QVBoxLayout()
        column.setSpacing(CARD_GAP)
        column.addWidget(self._all, GRID)
        column.addWidget(self._rows, ROW)
        row.addLayout(column, ALL_HEADS)
        self._fill_cards()
        self._connect()

    def _fill_cards(self) -> None:
        legend = QHBoxLayout()
        legend.setSpacing(GAP)
        legend.addWidget(self._unit)
        legend.addStretch(1)
        legend.addWidget(self._bar)
        self._enlarged.head.addWidget(self._help)
        self._enlarged.head.addWidget(self._stages)
        self._enlarged.body.addWidget(self._map, 1)
        self._enlarged.body.addLayout(legend)
        self._enlarged.body.addWidget(self._status)
        self._all.head.addStrut(self._stages.sizeHint().height())
        self._all.body.addWidget(self._grid, 1)
        self._rows.body.addWidget(self._row, 1)

    def _connect(self) -> None:
        self._map.cell_clicked.connect(self._on_cell_clicked)
        self._map.cell_hovered.connect(self._on_cell_hovered)
        self._map.set_hover_text(self._map_tip)
        self._row.cell_clicked.connect(self._on_row_clicked)
        self._row.set_hover_text(self._row_tip)
        self._grid.head_clicked.connect(self._on_head_clicked)
        self._grid.cell_hovered.connect(self._on_spot_hovered)
        self._grid.set_hover_text(self._grid_tip)
        self._stages.stage_clicked.connect(self._on_stage_clicked)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """One stage of all heads."""
        return squares_parts(scene.selection.step)

    def fill(self, scene: Scene) -> None:
        """Show the stage in both cards."""
        self._view = view = squares_view(scene.trace, scene.selection.step)
        self._head = None
        self._stages.set_stage(view.stage)
        self._help.setVisible(view.stage == "pattern")  # it speaks of shares
        self._all.set_title(f"All heads of layer {view.layer + 1}")
        self._grid.show_heads(view.stack, view.scale, "pattern", view.captions)
        self._bar.show_scale(view.scale, "pattern")
        self._unit.setText(view.unit)
        self._status.set_note(view.note)

    def mark(self, scene: Scene) -> None:
        """Enlarge the chosen head and outline the chosen cell."""
        at, view = scene.selection, self._view
        assert view is not None
        self._enlarged.set_title(f"Head {at.head + 1}")
        if self._head != at.head:
            self._head = at.head
            self._map.show_matrix(view.matrix(at.head))
        self._rows.setVisible(len(view.stack) <= FEW_HEADS)
        self._rows.set_title(f"{view.rows.labels[at.query]} in every head")
        self._row.show_matrix(view.row(at.query))
        self._row.set_selected(at.head, at.key)
        self._row.set_highlight(at.head, at.key)
        self._map.set_selected(at.query, at.key)
        self._map.set_highlight(at.query, at.key)
        self._grid.set_selected(at.head)

    # What the reader does.

    def _map_tip(self, row: int, column: int) -> str:
        return self._grid_tip(self.selection.head, row, column)

    def _row_tip(self, head: int, column: int) -> str:
        return self._grid_tip(head, self.selection.query, column)

    def _grid_tip(self, head: int, row: int, column: int) -> str:
        return "" if self._view is None else self._view.tip(head, row, column)

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        self.ask(query=row, key=column)

    @Slot(int, int)
    def _on_cell_hovered(self, row: int, column: int) -> None:
        self._on_spot_hovered(self.selection.head, row, column)

    @Slot(int, int, int)
    def _on_spot_hovered(self, head: int, row: int, column: int) -> None:
        view = self._view
        self._status.say(view.status(head, row, column) if view and row >= 0 else "")

    @Slot(int)
    def _on_head_clicked(self, head: int) -> None:
        self.ask(head=head)

    @Slot(int, int)
    def _on_row_clicked(self, head: int, key: int) -> None:
        self.ask(head=head, key=key)

    @Slot(str)
    def _on_stage_clicked(self, stage: str) -> None:
        attn = self.selection.step.rpartition(".")[0]
        self.ask(step=f"{attn}.{stage}")
