"""Rollout: where each token's row comes from, through all layers up to the present one.

Steps: attn.scores to attn.pattern; the map is always of shares. It takes the patterns
of every head, so it is asked of the studies, and the map before stays until it comes.
"""

from collections.abc import Hashable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.panels.attention.page import Page, Part, kind_of_scene, layer_of
from app.panels.attention.status import StatusLine
from app.scene import Scene
from app.style.fonts import LARGE, SMALL, sans
from app.widgets.card import GAP, Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.formula import FormulaView
from app.widgets.label import as_tip
from app.widgets.play_slider import PlaySlider
from app.widgets.segments import Segments
from app.widgets.zoom_map import ZoomMap
from core.analysis.rollout import JOININGS, Joining, formula_of
from core.trace.attentions import Kind
from core.trace.sheet import Sheet
from core.trace.viewing import Viewing
from core.trace.views.attention_rollout import RolloutView, rollout_view
from core.trace.views.attention_sheets import rollout_sheet

TIPS = (
    "P is the mean of the layer's heads, as in the paper",
    "P is the largest share that any head of the layer gives",
)
TITLE = "Attention rolled out"
WAITING = "Multiplying the layers…"
NOTHING_YET = "The layers could not be multiplied."
NO_MAP = "The layers could not be multiplied; the map is the one before."
SLIDER_WIDTH = 190


class RolloutPage(Page):
    """One map, its layer, and the words that say what it is not."""

    def __init__(self) -> None:
        """An empty map."""
        super().__init__()
        self._view: RolloutView | None = None
        self._kind: Kind | None = None
        self._is_waiting = False
        self._card, self._map = Card(TITLE), ZoomMap()
        self._map.setObjectName("attention.rollout.map")
        self._bar, self._status = ColourBar(), StatusLine()
        self._joining = Segments(JOININGS, "rollout.joining")
        for place, tip in enumerate(TIPS):
            self._joining.set_tip(place, as_tip(tip))
        self._layers = PlaySlider("layers")
        self._layers.setObjectName("rollout.layers")
        self._layers.setFixedWidth(SLIDER_WIDTH)
        self._formula = FormulaView()
        self._about = plain_label(ink="muted")
        self._about.setFont(sans(SMALL))
        self._about.setWordWrap(True)
        self._arrange()
        self._joining.chosen.connect(self._on_joining_chosen)
        self._layers.position_requested.connect(self._on_layers_position_requested)
        self._map.cell_clicked.connect(self._on_map_cell_clicked)
        self._map.cell_hovered.connect(self._on_map_cell_hovered)
        self._map.part_changed.connect(self._on_map_part_changed)
        self._map.set_hover_text(self._tip)

    def _arrange(self) -> None:
        legend = QHBoxLayout()
        legend.setSpacing(GAP)
        legend.addWidget(self._status, 1)
        legend.addWidget(self._bar)
        self._card.head.addWidget(self._layers)
        self._card.head.addWidget(self._joining)
        self._card.body.addWidget(self._formula)
        self._card.body.addWidget(self._map, 1)
        self._card.body.addLayout(legend)
        self._card.body.addWidget(self._about)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._card)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """None: the studies look at the heads."""
        return ()

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The map of the layer; the step itself until there is one."""
        if self._view is None:
            return super().numbers(scene)
        joining = joining_of(scene.viewing)
        return (rollout_sheet(self._view, joining, scene.viewing),)

    def subject(self, scene: Scene) -> Hashable:
        """The layer, how heads are joined, and how the map is shaped and coloured."""
        at = scene.viewing
        shape = at.sink, at.is_log, at.threshold, at.whole_words, at.hides_specials
        return at.kind, layer_of(scene), joining_of(at), shape

    def fill(self, scene: Scene) -> None:
        """Say what is looked at; the map follows with the marks on it."""
        layer, joining = layer_of(scene), joining_of(scene.viewing)
        config, kind = scene.trace.config, kind_of_scene(scene)
        self._kind = kind
        self._layers.show_position(layer + 1, kind.n_layers, first=1)
        self._joining.set_place(JOININGS.index(joining))
        self._formula.show_formula(formula_of(config, kind, joining), LARGE)
        self._is_waiting = True

    def mark(self, scene: Scene) -> None:
        """Show the map once it is there, and outline the chosen pair of tokens."""
        if self._is_waiting:
            self._show_if_there(scene)
        view, at = self._view, scene.selection
        if view is not None:
            row, column = view.shaping.row_of(at.query), view.shaping.column_of(at.key)
            self._map.set_selected(row, column)
            self._map.set_highlight(row, column)

    def _show_if_there(self, scene: Scene) -> None:
        """Show the map of the present layer, or say what becomes of it."""
        assert self.studies is not None
        layer, joining = layer_of(scene), joining_of(scene.viewing)
        maps = self.studies.want_rollout(joining, scene.viewing.kind)
        if maps is None:
            is_busy = self.studies.is_busy
            self._map.set_message(WAITING if is_busy else NOTHING_YET)
            self._status.set_note(WAITING if is_busy else NO_MAP)
            return
        self._is_waiting = False
        view = rollout_view(scene.trace, maps, layer, joining, scene.viewing)
        self._view = view
        self._card.set_title(view.title)
        self._about.setText(view.about)
        self._map.show_matrix(view.matrix)
        self._bar.show_scale(view.matrix.scale, "pattern")
        self._on_map_part_changed()

    # What the reader does.

    def _tip(self, row: int, column: int) -> str:
        return "" if self._view is None else self._view.tip(row, column)

    @Slot(int, int)
    def _on_map_cell_hovered(self, row: int, column: int) -> None:
        view = self._view
        self._status.say(view.status(row, column) if view and row >= 0 else "")

    @Slot(int, int)
    def _on_map_cell_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            query, key = self._view.shaping.tokens_at(row, column)
            self.ask(query=query, key=key)

    @Slot()
    def _on_map_part_changed(self) -> None:
        """Below the map: which part of it is seen, and how to read it."""
        if self._view is not None:
            told = (self._map.part_text, self._view.note)
            self._status.set_note(" · ".join(text for text in told if text))

    @Slot(int)
    def _on_joining_chosen(self, place: int) -> None:
        self.look(joining=JOININGS[place])

    @Slot(int)
    def _on_layers_position_requested(self, position: int) -> None:
        if self._kind is not None:
            stage = self.selection.step.rpartition(".")[2]
            self.ask(step=self._kind.key(stage, position - 1))


def joining_of(viewing: Viewing) -> Joining:
    """How heads are joined: by their mean, unless the largest was chosen."""
    return "largest" if viewing.joining == "largest" else "mean"
