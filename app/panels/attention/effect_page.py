"""Effect: what attention moves, beside how much attention there is.

Steps: attn.scores to attn.pattern, of the chosen head. A map of
shares times the lengths they move; for the chosen token a table of weight against
effect; what the head adds to its stream, and the logits that raises and lowers.
"""

from collections.abc import Hashable
from dataclasses import replace
from weakref import ref

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.effect_cards import OutputCard, TableCard
from app.panels.attention.page import CARD_GAP, Page, Part, attn_of
from app.panels.attention.status import StatusLine
from app.scene import Scene
from app.widgets.card import Card
from app.widgets.cell_text import range_text
from app.widgets.colour_bar import ColourBar
from app.widgets.lane import Lane
from app.widgets.lanes import Lanes
from app.widgets.segments import Segments
from app.widgets.zoom_map import ZoomMap
from core.analysis.attribution import check_adds
from core.trace.matrix import Axis, Cell, Scale
from core.trace.numbers import short
from core.trace.selection import feature_of
from core.trace.sheet import Sheet
from core.trace.viewing import Viewing
from core.trace.views.attention_effect import (
    EffectMap,
    chosen_token,
    effect_map,
    effect_parts,
    key_effects,
)
from core.trace.views.attention_output import (
    TOO_LARGE,
    HeadOutput,
    Pushes,
    head_output,
    head_pushes,
    output_cell,
)
from core.trace.views.axes import largest_size
from core.trace.views.effect_sheets import map_sheet, output_sheets, table_sheet
from core.trace.views.places import LabelOf

MAP_WIDTH, NUMBERS_WIDTH = 5, 6
MAP_HEIGHT, LENGTHS_HEIGHT = 7, 2
TABLE_HEIGHT, OUTPUT_HEIGHT = 10, 11
HEADS = ("this head", "all heads")
RANKING = "being ranked"
NO_NUMBERS = "none"
NUMBER_STEPS = ("pattern", "v", "logits")
"""What each column of the table is a number of, or is made of."""


