"""Scores to pattern: one head enlarged, all heads beside it, the stage switched above.

Steps: attn.scores to attn.pattern. The same map and the same
grid stay while the stages pass through them, and so does the part that is zoomed into.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.help_note import FIRST_COLUMN, HelpNote, help_for_shares
from app.panels.attention.page import (
    CARD_GAP,
    Page,
    Part,
    attn_of,
    layer_of,
    stage_of,
)
from app.panels.attention.stage_switch import WEIGHTED, StageSwitch
from app.panels.attention.status import StatusLine
from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.card import GAP, Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.head_grid import HeadGrid
from app.widgets.heatmap import Heatmap
from app.widgets.zoom_map import ZoomMap
from core.analysis.heads import HeadScores
from core.trace.matrix import FloatArray
from core.trace.numbers import short
from core.trace.sheet import Sheet
from core.trace.viewing import BY_LAYER, Head, Viewing
from core.trace.views.attention_buckets import buckets_of
from core.trace.views.attention_effect import weighted_view
from core.trace.views.attention_grid import GridView, grid_view, heads_of_layer
from core.trace.views.attention_map import (
    STAGES,
    MapView,
    map_parts,
    map_view,
    row_in_heads,
    row_parts,
)
from core.trace.views.attention_sheets import map_sheets, weighted_sheet
from core.trace.views.overview import small_maps

ENLARGED, ALL_HEADS = 3, 2
"""How the two columns share the width."""
GRID, ROW = 2, 1
"""How the cards of the second column share the height."""
FEW_HEADS = 4
"""Up to so many heads the grid leaves room for their rows below it."""


class MapPage(Page):
    """Query rows by key columns, at the stage of the present step."""

    def __init__(self) -> None:
        """Empty maps."""
        super().__init__()
        self._view: MapView | None = None
        self._heads: GridView | None = None
        self._map, self._grid = ZoomMap(), HeadGrid()
        self._map.setObjectName("attention.map")
        self._bar, self._status = ColourBar(), StatusLine()
        self._unit = plain_label(ink="muted")
        self._unit.setFont(sans(SMALL))
        self._row = Heatmap(may_be_square=False)
        self._enlarged, self._all, self._rows = Card(), Card(), Card()
        self._stages = StageSwitch((*STAGES, WEIGHTED))
        self._help = HelpNote(FIRST_COLUMN)
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
        legend.addWidget(self._help)
        legend.addStretch(1)
        legend.addWidget(self._bar)
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
        self._map.part_changed.connect(self._tell_part)
        self._map.set_hover_text(self._map_tip)
        self._row.cell_clicked.connect(self._on_row_clicked)
        self._row.set_hover_text(self._row_tip)
        self._grid.head_clicked.connect(self._on_head_clicked)
        self._grid.cell_hovered.connect(self._on_spot_hovered)
        self._grid.set_hover_text(self._grid_tip)
        self._stages.stage_clicked.connect(self._on_stage_clicked)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The chosen head alone: small maps of the others come when they are made."""
        at = scene.selection
        whole = map_parts(scene.trace, at.step, at.head)
        return (*whole, *row_parts(at.step, at.query))

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The enlarged map in its shape, and all heads of the layer."""
        at = scene.selection
        if is_weighted(scene):
            view = weighted_view(scene.trace, at.step, at.head, scene.viewing)
            return (weighted_sheet(view, scene.viewing),)
        return map_sheets(scene.trace, at.step, at.head, at.query, scene.viewing)

    def subject(self, scene: Scene) -> Hashable:
        """A step in the shape and the colours of the viewing, and what is known."""
        known = self._known(scene)
        answers = (id(known[1]), len(known[0]))
        return scene.selection.step, bare(scene.viewing), answers

    def _known(
        self, scene: Scene
    ) -> tuple[Mapping[Head, FloatArray], HeadScores | None]:
        """The small maps of the layer, as far as they are made, and the scores."""
        viewing, stage = scene.viewing, stage_of(scene)
        heads = heads_of_layer(scene.trace, layer_of(scene))
        if self.studies is None:
            return small_maps(scene.trace, stage, viewing, heads), None
        return (
            self.studies.want_maps(scene.trace, stage, viewing, heads),
            self.studies.want_scores(viewing.kind),
        )

    def fill(self, scene: Scene) -> None:
        """Show the stage in both cards."""
        at, known = scene.selection, self._known(scene)
        self._heads = heads = grid_view(scene.trace, at.step, scene.viewing, *known)
        self._view = None
        attn, stage = attn_of(scene), WEIGHTED if is_weighted(scene) else heads.stage
        self._stages.show_stage(scene.trace, attn, stage)
        self._show_help(scene)
        self._all.set_title(f"All heads of {heads.layer_words}")
        self._grid.show_heads(
            heads.stack, heads.scale, "pattern", heads.captions, heads.dimmed
        )
        self._all.set_note(heads.grid.text)
        self._rows.setVisible(len(heads.stack) <= FEW_HEADS)

    def _show_help(self, scene: Scene) -> None:
        """What readers wonder about shares, or about shifts."""
        attn, stage = attn_of(scene), stage_of(scene)
        notes = {"pattern": help_for_shares(scene.trace, attn)}
        if stage == "bias":
            notes[stage] = buckets_of(scene.trace, scene.selection.step).about
        self._help.setVisible(stage in notes)
        self._help.set_note(notes.get(stage, ""))

    def mark(self, scene: Scene) -> None:
        """Enlarge the chosen head and outline the chosen cell."""
        at, trace = scene.selection, scene.trace
        if self._view is None or self._view.head != at.head:
            view_of = weighted_view if is_weighted(scene) else map_view
            self._enlarge(view_of(trace, at.step, at.head, scene.viewing))
        assert self._view is not None
        shaping = self._view.shaping
        row, column = shaping.row_of(at.query), shaping.column_of(at.key)
        self._map.set_selected(row, column)
        self._map.set_highlight(row, column)
        self._grid.set_selected(at.head)
        if self._rows.isVisibleTo(self):
            self._row.show_matrix(row_in_heads(trace, at.step, at.query, scene.viewing))
            label = trace.rows_of(at.step).label(at.query)
            self._rows.set_title(f"{label} in every head")
            self._row.set_selected(at.head, column)
            self._row.set_highlight(at.head, column)

    def _enlarge(self, view: MapView) -> None:
        self._view = view
        self._enlarged.set_title(f"Head {view.head + 1}")
        self._map.show_matrix(view.matrix)
        self._bar.show_scale(view.matrix.scale, view.matrix.colour)
        self._unit.setText(view.unit)
        self._tell_part()

    @Slot()
    def _tell_part(self) -> None:
        """Below the map: which part of it is seen, and how to read it."""
        if self._view is not None:
            told = (self._map.part_text, self._view.note)
            self._status.set_note(" · ".join(text for text in told if text))

    # What the reader does.

    def _map_tip(self, row: int, column: int) -> str:
        return "" if self._view is None else self._view.tip(row, column)

    def _row_tip(self, head: int, column: int) -> str:
        view, matrix = self._view, self._row.matrix
        if view is None or matrix is None:
            return ""
        row = view.shaping.row_of(self.selection.query)
        if row is None:
            return ""
        where = replace(view, head=head).where(row, column)
        return f"{where}\n{view.unit} = {short(float(matrix.values[head, column]), 4)}"

    def _grid_tip(self, head: int, row: int, column: int) -> str:
        return "" if self._heads is None else self._heads.tip(head, row, column)

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            query, key = self._view.shaping.tokens_at(row, column)
            self.ask(query=query, key=key)

    @Slot(int, int)
    def _on_cell_hovered(self, row: int, column: int) -> None:
        view = self._view
        is_inside = view is not None and row >= 0
        self._status.say(view.status(row, column) if view and is_inside else "")
        self.pointed.emit(
            view.shaping.tokens_at(row, column) if view and is_inside else None
        )

    @Slot(int, int, int)
    def _on_spot_hovered(self, head: int, row: int, column: int) -> None:
        heads = self._heads
        if heads is None or row < 0:
            self._status.say("")
            self.pointed.emit(None)
            return
        self._status.say(heads.status(head, row, column))
        self.pointed.emit(heads.tokens_at(row, column))

    @Slot(int)
    def _on_head_clicked(self, head: int) -> None:
        self.ask(head=head)

    @Slot(int, int)
    def _on_row_clicked(self, head: int, column: int) -> None:
        if self._view is not None:
            self.ask(head=head, key=self._view.shaping.column_tokens[column][-1])

    @Slot(str)
    def _on_stage_clicked(self, stage: str) -> None:
        """Go to the step; weighted shares are a way to look at the pattern."""
        attn = self.selection.step.rpartition(".")[0]
        self.look(is_weighted=stage == WEIGHTED)
        self.ask(step=f"{attn}.{'pattern' if stage == WEIGHTED else stage}")


def is_weighted(scene: Scene) -> bool:
    """Whether the map shows shares times the lengths of what they move."""
    return scene.viewing.is_weighted and scene.selection.step.endswith(".pattern")


def bare(viewing: Viewing) -> Viewing:
    """What the maps depend on alone, to tell whether they have to be drawn again."""
    return replace(
        viewing,
        picture="map",
        gathered=(),
        pinned=None,
        order=BY_LAYER,
        looks_back=False,
    )
