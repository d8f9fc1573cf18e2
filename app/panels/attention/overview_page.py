"""All heads of all layers at once, ordered by what they do; beside them their scores.

Steps: attn.scores, attn.scaled, attn.masked, attn.pattern. A click on a map or a row
chooses the head and its layer; with Ctrl it is gathered, to be looked at together with
others in the pictures of lines and text.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton

from app.panels.attention.page import CARD_GAP, Page, Part
from app.panels.attention.stage_switch import StageSwitch
from app.panels.attention.status import StatusLine, hint_line
from app.scene import Scene
from app.widgets.canvas import NOTHING
from app.widgets.card import GAP, Card, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.label import as_tip
from app.widgets.map_tiles import MapTiles, Tile
from app.widgets.score_table import ScoreTable
from core.analysis.heads import HEAD_SCORES, HeadScores
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
ORDERS = ((BY_LAYER, "by layer"), *((s.name, f"by {s.title}") for s in HEAD_SCORES))
ORDER_NAMES = tuple(name for name, _ in ORDERS)
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
        self._stages, self._order = StageSwitch(), QComboBox()
        self._order.setObjectName("overview.order")
        self._order.setAccessibleName("order of the heads")
        self._sorted_by = BY_LAYER
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
        for name, title in ORDERS:
            self._order.addItem(title, name)
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

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """Nothing: the maps are studied in the background, a few at a time."""
        return ()

    def display(self, scene: Scene) -> None:
        """Show what is known of the heads, and ask for the rest."""
        self._scene = scene
        super().display(scene)

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """All heads (of long sentences those of the present layer) and their scores."""
        trace, viewing = scene.trace, scene.viewing
        if is_easy(trace):
            maps = every_head_sheet(trace, stage_of(scene), viewing)
        else:
            maps = layer_sheet(trace, scene.selection.step, viewing)
        scores = self.studies.want_scores() if self.studies else None
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
        scores = self.studies.want_scores()
        self._heads = ordered(all_heads(scene.trace), scores, viewing.order)
        wanted = self._in_sight_first()
        return self.studies.want_maps(scene.trace, stage, viewing, wanted), scores

    def fill(self, scene: Scene) -> None:
        """Show the maps that are there in their order, and the scores."""
        stage, viewing = stage_of(scene), scene.viewing
        maps, scores = self._known(scene)
        overview = overview_of(scene.trace, stage, viewing, maps)
        self._stages.set_stage(stage)
        self._show_tiles(scene, scores, overview)
        self._show_scores(scores, viewing.order)
        self._order.setCurrentIndex(self._order.findData(viewing.order))
        n = len(viewing.gathered)
        self._release.setVisible(bool(n))
        self._release.setText(f"let {n} go")
        self._release.setToolTip(as_tip(RELEASE_TIP))
        lack = scores.lacks.get(viewing.order, "") if scores else ""
        unscored = f"no head has this score: {lack}" if lack else ""
        note = (overview.note, unscored)
        self._status.set_note(" · ".join(part for part in note if part))

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
        n_across = scene.trace.config.n_heads if order == BY_LAYER else 0
        self._tiles.show_tiles(
            tiles, overview.scale, "pattern", n_across, overview.dimmed
        )
        self._bar.show_scale(overview.scale, "pattern")

    def _show_scores(self, scores: HeadScores | None, order: str) -> None:
        self._table.setVisible(scores is not None)
        self._waiting.setVisible(scores is None)
        if scores is None:
            self._table_of = None  # its heads may be another model's
            return
        if self._table_of is None or self._table_of[0] is not scores:
            table = head_table(scores)
            self._table_of = scores, table
            self._table.show_table(table.labels, table.names, table.columns, TITLES)
        if order != self._sorted_by:
            self._sorted_by = order
            is_known = order in ORDER_NAMES  # a remembered one may be gone
            self._table.sort_by(ORDER_NAMES.index(order if is_known else BY_LAYER) - 1)

    def mark(self, scene: Scene) -> None:
        """Mark the chosen head in both cards."""
        is_busy = self.studies is not None and self.studies.is_busy
        self._waiting.setText(ON_THEIR_WAY if is_busy else NO_SCORES)
        chosen = self._chosen(scene)
        places = self._heads.index(chosen) if chosen in self._heads else NOTHING
        self._tiles.set_selected(places)
        if self._table_of is not None:
            self._table.set_selected(self._table_of[1].heads.index(chosen))

    def _in_sight_first(self) -> tuple[Head, ...]:
        """The heads in the order in which their maps are wanted."""
        places = self._tiles.in_sight()
        seen = [self._heads[place] for place in places if place < len(self._heads)]
        return (*seen, *(head for head in self._heads if head not in seen))

    def _chosen(self, scene: Scene) -> Head:
        layer = scene.trace.step(scene.selection.step).layer
        assert layer is not None
        return layer, scene.selection.head

    # What the reader does.

    def _choose(self, head: Head) -> None:
        layer, place = head
        stage = self.selection.step.rpartition(".")[2]
        self.ask(step=f"layers.{layer}.attn.{stage}", head=place)

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
        self.look(order=ORDERS[place][0])

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


def stage_of(scene: Scene) -> str:
    """The stage whose maps are shown."""
    return scene.selection.step.rpartition(".")[2]


def looks(viewing: Viewing) -> Viewing:
    """What the overview depends on, to tell whether it has to be drawn again."""
    return replace(viewing, picture="heads", pinned=None, looks_back=False)
