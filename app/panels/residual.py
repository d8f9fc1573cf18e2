"""The residual stream: what every part of every layer adds to each token.

Serves resid_in, resid_mid, resid_cross and resid_out. At the left the streams of all
tokens of the side with the present station marked; at the right the addition itself,
and the chosen token's norms from layer to layer.
"""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout

from app.panels.base import Panel
from app.scene import Scene
from app.session import Session
from app.style.fonts import LARGE, sans
from app.widgets.card import Card
from app.widgets.colour_bar import ColourBar
from app.widgets.figure_table import FigureTable
from app.widgets.label import elided
from app.widgets.number_table import TableRow
from app.widgets.stream import (
    ATTENTION,
    CROSS,
    FEED_FORWARD,
    SIDES,
    WITH_CROSS,
    Side,
    StreamRow,
    StreamView,
)
from app.widgets.stream import number as number_text
from app.widgets.strip import VectorStrip
from core.trace.matrix import Cell
from core.trace.needs import Index
from core.trace.selection import feature_of, pointed_at
from core.trace.step import DECODER, ENCODER, ONE, Step, side_of
from core.trace.trace import Trace
from core.trace.views.residual import (
    Addition,
    StreamNorms,
    addition_of,
    measure_cells,
    n_layers_of,
    norm_parts,
    station_keys,
    station_of,
    stream_norms,
    stream_scale,
)

CARD_GAP = 12
WIDEST_TOKEN = 120.0
"""A longer token is cut with "…" in a heading; its chip shows it whole."""
FREE = QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored
"""Cards keep their sizes whatever they show, so that a step forward moves nothing."""
STATIONS = {ATTENTION: "attn", CROSS: "cross", FEED_FORWARD: "ffn"}
HEADS = ("before", "added", "cosine", "after")
TITLES = {
    ONE: "Every token's stream, from embedding to logits",
    ENCODER: "Every source token's stream, from embedding to the decoder",
    DECODER: "Every target token's stream, from embedding to logits",
}
"""By side."""
N_NAMED = 3
"""Tokens that are named where some are cut."""
NOTHING_ADDED = "–"
"""In place of the cosine of a row that is 0."""
MEASURES = (
    "A length is the root of a row's summed squares. The cosine says where the added "
    "row points: 1 along the stream, 0 across it, −1 against it."
)
REPLACED_NOTE = (
    "Nothing is added in this model: what a part makes takes the stream's place."
)
POST_NOTE = "After every sum the stream is normed, so the next one starts afresh."


