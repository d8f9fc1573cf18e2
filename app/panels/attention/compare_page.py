"""Two heads side by side and their difference, of one sentence or of two.

Steps: attn.scores to attn.pattern. The left map is the head and
the sentence of the window; the middle one is another head, another sentence, or both.
"""

from collections.abc import Hashable

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

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
from app.scene import Scene
from app.style.icons import show_icon
from app.widgets.card import GAP, Card, control_label
from app.widgets.colour_bar import ColourBar
from app.widgets.heatmap import Heatmap
from app.widgets.label import as_tip
from app.widgets.number_field import WholeField
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.text_field import TextField
from core.trace.attentions import Kind
from core.trace.matrix import Matrix
from core.trace.numbers import short
from core.trace.sheet import Sheet
from core.trace.viewing import BY_LAYER, Head
from core.trace.views.attention_compare import (
    CompareView,
    Gap,
    compare_parts,
    compare_view,
    other_head,
    with_sign,
)
from core.trace.views.attention_sheets import compare_sheets
from core.trace.views.overview import caption_of

MAPS, TABLE = 5, 3
"""How the maps and the table share the height."""
LEAST_FIELD, LEAST_CARD, LEAST_MAP = 60, 60, 150
LEAST_TABLE = 78
"""Its head and two rows: without one of them the card would be empty."""
HINT, SOURCE_HINT = "a sentence, Enter", "a source, Enter"
"""The latter behind an encoder: the target stays the same."""
ALONE_TIP = "Compare within this sentence again"
NOTHING_IN_BOTH = "No cell has a number in both maps."
EQUAL = "Both maps are equal: there is nothing to tell apart."


