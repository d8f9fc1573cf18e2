"""All heads of all layers at once, ordered by what they do; beside them their scores.

Steps: attn.scores to attn.pattern, of one kind of attention. A click on a map or a row
chooses the head and its layer; with Ctrl it is gathered, to be looked at together with
others in the pictures of lines and text.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton

from app.panels.attention.kind_switch import KindSwitch
from app.panels.attention.page import (
    CARD_GAP,
    Page,
    Part,
    attn_of,
    kind_of_scene,
    layer_of,
    stage_of,
)
from app.panels.attention.stage_switch import StageSwitch
from app.panels.attention.status import StatusLine, hint_line
from app.scene import Scene
from app.widgets.canvas import NOTHING
from app.widgets.card import GAP, Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.label import as_tip
from app.widgets.map_tiles import MapTiles, Tile
from app.widgets.score_table import ScoreTable
from core.analysis.heads import HEAD_SCORES, HeadScores, scores_for
from core.trace.attentions import Kind
from core.trace.matrix import FloatArray
from core.trace.sheet import Sheet
from core.trace.viewing import BY_LAYER, Head, Viewing, toggled
from core.trace.views.attention_sheets import every_head_sheet, layer_sheet, score_sheet
from core.trace.views.head_table import HeadTable, head_table
from core.trace.views.overview import (
    Overview,
    all_heads,
    caption_of,
    is_easy,
    ordered,
    overview_of,
    tints,
)

MAPS, SCORES = 5, 4
"""How the two cards share the width."""
TITLES = ("head", "what it does")
Order = tuple[str, str]
RELEASE_TIP = "Let the gathered heads go"
HOW = "click: choose · again: enlarge · Ctrl-click: gather"
ON_THEIR_WAY = "Heads are being scored…"
NO_SCORES = "The heads could not be scored. The message above says why."


class OverviewPage(Page):
    """Small maps at the left, the sortable table at the right."""

    def __init__(self) -> None:
        """Nothing to see yet."""
        super().__init__()
        self._scene: Scene | None = None
        self._heads: tuple[Head, ...] = ()
        self._table_of: tuple[HeadScores, HeadTable] | None = None
        self._tiles, self._bar = MapTiles(), ColourBar()
        self._stages, self._kinds = StageSwitch(), KindSwitch()
        self._order = QComboBox()
        self._orders: tuple[Order, ...] = ()
        self._order.setObjectName("overview.order")
        self._order.setAccessibleName("order of the heads")
        self._sorted_by: object = HEAD_SCORES, 0
        self._waiting = plain_label(ON_THEIR_WAY, "muted")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._waiting.setWordWrap(True)
        self._status = StatusLine(is_only_note=True)
        self._release = QPushButton()
        self._release.setProperty("kind", "flat")
        self._release.setObjectName("overview.release")
        self._table = ScoreTable("Scores of all heads")
        self._table.setObjectName("overview.scores")
        self._maps, self._scores = Card("All heads"), Card("What heads do")
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        self._maps.head.addWidget(self._stages)
        foot = QHBoxLayout()
        foot.setSpacing(GAP)
        foot.addWidget(self._order)
        foot.addWidget(self._release)
        foot.addStretch(1)
        foot.addWidget(self._bar)
        self._maps.body.addWidget(self._kinds)
        self._maps.body.addWidget(self._tiles, 1)
        self._maps.body.addLayout(foot)
        self._maps.body.addWidget(self._status)
        self._maps.body.addWidget(hint_line(HOW))
        self._scores.body.addWidget(self._table, 1)
        self._scores.body.addWidget(self._waiting, 1)
        self._table.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._maps, MAPS)
        row.addWidget(self._scores, SCORES)

    def _connect(self) -> None:
        self._tiles.tile_clicked.connect(self._on_tile_clicked)
        self._tiles.tile_toggled.connect(self._on_tile_toggled)
        self._tiles.scrolled.connect(self._on_tiles_scrolled)
        self._table.row_clicked.connect(self._on_row_clicked)
        self._order.activated.connect(self._on_order_activated)
        self._release.clicked.connect(self._on_release_clicked)
        self._stages.stage_clicked.connect(self._on_stage_clicked)
        self._kinds.selection_requested.connect(self.selection_requested)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """Nothing: the maps are studied in the background, a few at a time."""
        return ()

    def display(self, scene: Scene) -> None:
        """Show what is known of the heads, and ask for the rest."""
        self._scene = scene
        self._kinds.show_scene(scene)
        super().display(scene)

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """All heads (of long sentences those of the present layer) and their scores."""
        trace, viewing = scene.trace, scene.viewing
        if is_easy(trace):
            maps = every_head_sheet(trace, stage_of(scene), viewing)
        else:
            maps = layer_sheet(trace, scene.selection.step, viewing)
        scores = self.studies.want_scores(viewing.kind) if self.studies else None
        return (maps, score_sheet(scores)) if scores else (maps,)

    def subject(self, scene: Scene) -> Hashable:
        """What the maps are made of and how they look, and what is known by now."""
        maps, scores = self._known(scene)
        assert self.studies is not None
        is_waiting = scores is None and self.studies.is_busy
        known = len(maps), id(scores), is_waiting
        return stage_of(scene), looks(scene.viewing), known

    def _known(
        self, scene: Scene
    ) -> tuple[Mapping[Head, FloatArray], HeadScores | None]:
        """The maps there are and the scores; the rest is asked for."""
        assert self.studies is not None
        stage, viewing = stage_of(scene), scene.viewing
        scores = self.studies.want_scores(viewing.kind)
        heads = all_heads(scene.trace, viewing.kind)
        self._heads = ordered(heads, scores, viewing.order)
        wanted = self._in_sight_first()
        return self.studies.want_maps(scene.trace, stage, viewing, wanted), scores

    def fill(self, scene: Scene) -> None:
        """Show the maps that are there in their order, and the scores."""
        stage, viewing = stage_of(scene), scene.viewing
        maps, scores = self._known(scene)
        overview = overview_of(scene.trace, stage, viewing, maps)
        self._stages.show_stage(scene.trace, attn_of(scene), stage)
        self._show_orders(scene)
        self._show_tiles(scene, scores, overview)
        self._show_scores(scores, self._order_place(viewing.order))
        n = len(viewing.gathered)
        self._release.setVisible(bool(n))
        self._release.setText(f"let {n} go")
        self._release.setToolTip(as_tip(RELEASE_TIP))
        lack = scores.lacks.get(viewing.order, "") if scores else ""
        unscored = f"no head has this score: {lack}" if lack else ""
        note = (overview.note, unscored)
        self._status.set_note(" · ".join(part for part in note if part))

    def _show_orders(self, scene: Scene) -> None:
        """The orders that make sense for the kind, and the present one."""
        orders = orders_of(kind_of_scene(scene))
        if orders != self._orders:
            self._orders = orders
            self._order.clear()
            for name, title in orders:
                self._order.addItem(title, name)
        self._order.setCurrentIndex(self._order_place(scene.viewing.order))

    def _order_place(self, order: str) -> int:
        """Where an order stands; the first, by layer, for one of another kind."""
        names = [name for name, _ in self._orders]
        return names.index(order) if order in names else 0

    def _show_tiles(
        self, scene: Scene, scores: HeadScores | None, overview: Overview
    ) -> None:
        order, gathered = scene.viewing.order, scene.viewing.gathered
        shares = tints(self._heads, scores, order)
        tiles = [
            Tile(
                caption_of(head, scores, order),
                overview.maps.get(head),
                shares.get(head),
                head in gathered,
                scores.name_of(*head) if scores else "",
                head[1],
                (caption_of(head, None, order), f"{head[0] + 1}·{head[1] + 1}"),
            )
            for head in self._heads
        ]
        is_by_layer = not self._order_place(order)
        n_across = scene.trace.config.n_heads if is_by_layer else 0
        self._tiles.show_tiles(
            tiles, overview.scale, "pattern", n_across, overview.dimmed
        )
        self._bar.show_scale(overview.scale, "pattern")

    def _show_scores(self, scores: HeadScores | None, order: int) -> None:
        self._table.setVisible(scores is not None)
        self._waiting.setVisible(scores is None)
        if scores is None:
            self._table_of = None  # its heads may be another model's
            return
        if self._table_of is None or self._table_of[0] is not scores:
            table = head_table(scores)
            self._table_of = scores, table
            self._table.show_table(table.labels, table.names, table.columns, TITLES)
        if (scores.table, order) != self._sorted_by:
            self._sorted_by = scores.table, order
            self._table.sort_by(order - 1)

    def mark(self, scene: Scene) -> None:
        """Mark the chosen head in both cards."""
        is_busy = self.studies is not None and self.studies.is_busy
        self._waiting.setText(ON_THEIR_WAY if is_busy else NO_SCORES)
        chosen = self._chosen(scene)
        places = self._heads.index(chosen) if chosen in self._heads else NOTHING
        self._tiles.set_selected(places)
        if self._table_of is not None and chosen in self._table_of[1].heads:
            self._table.set_selected(self._table_of[1].heads.index(chosen))

    def _in_sight_first(self) -> tuple[Head, ...]:
        """The heads in the order in which their maps are wanted."""
        places = self._tiles.in_sight()
        seen = [self._heads[place] for place in places if place < len(self._heads)]
        return (*seen, *(head for head in self._heads if head not in seen))

    def _chosen(self, scene: Scene) -> Head:
        return layer_of(scene), scene.selection.head

    # What the reader does.

    def _choose(self, head: Head) -> None:
        layer, place = head
        if self._scene is not None:
            stage = stage_of(self._scene)
            step = kind_of_scene(self._scene).key(stage, layer)
            self.ask(step=step, head=place)

    @Slot(int)
    def _on_tile_clicked(self, place: int) -> None:
        """Choose a head; the one that is chosen is enlarged."""
        head = self._heads[place]
        if self._scene is not None and head == self._chosen(self._scene):
            self.look(picture="map")
        else:
            self._choose(head)

    @Slot(int)
    def _on_tile_toggled(self, place: int) -> None:
        self.look(gathered=toggled(self.viewing, self._heads[place]))

    @Slot(int)
    def _on_row_clicked(self, row: int) -> None:
        if self._table_of is not None:
            self._choose(self._table_of[1].heads[row])

    @Slot(int)
    def _on_order_activated(self, place: int) -> None:
        self.look(order=self._orders[place][0])

    @Slot()
    def _on_release_clicked(self) -> None:
        self.look(gathered=())

    @Slot(str)
    def _on_stage_clicked(self, stage: str) -> None:
        attn = self.selection.step.rpartition(".")[0]
        self.ask(step=f"{attn}.{stage}")

    @Slot()
    def _on_tiles_scrolled(self) -> None:
        """What is in sight now goes before the rest."""
        if self._scene is not None and self.studies is not None:
            self._known(self._scene)


def orders_of(kind: Kind) -> tuple[Order, ...]:
    """What the heads of a kind can be ordered by, and what that is called."""
    scores = ((score.name, f"by {score.title}") for score in scores_for(kind))
    return ((BY_LAYER, "by layer"), *scores)


def looks(viewing: Viewing) -> Viewing:
    """What the overview depends on, to tell whether it has to be drawn again."""
    return replace(viewing, picture="heads", pinned=None, looks_back=False)
