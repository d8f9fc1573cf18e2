"""The left side of the embedding panel: the table, and the rows the sentence takes.

At embed.token the rows of the table around the chosen one stand below; at embed.scaled
the sentence's rows after the scaling.
"""

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.scene import Scene
from app.style.fonts import SMALL, sans
from app.widgets.card import GAP, Card, give_the_rest
from app.widgets.colour_bar import ColourBar
from app.widgets.elided import ElidedLabel
from app.widgets.heatmap import Heatmap
from app.widgets.strip import VectorStrip
from app.widgets.table_strip import TableStrip
from core.trace.step import on_side
from core.trace.token_side import TEXTS
from core.trace.views.embedding import (
    SCALED,
    TOKEN,
    Table,
    chosen_place,
    embedding_rows,
    overview,
    row_in_band,
    scaling_words,
    table_of,
    table_rows,
    weight_cell,
    window,
)
from core.trace.views.hover import hover_text

LEAST_HEIGHT = 100
WINDOW_HEIGHT = 190
"""Five rows of the table and their title."""
IN_USE = "the rows that the {text} takes, in its order"


class RowsMap(QWidget):
    """The sentence's rows at one step, with the range of their colours below."""

    cell_requested = Signal(object)
    """A number was clicked: `Cell`."""

    def __init__(self) -> None:
        """No rows yet."""
        super().__init__()
        self._scene: Scene | None = None
        self.map, self.bar = Heatmap(may_be_square=False), ColourBar()
        give_the_rest(self.map, LEAST_HEIGHT)
        self.map.set_hover_text(self._hover_text)
        self.map.cell_clicked.connect(self._on_map_cell_clicked)
        self.caption = ElidedLabel("muted")
        self.caption.setFont(sans(SMALL))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP // 2)
        column.addWidget(self.caption)
        column.addWidget(self.map, 1)
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignRight)

    def display(self, scene: Scene, key: str, caption: str) -> None:
        """Show the rows of a step, the selected number, and a line above them."""
        shown = self.map.matrix
        is_of_it = self._scene is not None and self._scene.trace is scene.trace
        if shown is None or not is_of_it or shown.key != key:
            matrix = embedding_rows(scene.trace, key)
            self.map.show_matrix(matrix)
            self.bar.show_scale(matrix.scale, matrix.colour)
        self._scene = scene
        place = chosen_place(scene.trace, scene.selection)
        self.map.set_selected(*place)
        self.map.set_highlight(place[0], None)
        self.caption.show_text(caption)

    def row_middle(self, row: int) -> float | None:
        """The y at which a row is drawn; None while nothing is."""
        picture = self.map.picture()
        if picture is None or not picture.shows((row, 0)):
            return None
        return self.map.y() + picture.rectangle((row, 0)).center().y()

    @Slot(int, int)
    def _on_map_cell_clicked(self, row: int, column: int) -> None:
        if self.map.matrix is not None:
            self.cell_requested.emit(self.map.matrix.cell(row, column))

    def _hover_text(self, row: int, column: int) -> str:
        if self._scene is None or self.map.matrix is None:
            return ""
        cell = self.map.matrix.cell(row, column)
        return hover_text(self._scene.trace, cell, self._scene.tokenizer.label)


class WindowRows(QWidget):
    """Rows of the table itself: those around the chosen one, or two to compare."""

    cell_requested = Signal(object)
    """A number was clicked: `Cell`."""

    def __init__(self) -> None:
        """No rows yet."""
        super().__init__()
        self._ids: tuple[int, ...] = ()
        self.title = ElidedLabel("muted")
        self.title.setFont(sans(SMALL))
        self.strip = VectorStrip("Rows of the table")
        self.strip.cell_clicked.connect(self._on_strip_cell_clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP // 2)
        column.addWidget(self.title)
        column.addWidget(self.strip, 1)

    def display(self, scene: Scene) -> None:
        """Show the rows around the query's, or that one beside the row asked for."""
        shown = window(scene.trace, scene.selection)
        self._ids = shown.ids
        self.title.show_text(shown.title)
        matrix = table_rows(scene.trace, shown.ids, scene.tokenizer.label)
        self.strip.show_vectors(matrix)
        self.strip.set_selected(*shown.selected)

    @Slot(int, int)
    def _on_strip_cell_clicked(self, row: int, column: int) -> None:
        self.cell_requested.emit(weight_cell(self._ids[row], column))


class TableCard(Card):
    """The whole table as a slim strip, its rows in use pulled out in reading order."""

    cell_requested = Signal(object)
    """A number was clicked: `Cell`."""

    def __init__(self) -> None:
        """No table yet."""
        super().__init__("Table")
        self._table: Table | None = None
        self.strip = TableStrip()
        self.rows, self.around, self.scaled = RowsMap(), WindowRows(), RowsMap()
        column = QVBoxLayout()
        column.setSpacing(GAP)
        column.addWidget(self.rows, 1)
        column.addWidget(self.around)
        column.addWidget(self.scaled, 1)
        self.around.setFixedHeight(WINDOW_HEIGHT)
        self.scaled.hide()  # both below at once would ask for too much height
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.strip)
        row.addLayout(column, 1)
        self.body.addLayout(row)
        self.strip.lead_to(self._row_middle)
        self.strip.cell_clicked.connect(self._on_strip_cell_clicked)
        for part in (self.rows, self.around, self.scaled):
            part.cell_requested.connect(self.cell_requested)

    def display(self, scene: Scene) -> None:
        """Show the table and the rows, before and after the scaling."""
        trace, selection = scene.trace, scene.selection
        self._table = table = table_of(trace)
        n_rows, n_features = table.shape
        self.set_title(f"W_E: {n_rows:,} rows of {n_features:,} numbers")
        whole = overview(table)
        self.strip.show_table(whole.matrix, n_rows, whole.rows_per_band)
        token, scaled = (on_side(selection.step, name) for name in (TOKEN, SCALED))
        is_scaled = selection.step != token
        self.around.setVisible(not is_scaled)
        self.scaled.setVisible(is_scaled)
        if is_scaled:
            before, after = scaling_words(trace, selection)
            self.rows.display(scene, token, before)
            self.scaled.display(scene, scaled, after)
        else:
            text = TEXTS[scene.tokens.name]
            self.rows.display(scene, token, IN_USE.format(text=text))
            self.around.display(scene)
        self.strip.show_used(scene.tokens.encoding.ids, selection.query)

    def _row_middle(self, row: int) -> float | None:
        """Where the strip's line to a row of the sentence ends."""
        middle = self.rows.row_middle(row)
        if middle is None:
            return None
        inside = self.rows.mapTo(self, QPoint(0, round(middle)))
        return float(self.strip.mapFrom(self, inside).y())

    @Slot(int, int)
    def _on_strip_cell_clicked(self, band: int, column: int) -> None:
        if self._table is not None:
            row = row_in_band(self._table, band, column)
            self.cell_requested.emit(weight_cell(row, column))
