"""q · k: one number of attention from its two vectors to its share of the row.

Steps: attn.scores to attn.pattern, of the chosen tokens and head. Every number can be
asked for; those of q and k without leaving the picture.
"""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout

from app.panels.attention.page import CARD_GAP, Page, Part
from app.panels.attention.status import StatusLine
from app.scene import Scene
from app.widgets.card import Card
from app.widgets.cell_text import range_text
from app.widgets.chain import Chain, Link
from app.widgets.lane import Lane
from app.widgets.lanes import Lanes
from app.widgets.spot_map import Spot
from core.trace.matrix import Axis, Cell, Scale
from core.trace.numbers import brief
from core.trace.selection import feature_of
from core.trace.sheet import Sheet
from core.trace.views.attention_birth import BirthView, birth_parts, birth_view
from core.trace.views.axes import feature_axis, signed_scale
from core.trace.views.effect_sheets import birth_sheets

PRODUCTS, SHARES = 5, 6
"""How the two cards share the height."""
SCORE_LANE = 2
"""The lane of the products, which make the score."""
ROW_STEPS = ("masked", "pattern", "pattern")
"""The step that each lane of the row belongs to; exponents are part of softmax."""
SHARE_LANE = 2
"""The lane of the shares; scores of any stage stand in the first."""
AS_RECORDED = "every token as it was recorded · "
"""Said where maps join tokens or leave some out: here a number has its own two."""
STAGE_ROLES = {"masked": "text", "pattern": "pattern"}


class BirthPage(Page):
    """Two vectors, their products, the stages of the sum, and the row around it."""

    def __init__(self) -> None:
        """Empty pictures."""
        super().__init__()
        self._view: BirthView | None = None
        self._vectors, self._row = Lanes("q, k and products"), Lanes("the row")
        self._vectors.setObjectName("birth.vectors")
        self._row.setObjectName("birth.row")
        self._chain = Chain("from q · k to the share")
        self._chain.setObjectName("birth.chain")
        self._reading, self._status = StatusLine(), StatusLine()
        self._products, self._shares = Card(), Card()
        self._products.body.addWidget(self._vectors, 1)
        self._products.body.addWidget(self._reading)
        self._shares.body.addWidget(self._chain)
        self._shares.body.addWidget(self._row, 1)
        self._shares.body.addWidget(self._status)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        column.addWidget(self._products, PRODUCTS)
        column.addWidget(self._shares, SHARES)
        self._connect()

    def _connect(self) -> None:
        self._vectors.cell_clicked.connect(self._on_vector_clicked)
        self._vectors.spot_hovered.connect(self._on_vector_hovered)
        self._vectors.set_hover_text(self._vector_tip)
        self._row.cell_clicked.connect(self._on_row_clicked)
        self._row.spot_hovered.connect(self._on_row_hovered)
        self._row.set_hover_text(self._row_tip)
        self._chain.link_clicked.connect(self._on_link_clicked)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """Two vectors, and one row of each stage."""
        return birth_parts(scene.trace, *place_of(scene))

    def subject(self, scene: Scene) -> Hashable:
        """Layer, head and both tokens; the step only moves the marks."""
        return place_of(scene), scene.viewing.is_plain

    def fill(self, scene: Scene) -> None:
        """Show another number's birth."""
        self._view = view = birth_view(scene.trace, *place_of(scene))
        self._products.set_title(view.title)
        self._vectors.show_lanes(*product_lanes(view))
        shape = "" if scene.viewing.is_plain else AS_RECORDED
        self._reading.set_note(f"{shape}{view.reading}")
        self._shares.set_title(f"From q · k to a share of {view.query_label}'s row")
        self._chain.show_links(links_of(view))
        self._row.show_lanes(row_lanes(view), view.keys)
        self._status.set_note(view.row_reading)

    def mark(self, scene: Scene) -> None:
        """Outline the number that the reader asked for, wherever it stands."""
        at, view = scene.selection, self._view
        assert view is not None
        feature = feature_of(at, scene.trace, "d_head")
        lane = SCORE_LANE
        if at.focus is not None and at.focus.key in view.sources:
            lane, feature = view.sources.index(at.focus.key), at.focus.index[-1]
        self._vectors.set_selected(lane, feature)
        stage = at.step.rpartition(".")[2]
        self._row.set_selected(SHARE_LANE if stage == "pattern" else 0, at.key)
        cell = at.focus or view.cell(stage)
        cells = [each.cell for each in view.stages]
        found = [place for place, each in enumerate(cells) if each == cell]
        # Softmax is exponent and share: the cell is what stands at its end.
        which = -1 if cell.key.endswith(".pattern") else 0
        self._chain.set_selected(found[which] if found else None)

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The products, and the row."""
        return birth_sheets(birth_view(scene.trace, *place_of(scene)))

    # What the reader does.

    def _ask_cell(self, cell: Cell) -> None:
        """Ask for a number; one of another cell is looked at from here."""
        view = self._view
        assert view is not None
        stage = cell.key.rpartition(".")[2]
        if cell == view.cell(stage):
            self.ask(step=cell.key)
        else:
            self.selection_requested.emit(replace(self.selection, focus=cell))

    def _vector_tip(self, _: str, lane: int, feature: int) -> str:
        return "" if self._view is None else self._view.product_tip(lane, feature)

    def _row_tip(self, _: str, lane: int, key: int) -> str:
        return "" if self._view is None else self._view.row_tip(lane, key)

    @Slot(int, int)
    def _on_vector_clicked(self, lane: int, feature: int) -> None:
        view = self._view
        if view is not None and lane < SCORE_LANE:
            self._ask_cell(view.vector_cell(lane, feature))
        elif view is not None:
            self.ask(step=f"{view.attn}.scores", feature=feature)

    @Slot(int, int)
    def _on_row_clicked(self, lane: int, key: int) -> None:
        if self._view is not None:
            self.ask(step=f"{self._view.attn}.{ROW_STEPS[lane]}", key=key)

    @Slot(int)
    def _on_link_clicked(self, link: int) -> None:
        if self._view is not None:
            self._ask_cell(self._view.stages[link].cell)

    @Slot(object)
    def _on_vector_hovered(self, spot: Spot | None) -> None:
        words = "" if spot is None else self._vector_tip(*spot)
        self._reading.say(words.replace("\n", " · "))

    @Slot(object)
    def _on_row_hovered(self, spot: Spot | None) -> None:
        words = "" if spot is None else self._row_tip(*spot)
        self._status.say(words.replace("\n", " · "))


def place_of(scene: Scene) -> tuple[str, int, int, int]:
    """The layer's attention, the head, the token that looks, the one looked at."""
    at = scene.selection
    return at.step.rpartition(".")[0], at.head, at.query, at.key