class ComparePage(Page):
    """Map, map, difference; below them what differs most."""

    def __init__(self) -> None:
        """Empty maps."""
        super().__init__()
        self._view: CompareView | None = None
        self._stages = StageSwitch()
        self._layer, self._head = WholeField(1, 1), WholeField(1, 1)
        self._text = TextField()
        self._text.setObjectName("compare.sentence")
        self._alone = QPushButton()
        self._alone.setProperty("kind", "flat")
        self._alone.setObjectName("compare.alone")
        self._alone.setToolTip(as_tip(ALONE_TIP))
        self._alone.setAccessibleName(ALONE_TIP)
        show_icon(self._alone, "close", "muted")
        self._maps = tuple(Heatmap() for _ in range(3))
        self._bars = tuple(ColourBar() for _ in range(3))
        self._cards = tuple(Card() for _ in range(3))
        self._table = NumberTable("What differs most")
        self._largest = Card("What differs most")
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        controls = QHBoxLayout()
        controls.setSpacing(GAP)
        controls.addWidget(self._stages)
        controls.addStretch(1)
        for name, field in (("with layer", self._layer), ("head", self._head)):
            field.setFixedWidth(LEAST_FIELD)
            field.setObjectName(f"compare.{name.split()[-1]}")
            controls.addWidget(control_label(name))
            controls.addWidget(field)
        controls.addWidget(control_label("of"))
        controls.addWidget(self._text, 2)
        controls.addWidget(self._alone)
        maps = QHBoxLayout()
        maps.setSpacing(CARD_GAP)
        for card, picture, bar in zip(self._cards, self._maps, self._bars, strict=True):
            picture.setMinimumHeight(LEAST_MAP)  # a long table takes it no more
            card.body.addWidget(picture, 1)
            card.body.addLayout(at_the_right(bar))
            maps.addWidget(card, 1)
            card.setMinimumWidth(LEAST_CARD)  # all three are equally wide
        ignored = QSizePolicy.Policy.Ignored
        self._table.setSizePolicy(ignored, ignored)
        self._table.setMinimumHeight(LEAST_TABLE)
        self._largest.body.addWidget(self._table, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_GAP)
        column.addLayout(controls)
        column.addLayout(maps, MAPS)
        column.addWidget(self._largest, TABLE)

    def _connect(self) -> None:
        one, other, difference = self._maps
        one.cell_clicked.connect(self._on_one_clicked)
        other.cell_clicked.connect(self._on_other_clicked)
        difference.cell_clicked.connect(self._on_difference_clicked)
        one.set_hover_text(self._one_tip)
        other.set_hover_text(self._other_tip)
        difference.set_hover_text(self._difference_tip)
        self._stages.stage_clicked.connect(self._on_stage_clicked)
        self._layer.number_changed.connect(self._on_number_changed)
        self._head.number_changed.connect(self._on_number_changed)
        self._alone.clicked.connect(self._on_alone_clicked)
        self._text.editingFinished.connect(self._on_text_finished)
        self._table.row_clicked.connect(self._on_table_clicked)

    # The page's questions.

    def parts(self, scene: Scene) -> tuple[Part, ...]:
        """The window's head, and the other one where it is of the same sentence."""
        heads = [head_of(scene)]
        if scene.beside is None:
            heads.append(other_of(scene))
        asked = scene.trace, stage_of(scene)
        parts = (compare_parts(*asked, head, scene.viewing) for head in heads)
        return tuple(part for of_head in parts for part in of_head)

    def parts_beside(self, scene: Scene) -> tuple[Part, ...]:
        """The other head, of another sentence."""
        trace = scene.beside or scene.trace
        return compare_parts(trace, stage_of(scene), other_of(scene), scene.viewing)

    def numbers(self, scene: Scene) -> tuple[Sheet, ...]:
        """The difference, and both maps."""
        if self._view is None:
            return super().numbers(scene)
        heads = head_of(scene), other_of(scene)
        is_one = scene.beside is None
        return compare_sheets(
            scene.trace,
            self._view,
            heads,
            is_one_sentence=is_one,
            viewing=scene.viewing,
        )

    def subject(self, scene: Scene) -> Hashable:
        """Both heads, both sentences, and their shape."""
        at = scene.selection
        return at.step, at.head, scene.viewing, scene.beside and id(scene.beside)

    def fill(self, scene: Scene) -> None:
        """Show both maps, their difference, and where it is largest."""
        stage, head, other = stage_of(scene), head_of(scene), other_of(scene)
        beside = scene.beside or scene.trace
        self._view = view = compare_view(
            (scene.trace, head), (beside, other), stage, scene.viewing
        )
        self._stages.show_stage(scene.trace, attn_of(scene), stage)
        kind = kind_of_scene(scene)
        self._text.setPlaceholderText(SOURCE_HINT if kind.name else HINT)
        for field, number, most in (
            (self._layer, other[0], kind.n_layers),
            (self._head, other[1], scene.trace.config.n_heads),
        ):
            field.set_range(1, most)
            field.show_number(number + 1)
        self._alone.setVisible(scene.beside is not None)
        beside_it = titled(kind, other)
        if scene.beside is not None:
            short_name = caption_of(other, None, BY_LAYER)
            in_source = f"Other source · {short_name}"
            beside_it = in_source if kind.name else f"{beside_it} · other text"
        titles = (titled(kind, head), beside_it, "Difference")
        pictures = (view.one.matrix, view.other.matrix, view.difference)
        if scene.beside is not None and not self._text.hasFocus():
            read = scene.beside.source or scene.beside.encoding
            self._text.setText(read.text)
            self._text.setCursorPosition(0)
        self._show(titles, pictures)
        self._largest.set_note(view.note)
        is_empty = bool(np.isnan(view.difference.values).all())
        self._table.set_message(NOTHING_IN_BOTH if is_empty else EQUAL)
        self._table.show_rows(
            tuple(row_of(gap, view) for gap in view.largest),
            ("left", "middle", "difference"),
            "query → key",
        )

    def _show(self, titles: tuple[str, ...], pictures: tuple[Matrix, ...]) -> None:
        places = zip(self._cards, self._maps, self._bars, titles, pictures, strict=True)
        for card, picture, bar, title, matrix in places:
            card.set_title(title)
            picture.show_matrix(matrix)
            bar.show_scale(matrix.scale, matrix.colour)

    def mark(self, scene: Scene) -> None:
        """Outline the chosen cell in all maps that have it."""
        view = self._view
        assert view is not None
        shaping = view.one.shaping
        at = scene.selection
        row, column = shaping.row_of(at.query), shaping.column_of(at.key)
        self._maps[0].set_selected(row, column)
        self._maps[0].set_highlight(row, column)
        place = None
        if row is not None and column is not None:
            place = view.place_of(row, column)
        self._maps[2].set_selected(*(place or (None, None)))
        self._maps[2].set_highlight(*(place or (None, None)))
        partner = (view.rows[place[0]][1], view.columns[place[1]][1]) if place else None
        self._maps[1].set_selected(*(partner or (None, None)))
        self._maps[1].set_highlight(*(partner or (None, None)))
        listed = [(gap.row, gap.column) for gap in view.largest]
        self._table.set_selected(listed.index(place) if place in listed else None)

    # What the reader does.

    def _one_tip(self, row: int, column: int) -> str:
        return "" if self._view is None else self._view.one.tip(row, column)

    def _other_tip(self, row: int, column: int) -> str:
        return "" if self._view is None else self._view.other.tip(row, column)

    def _difference_tip(self, row: int, column: int) -> str:
        return "" if self._view is None else self._view.tip(row, column)

    @Slot(int, int)
    def _on_one_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            query, key = self._view.one.shaping.tokens_at(row, column)
            self.ask(query=query, key=key)

    @Slot(int, int)
    def _on_other_clicked(self, row: int, column: int) -> None:
        """Choose what the left map has in that place, if it has."""
        if self._view is None:
            return
        rows = [r for r, s in self._view.rows if s == row]
        columns = [c for c, d in self._view.columns if d == column]
        if rows and columns:
            self._on_one_clicked(rows[0], columns[0])

    @Slot(int, int)
    def _on_difference_clicked(self, row: int, column: int) -> None:
        if self._view is not None:
            self._on_one_clicked(self._view.rows[row][0], self._view.columns[column][0])

    @Slot(int)
    def _on_table_clicked(self, place: int) -> None:
        if self._view is not None:
            gap = self._view.largest[place]
            self._on_difference_clicked(gap.row, gap.column)

    @Slot(str)
    def _on_stage_clicked(self, stage: str) -> None:
        attn = self.selection.step.rpartition(".")[0]
        self.ask(step=f"{attn}.{stage}")

    @Slot(object)
    def _on_number_changed(self, _: object) -> None:
        self.look(other=(self._layer.number - 1, self._head.number - 1))

    @Slot()
    def _on_alone_clicked(self) -> None:
        self._text.clear()
        self.beside_requested.emit("")

    @Slot()
    def _on_text_finished(self) -> None:
        self.beside_requested.emit(self._text.whole_text)


def at_the_right(bar: QWidget) -> QHBoxLayout:
    """A row that holds a bar at its right end."""
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(bar)
    return row


def head_of(scene: Scene) -> Head:
    """The window's head."""
    return layer_of(scene), scene.selection.head


def other_of(scene: Scene) -> Head:
    """The head it is compared with, as far as the model has it."""
    config = scene.trace.config
    is_two = scene.beside is not None
    head = other_head(scene.viewing, head_of(scene), config.n_heads, is_two=is_two)
    n_layers = kind_of_scene(scene).n_layers
    return min(head[0], n_layers - 1), min(head[1], config.n_heads - 1)


def titled(kind: Kind, head: Head) -> str:
    """A head in words."""
    words = f"{kind.layer_words(head[0])} · head {head[1] + 1}"
    return f"{words[0].upper()}{words[1:]}"


def row_of(gap: Gap, view: CompareView) -> TableRow:
    """A line of the table."""
    difference = gap.one - gap.other
    limit = view.difference.scale.limit or 1.0
    return TableRow(
        f"{gap.query} → {gap.key}",
        (short(gap.one), short(gap.other), with_sign(difference)),
        difference / limit,
        "pattern",
    )
