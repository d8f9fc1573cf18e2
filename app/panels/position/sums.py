"""The upper card of the position panel: token + position = sum, maps in a row."""

from functools import partial
from itertools import product

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel

from app.scene import Scene
from app.style.fonts import LARGE, SMALL, TITLE, mono, sans
from app.widgets.card import GAP, Card, give_the_rest, plain_label, set_ink
from app.widgets.colour_bar import ColourBar
from app.widgets.heatmap import Heatmap
from core.trace.matrix import Matrix
from core.trace.views.hover import hover_text
from core.trace.views.position import sum_keys, sum_maps, sum_place, sum_values

PARTS = ("token", "position", "segment", "sum")
WITHOUT_SEGMENTS = (0, 1, 3)
"""The parts of a model that tells no segments apart."""
SIGNS = ("+", "+", "=")
SHARES = (8, 7, 7, 7)
"""Width of the maps: the first one has the labels of the rows too."""
LEAST_HEIGHT = 104


class SumCard(Card):
    """Maps with plus and equals between them, and the chosen numbers below."""

    cell_requested = Signal(object)
    """A number was clicked: `Cell`."""

    def __init__(self) -> None:
        """Empty maps."""
        super().__init__("Each token's row plus its position's row")
        self._scene: Scene | None = None
        self.bar = ColourBar()
        self.head.addWidget(self.bar)
        self.maps = tuple(Heatmap(may_be_square=False) for _ in PARTS)
        self.titles = tuple(plain_label(part, "muted") for part in PARTS)
        self.values = tuple(plain_label() for _ in PARTS)
        self._grid = grid = QGridLayout()
        grid.setSpacing(GAP // 2)
        for place in range(len(PARTS)):
            self._add_part(grid, place)
        for place, sign in enumerate(SIGNS):
            grid.addWidget(_sign(sign, TITLE), 1, 2 * place + 1)
            grid.addWidget(_sign(sign, LARGE), 2, 2 * place + 1)
        self._parts: tuple[int, ...] = ()
        self._show_parts(tuple(range(len(PARTS))))
        grid.setRowStretch(1, 1)
        self.body.addLayout(grid)

    @property
    def shown_maps(self) -> tuple[Heatmap, ...]:
        """The maps of what is added, and of the sum."""
        return tuple(self.maps[part] for part in self._parts)

    def _add_part(self, grid: QGridLayout, place: int) -> None:
        """One map under its name, its chosen number below."""
        grid.setColumnStretch(2 * place, SHARES[place])
        title, value, shown = self.titles[place], self.values[place], self.maps[place]
        title.setFont(sans(SMALL))
        value.setFont(mono(LARGE))
        for label in (title, value):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        give_the_rest(shown, LEAST_HEIGHT)
        grid.addWidget(title, 0, 2 * place)
        grid.addWidget(shown, 1, 2 * place)
        grid.addWidget(value, 2, 2 * place)
        shown.set_hover_text(partial(self._hover_text, place))
        shown.cell_clicked.connect(self._on_map_cell_clicked)

    def display(self, scene: Scene) -> None:
        """Show the addition; the part that the step makes is named in full ink."""
        before, side = self._scene, scene.tokens.name
        is_new = (
            before is None
            or before.trace is not scene.trace
            or before.tokens.name != side
        )
        self._scene = scene
        if is_new:
            self._show_maps(sum_maps(scene.trace, side))
        place = sum_place(scene.trace, scene.selection)
        numbers = sum_values(scene.trace, scene.selection)
        keys = sum_keys(scene.trace, side)
        for part, key, number in zip(self._parts, keys, numbers, strict=True):
            self.maps[part].set_selected(*place)
            self.maps[part].set_highlight(place[0], None)
            is_made = key == scene.selection.step
            set_ink(self.titles[part], "" if is_made else "muted")
            self.values[part].setText(number)

    def _show_maps(self, matrices: tuple[Matrix, ...]) -> None:
        has_segments = len(matrices) == len(PARTS)
        self._show_parts(tuple(range(len(PARTS))) if has_segments else WITHOUT_SEGMENTS)
        for part, matrix in zip(self._parts, matrices, strict=True):
            self.maps[part].show_matrix(matrix)
            self.titles[part].setText(f"{PARTS[part]} · {matrix.key}")
        self.bar.show_scale(matrices[-1].scale, matrices[-1].colour)

    def _show_parts(self, parts: tuple[int, ...]) -> None:
        """Leave out the column of what is not added, and the plus before it."""
        self._parts = parts
        for part, share in enumerate(SHARES):
            is_shown = part in parts
            columns = (2 * part, 2 * part - 1) if part else (0,)
            for row, column in product(range(3), columns):
                item = self._grid.itemAtPosition(row, column)
                if item is not None and (widget := item.widget()) is not None:
                    widget.setVisible(is_shown)
            self._grid.setColumnStretch(2 * part, share if is_shown else 0)

    @Slot(int, int)
    def _on_map_cell_clicked(self, row: int, column: int) -> None:
        clicked = self.sender()
        if isinstance(clicked, Heatmap) and clicked.matrix is not None:
            self.cell_requested.emit(clicked.matrix.cell(row, column))

    def _hover_text(self, place: int, row: int, column: int) -> str:
        matrix = self.maps[place].matrix
        if self._scene is None or matrix is None:
            return ""
        cell = matrix.cell(row, column)
        return hover_text(self._scene.trace, cell, self._scene.tokenizer.label)


def _sign(sign: str, size: int) -> QLabel:
    label = plain_label(sign, "muted")
    label.setFont(mono(size))
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