class ResidualPanel(Panel):
    """Streams, one addition, and the lengths along one stream."""

    def __init__(self, session: Session) -> None:
        """Empty cards."""
        super().__init__(session)
        self._scene: Scene | None = None
        self._addition: Addition | None = None
        self._measured: tuple[Trace, str, StreamNorms] | None = None
        self._stream, self._bar = StreamView(), ColourBar()
        self._strips = VectorStrip("The addition, number by number")
        self._table = FigureTable("Lengths along the chosen token's stream")
        self._stream.station_clicked.connect(self._on_stream_station_clicked)
        self._strips.cell_clicked.connect(self._on_strips_cell_clicked)
        self._table.row_clicked.connect(self._on_table_row_clicked)
        self._table.number_clicked.connect(self._on_table_number_clicked)
        self._streams = Card(TITLES[ONE])
        self._sum, self._lengths = Card(), Card()
        self._streams.body.addWidget(self._stream)
        self._sum.body.addWidget(self._strips, 1)
        self._sum.body.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignRight)
        self._lengths.body.addWidget(self._table)
        for picture in (self._stream, self._strips, self._table):
            picture.setSizePolicy(*FREE)
        beside = QVBoxLayout()
        beside.setSpacing(CARD_GAP)
        beside.addWidget(self._sum, 2)
        beside.addWidget(self._lengths, 3)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._streams, 3)
        row.addLayout(beside, 2)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The stream around every addition; most of it was kept."""
        return norm_parts(scene.trace, side_of(scene.selection.step))

    def display(self, scene: Scene) -> None:
        """Draw the streams, the present addition and the chosen token's table."""
        self._scene = scene
        trace, at = scene.trace, scene.selection
        step = trace.step(at.step)
        norms = self._norms(trace, step.side)
        station = station_of(trace, step)
        self._stream.set_selected(None if station is None else at.query, station)
        feature = feature_of(at, trace, "d_model")
        self._show_addition(addition_of(trace, step, at.query, feature), feature)
        label = trace.tokens(step.side).label(at.query)
        token = elided(label, sans(LARGE), WIDEST_TOKEN)
        self._sum.set_title(f"{token} · {_place(step)}")
        self._lengths.set_title(f"{token} · lengths, layer by layer")
        self._show_table(step, norms, at.query)
        self._table.set_selected(station)

    def _norms(self, trace: Trace, side: str) -> StreamNorms:
        """The lengths of a side's streams; measured, and drawn, when they are new."""
        if self._measured is not None and self._measured[:2] == (trace, side):
            return self._measured[2]
        norms = stream_norms(trace, side)
        self._measured = (trace, side, norms)
        self._show_streams(trace, side, norms)
        return norms

    def _show_streams(self, trace: Trace, side: str, norms: StreamNorms) -> None:
        tokens = trace.tokens(side)
        labels = map(tokens.label, range(tokens.n))
        added, carried = norms.added.T.tolist(), norms.carried.T.tolist()
        rows = tuple(
            StreamRow(label, tuple(joined), tuple(stream))
            for label, joined, stream in zip(labels, added, carried, strict=True)
        )
        n_layers = n_layers_of(trace, side)
        names = tuple(f"layer {i + 1}" for i in range(n_layers))
        scale = stream_scale(norms)
        self._stream.show_rows(rows, names, scale.limit, sides_of(side))
        self._streams.set_note(cut_words([rows[at].label for at in scale.cut]))
        self._streams.set_title(TITLES[side])

    def _show_addition(self, addition: Addition, feature: int) -> None:
        self._addition = addition
        self._strips.show_vectors(addition.rows)
        own = addition.keys.index(self._own_key(addition))
        self._strips.set_selected(own, feature)
        self._bar.show_scale(addition.rows.scale, addition.rows.colour)
        self._sum.set_note(f"Feature {feature + 1}: {addition.note}")

    def _own_key(self, addition: Addition) -> str:
        """The row of the present step: its own, or the last one that it hands on."""
        assert self._scene is not None
        step = self._scene.selection.step
        return step if step in addition.keys else addition.keys[-1]

    def _show_table(self, step: Step, norms: StreamNorms, query: int) -> None:
        sides = sides_of(step.side)
        columns = (norms.before, norms.added, norms.cosine, norms.after)
        table = [column[:, query].tolist() for column in columns]
        most = max(table[1]) or 1.0
        rows = tuple(
            TableRow(
                f"{station // len(sides) + 1} {STATIONS[sides[station % len(sides)]]}",
                texts_of(numbers),
                numbers[1] / most,
                sides[station % len(sides)].role,
                ink=sides[station % len(sides)].role,
            )
            for station, numbers in enumerate(zip(*table, strict=True))
        )
        self._table.show_rows(rows, HEADS, "layer")
        self._lengths.set_note(self._note())

    def _note(self) -> str:
        """What the lengths mean, and what is particular to the model."""
        assert self._scene is not None
        config = self._scene.trace.config
        if not config.residual:
            return REPLACED_NOTE
        return f"{MEASURES} {POST_NOTE}" if config.norm_place == "post" else MEASURES

    # What the reader does.

    @Slot(int, int)
    def _on_stream_station_clicked(self, row: int, station: int) -> None:
        self._ask(station, row)

    @Slot(int)
    def _on_table_row_clicked(self, row: int) -> None:
        if self._scene is not None:
            self._ask(row, self._scene.selection.query)

    @Slot(int, int)
    def _on_table_number_clicked(self, station: int, column: int) -> None:
        """Go to the sum at a station, and have a length or the cosine explained."""
        if self._scene is None:
            return
        trace, at = self._scene.trace, self._scene.selection
        place = (at.query, feature_of(at, trace, "d_model"))
        key = station_keys(trace, side_of(at.step))[station]
        moved = pointed_at(at, trace, Cell(key, place))
        asked = measure_cells(trace, key, at.query)[column]
        self.session.request_selection(replace(moved, focus=asked))

    def _ask(self, station: int, query: int) -> None:
        """Go to the sum at a station, for a token and the same feature."""
        if self._scene is not None:
            at = self._scene.selection
            feature = feature_of(at, self._scene.trace, "d_model")
            key = station_keys(self._scene.trace, side_of(at.step))[station]
            self.point_at(self._scene, Cell(key, (query, feature)))

    @Slot(int, int)
    def _on_strips_cell_clicked(self, row: int, column: int) -> None:
        if self._scene is not None and self._addition is not None:
            query = self._scene.selection.query
            self.point_at(self._scene, Cell(self._addition.keys[row], (query, column)))


def sides_of(side: str) -> tuple[Side, ...]:
    """The stations of a layer on a side of a model."""
    return WITH_CROSS if side == DECODER else SIDES


def _place(step: Step) -> str:
    """Where in the stream a step is: "into layer 2", "layer 2"."""
    before = "into " if step.name == "resid_in" else ""
    return f"{before}layer {(step.layer or 0) + 1}"


def cut_words(labels: Sequence[str]) -> str:
    """Which tokens are drawn lower than they are; "" where none is."""
    if not labels:
        return ""
    named = ", ".join(elided(label, sans(), WIDEST_TOKEN) for label in labels[:N_NAMED])
    more = f" and {len(labels) - N_NAMED} more" if len(labels) > N_NAMED else ""
    return f"{named}{more}: far longer than the others, cut where the scale ends"


def texts_of(numbers: Sequence[float]) -> tuple[str, ...]:
    """The lengths and the cosine of a station; where nothing is added it has none."""
    texts = list(map(number_text, numbers))
    if numbers[1] == 0:
        texts[HEADS.index("cosine")] = NOTHING_ADDED
    return tuple(texts)