def product_lanes(view: BirthView) -> tuple[tuple[Lane, ...], Axis]:
    """q, k, their products and the running sum, over the dimensions of the head."""
    both = signed_scale(view.q, view.k)
    products, running = signed_scale(view.products), signed_scale(view.running)
    reach = f"±{range_text(both.limit)}"
    score = brief(float(view.rows["scores"][view.key]), 4)
    names = view.vector_names
    lanes = (
        Lane(names[0], view.q, both, "query", "cells", reach),
        Lane(names[1], view.k, both, "key", "cells", reach),
        Lane(
            "q × k",
            view.products,
            products,
            "pattern",
            "bars",
            f"±{range_text(products.limit)}",
        ),
        Lane("sum so far", view.running, running, "pattern", "course", f"= {score}"),
    )
    return lanes, feature_axis(len(view.q))


def row_lanes(view: BirthView) -> tuple[Lane, ...]:
    """The row of the token that looks: masked scores, exponents, shares."""
    nan = np.float32(np.nan)
    masked = np.where(view.allowed, view.rows["masked"], nan)
    powers = np.where(view.allowed, view.powers, nan).astype(np.float32)
    shares = np.where(view.allowed, view.rows["pattern"], nan)
    scores = signed_scale(masked)
    total = brief(float(view.powers.sum()), 4)
    whole = brief(float(view.rows["pattern"].sum(dtype=np.float64)), 4)
    return (
        Lane(
            view.unit,
            masked,
            scores,
            "pattern",
            "cells",
            f"±{range_text(scores.limit)}",
        ),
        Lane(
            "e^(x − max)", powers, Scale("share", 1.0), "pattern", "bars", f"Σ {total}"
        ),
        Lane("share", shares, Scale("share", 1.0), "pattern", "bars", f"Σ {whole}"),
    )


def links_of(view: BirthView) -> tuple[Link, ...]:
    """The stages as the widget takes them."""
    return tuple(
        Link(
            stage.sign,
            stage.name,
            stage.number,
            stage.note,
            STAGE_ROLES.get(stage.cell.key.rpartition(".")[2], "text"),
        )
        for stage in view.stages
    )