class EffectPage(Page):
    """Value-weighted pattern, weight against effect, the head's output."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: EffectMap | None = None
        self._row: tuple[int, int] | None = None
        self._mapped: object = None
        self._tokens = Axis("token", ())
        self._label_of: LabelOf = str
        # A large vocabulary is ranked after the rest is seen.
        self._ranking = QTimer(self, singleShot=True, interval=0)
        self._ranking.timeout.connect(self._rank)
        self._map, self._bar, self._status = ZoomMap(), ColourBar(), StatusLine()
        self._map.setObjectName("effect.map")
        self._heads = Segments(HEADS, "effect.heads")
        self._lengths = Lanes("what the head adds to every token")
        self._lengths.setObjectName("effect.lengths")
        self._moved, self._added = Card("Weight × length"), Card()
        self._table, self._output = TableCard(), OutputCard()
        self._moved.head.addWidget(self._heads)
        self._moved.body.addWidget(self._map, 1)
        self._moved.body.addWidget(self._bar)
        self._moved.body.addWidget(self._status)
        self._added.body.addWidget(self._lengths, 1)
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        columns = (
            (MAP_WIDTH, (self._moved, MAP_HEIGHT), (self._added, LENGTHS_HEIGHT)),
            (NUMBERS_WIDTH, (self._table, TABLE_HEIGHT), (self._output, OUTPUT_HEIGHT)),
        )
        for width, *cards in columns:
            column = QVBoxLayout()
            column.setSpacing(CARD_GAP)
            for card, height in cards:
                column.addWidget(card, height)
            row.addLayout(column, width)

    def _connect(self) -> None:
        self._map.cell_clicked.connect(self._on_cell_clicked)
        self._map.cell_hovered.connect(self._on_cell_hovered)
        self._map.set_hover_text(self._map_tip)
        self._heads.chosen.connect(self._on_heads_chosen)
        self._lengths.cell_clicked.connect(self._on_length_clicked)
        self._lengths.set_hover_text(self._length_tip)
        self._table.key_clicked.connect(self._on_key_clicked)
        self._table.number_clicked.connect(self._on_number_clicked)
        self._output.feature_clicked.connect(self._on_feature_clicked)
        self._output.token_clicked.connect(self._on_token_clicked)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The pattern of one head, or of all; one row of values and of outputs."""
        is_summed = is_of_all_heads(scene)
        return effect_parts(
            scene.trace, attn_of(scene), scene.selection, is_summed=is_summed
        )

    def subject(self, scene: Scene) -> Hashable:
        """The map, and the head whose output is shown."""
        return map_of(scene), scene.selection.head

    def fill(self, scene: Scene) -> None:
        """Show another head; a map of all heads stays."""
        check_adds(scene.trace, f"{attn_of(scene)}.out")
        self._row = None
        self._heads.set_place(int(is_of_all_heads(scene)))
        self._added.set_title(f"Length of what head {scene.selection.head + 1} adds")
        mapped = ref(scene.trace), map_of(scene)
        if mapped != self._mapped:
            self._show_map(scene)
            self._mapped = mapped

    def _show_map(self, scene: Scene) -> None:
        attn, head, viewing = map_of(scene)
        self._view = view = effect_map(scene.trace, attn, head, viewing)
        self._map.show_matrix(view.matrix)
        self._bar.show_scale(view.matrix.scale, view.matrix.colour)
        self._status.set_note(view.reading)

    def mark(self, scene: Scene) -> None:
        """Show the chosen token's row; mark the chosen key, feature and token."""
        at = scene.selection
        token = chosen_token(scene.trace, at)
        row = at.query, token
        if row != self._row:
            self._row = row
            self._show_row(scene, token)
        assert self._view is not None
        shaping = self._view.shaping
        cell = shaping.row_of(at.query), shaping.column_of(at.key)
        self._map.set_selected(*cell)
        self._map.set_highlight(*cell)
        self._lengths.set_selected(0, at.query)
        self._table.set_selected(at.key)
        self._output.set_selected(feature_of(at, scene.trace, "d_model"), token)

    def _show_row(self, scene: Scene, token: int) -> None:
        place = attn_of(scene), scene.selection.head, scene.selection.query
        self._label_of = scene.tokenizer.label
        effects = key_effects(scene.trace, *place, token, self._label_of)
        self._table.show_view(effects)
        output = head_output(scene.trace, *place)
        title = f"What head {place[1] + 1} adds to {effects.query_label}"
        self._output.show_view(output, title)
        self._show_lengths(output)
        self._output.show_pushes(Pushes(), RANKING if output.is_ranked else TOO_LARGE)
        self._ranking.stop()
        if output.is_ranked and output.is_easy:
            self._rank()
        elif output.is_ranked:
            self._ranking.start()

    def _show_lengths(self, output: HeadOutput) -> None:
        self._tokens = output.tokens
        scale = Scale("share", largest_size(output.lengths))
        total = f"max {range_text(scale.limit)}"
        lane = Lane("length", output.lengths, scale, "value", "bars", total)
        self._lengths.show_lanes((lane,), output.tokens)

    @Slot()
    def _rank(self) -> None:
        """List the logits that move most, of what is shown by now."""
        trace, at = self._trace(), self.selection
        if trace is not None:
            place = at.step.rpartition(".")[0], at.head, at.query
            pushes = head_pushes(trace, *place, self._label_of)
            self._output.show_pushes(pushes, NO_NUMBERS)

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The map, the table with all its rows, the head's output."""
        trace, label_of = scene.trace, scene.tokenizer.label
        mapped, at = map_of(scene), scene.selection
        place = attn_of(scene), at.head, at.query
        effects = key_effects(trace, *place, chosen_token(trace, at), label_of)
        output = head_output(trace, *place)
        return (
            map_sheet(effect_map(trace, *mapped), *mapped),
            table_sheet(effects, *place[:2]),
            *output_sheets(trace, output, *place, label_of),
        )

    # What the reader does.

    def _map_tip(self, row: int, column: int) -> str:
        return "" if self._view is None else self._view.tip(row, column)

    def _length_tip(self, _: str, lane: int, token: int) -> str:
        lanes = self._lengths.lanes
        if not lanes:
            return ""
        label = self._tokens.labels[token]
        number = short(float(lanes[lane].values[token]), 4)
        return f"what the head adds to {label} ({token + 1})\nis {number} long"

    @Slot(int, int)
    def _on_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            query, key = self._view.shaping.tokens_at(row, column)
            self.ask(query=query, key=key)

    @Slot(int, int)
    def _on_cell_hovered(self, row: int, column: int) -> None:
        words = self._map_tip(row, column) if row >= 0 else ""
        self._status.say(words.replace("\n", " · "))

    @Slot(int)
    def _on_heads_chosen(self, place: int) -> None:
        self.look(joining="mean" if place else "head")

    @Slot(int, int)
    def _on_length_clicked(self, _: int, token: int) -> None:
        self.ask(query=token)

    @Slot(int)
    def _on_key_clicked(self, key: int) -> None:
        self.ask(key=key)

    @Slot(int, int)
    def _on_number_clicked(self, key: int, column: int) -> None:
        trace, at = self._trace(), self.selection
        if trace is None:
            return
        attn = at.step.rpartition(".")[0]
        if NUMBER_STEPS[column] == "pattern":
            self.ask(step=f"{attn}.pattern", key=key)
        elif NUMBER_STEPS[column] == "v":
            place = at.head // trace.config.n_queries_per_key
            feature = feature_of(at, trace, "d_head")
            self._focus(Cell(f"{attn}.v", (place, key, feature)), key=key)
        else:
            token = chosen_token(trace, at)
            self._focus(Cell("output.logits", (at.query, token)), key=key)

    @Slot(int)
    def _on_feature_clicked(self, feature: int) -> None:
        attn = self.selection.step.rpartition(".")[0]
        cell = output_cell(attn, self.selection.query, feature)
        self._focus(cell, feature=feature)

    @Slot(int)
    def _on_token_clicked(self, token: int) -> None:
        self.ask(token=token)

    def _focus(self, cell: Cell, **fields: int) -> None:
        """Ask for a number that this picture does not hold, without leaving it."""
        moved = replace(self.selection, focus=cell, **fields)  # type: ignore[arg-type]
        self.selection_requested.emit(moved)


def map_of(scene: Scene) -> tuple[str, int | None, Viewing]:
    """What the map depends on: the layer, the head (None for all), the look."""
    head = None if is_of_all_heads(scene) else scene.selection.head
    looks = replace(scene.viewing, picture="", gathered=(), pinned=None)
    return attn_of(scene), head, looks


def is_of_all_heads(scene: Scene) -> bool:
    """Whether the heads of the layer are added up in the map."""
    return scene.viewing.joining != "head"
