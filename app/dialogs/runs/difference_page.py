"""Two checkpoints side by side: what one sentence does in each, and the difference.

In: runs, their checkpoints, and the sentence of the main window. Out: the wish to have
two checkpoints compared. A head of the map of all heads is chosen by a click.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.dialogs.runs.checkpoint_picker import CheckpointPicker
from app.session import Session
from app.style.fonts import SMALL, sans
from app.widgets.card import Card, give_the_rest, plain_label
from app.widgets.colour_bar import ColourBar
from app.widgets.elided import ElidedLabel
from app.widgets.heatmap import Heatmap
from app.widgets.number_table import NumberTable, TableRow
from app.widgets.qt_calls import tells_faults
from app.workers.runs import Compared, DifferenceRequest
from core.trace.matrix import Axis, FloatArray, Matrix, Scale
from core.trace.numbers import short
from core.trace.views.places import LabelOf
from core.training.runs import RunInfo
from core.training.timeline import LogitChange, Timeline, pattern_maps

GAP = 10
MARGINS = (14, 14, 14, 14)
LEAST_MAP = 120
NOTHING = "Choose two checkpoints; the sentence of the main window is read by both."
NO_SENTENCE = "Type a sentence in the main window; both checkpoints read it."
COLUMNS = ("logit", "→ logit", "%", "→ %")
"""Before and after."""
ROOM_OF_HEADS, ROOM_OF_TABLE = 2, 3
"""Shares of the upper row: two tables have more to say than the small map."""
LEAST_PERCENT = 0.01


@tells_faults
class DifferencePage(QWidget):
    """Pickers, heads, logits, and the maps of one head."""

    timelines_requested = Signal(object)
    """The checkpoints of these runs are wanted: a tuple of their folders."""
    difference_requested = Signal(object)
    """A `DifferenceRequest`."""

    def __init__(self, session: Session) -> None:
        """Nothing chosen yet."""
        super().__init__()
        self._session = session
        self._compared: Compared | None = None
        self._asked: DifferenceRequest | None = None
        self._head = (0, 0)
        self.before = CheckpointPicker("before")
        self.after = CheckpointPicker("after")
        self.sentence = ElidedLabel("muted")
        self.heads = Heatmap()
        self.raised, self.lowered = NumberTable("raised"), NumberTable("lowered")
        self.maps = (Heatmap(), Heatmap(), Heatmap())
        self._bars = (ColourBar(), ColourBar(), ColourBar())
        self._cards = tuple(Card() for _ in self.maps)
        self._all = Card("Change per head")
        self._up, self._down = Card("Raised as the next token"), Card("Lowered")
        self._hint = plain_label(NOTHING, "muted")
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        pickers = QHBoxLayout()
        pickers.setSpacing(GAP)
        pickers.addWidget(self.before, 1)
        pickers.addWidget(self.after, 1)
        self.sentence.setFont(sans(SMALL))
        upper, lower = QHBoxLayout(), QHBoxLayout()
        for card, inside, room in (
            (self._all, self.heads, ROOM_OF_HEADS),
            (self._up, self.raised, ROOM_OF_TABLE),
            (self._down, self.lowered, ROOM_OF_TABLE),
        ):
            give_the_rest(inside, LEAST_MAP)
            card.body.addWidget(inside, 1)
            upper.addWidget(card, room)
        for card, inside, bar in zip(self._cards, self.maps, self._bars, strict=True):
            give_the_rest(inside, LEAST_MAP)
            card.body.addWidget(inside, 1)
            card.body.addWidget(bar)
            lower.addWidget(card, 1)
        for row in (upper, lower):
            row.setSpacing(GAP)
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(*MARGINS)
        column_of_all.setSpacing(GAP)
        column_of_all.addLayout(pickers)
        column_of_all.addWidget(self._hint)
        column_of_all.addWidget(self.sentence)
        column_of_all.addLayout(upper, 4)
        column_of_all.addLayout(lower, 5)

    def _connect(self) -> None:
        for picker in (self.before, self.after):
            picker.run_changed.connect(self._on_run_changed)
            picker.checkpoint_changed.connect(self._on_checkpoint_changed)
        self.heads.cell_clicked.connect(self._on_head_clicked)
        self.heads.set_hover_text(self._head_tip)
        self._session.trace_changed.connect(self._on_session_trace_changed)

    # What there is to choose from.

    def show_runs(self, runs: tuple[RunInfo, ...]) -> None:
        """Offer the runs that have checkpoints; begin with the open model's."""
        with_models = tuple(run for run in runs if run.n_checkpoints)
        timeline = self._session.timeline
        first = timeline.run if timeline is not None else None
        is_new = [
            picker.show_runs(with_models, first) for picker in (self.before, self.after)
        ]
        if any(is_new) or self.isVisible():
            self._on_run_changed()

    def show_timelines(self, timelines: tuple[Timeline, ...]) -> None:
        """Offer the checkpoints of the chosen runs."""
        by_run = {each.run: each for each in timelines}
        card = self._session.model
        present = card.folder if card is not None else None
        for picker, is_last in ((self.before, False), (self.after, True)):
            run = picker.run
            timeline = by_run.get(run.resolve()) if run is not None else None
            if timeline is not None:
                picker.show_timeline(timeline, present if is_last else None, is_last)
        self._ask()

    @Slot()
    def _on_run_changed(self) -> None:
        runs = tuple(p.run for p in (self.before, self.after) if p.run is not None)
        if runs and self.isVisible():
            self.timelines_requested.emit(runs)

    @Slot()
    def _on_checkpoint_changed(self) -> None:
        self._ask()

    @Slot(object)
    def _on_session_trace_changed(self, _: object) -> None:
        self._ask()

    def _ask(self) -> None:
        """Have the two compared on the present sentence, once."""
        before, after = self.before.checkpoint, self.after.checkpoint
        text = self._session.text
        is_whole = before is not None and after is not None
        self._hint.setText(NO_SENTENCE if is_whole and not text else NOTHING)
        self._hint.setVisible(not (is_whole and text))
        target = self._session.target
        so_far = target.text if target else ""
        self.sentence.show_text(f"{text} → {so_far}" if target else text)
        if before is None or after is None or not text or not self.isVisible():
            return
        request = DifferenceRequest(before, after, text, so_far)
        if request != self._asked:
            self._asked = request
            self.difference_requested.emit(request)

    # What came of it.

    def show_compared(self, compared: Compared) -> None:
        """Show the differences of two checkpoints."""
        self._compared = compared
        found = compared.differences
        self.heads.show_matrix(heads_matrix(found.heads))
        layers, heads = found.heads.shape
        layer, head = self._head
        self._head = min(layer, layers - 1), min(head, heads - 1)
        limit = max(
            (abs(each.difference) for each in (*found.raised, *found.lowered)),
            default=1.0,
        )
        up, down = (
            tuple(row_of(each, limit, compared.label_of) for each in changes)
            for changes in (found.raised, found.lowered)
        )
        self.raised.show_rows(up, COLUMNS, "token", beside=down)
        self.lowered.show_rows(down, COLUMNS, "token", beside=up)
        self._show_head()

    def _show_head(self) -> None:
        if self._compared is None:
            return
        layer, head = self._head
        self.heads.set_selected(layer, head)
        matrices = pattern_maps(
            self._compared.before, self._compared.after, layer, head
        )
        titles = (self.before.words, self.after.words, "After less before")
        for place, matrix in enumerate(matrices):
            self._cards[place].set_title(titles[place])
            self.maps[place].show_matrix(matrix)
            self._bars[place].show_scale(matrix.scale, matrix.colour)
        self._all.set_note(f"Below: layer {layer + 1}, head {head + 1}.")

    @Slot(int, int)
    def _on_head_clicked(self, layer: int, head: int) -> None:
        self._head = (layer, head)
        self._show_head()

    def _head_tip(self, layer: int, head: int) -> str:
        matrix = self.heads.matrix
        if matrix is None:
            return ""
        share = float(matrix.values[layer, head])
        return (
            f"layer {layer + 1}, head {head + 1}\n"
            f"gives {share:.1%} of its attention elsewhere"
        )

    # Qt's calls.

    def showEvent(self, event: QShowEvent) -> None:
        """Look anew: runs and sentence may be others by now."""
        super().showEvent(event)
        self._on_run_changed()
        self._ask()


def heads_matrix(heads: FloatArray) -> Matrix:
    """The distances of all heads as a map: layers by heads."""
    layers, columns = (tuple(str(place + 1) for place in range(n)) for n in heads.shape)
    rows = Axis("layer", layers)
    return Matrix(heads, rows, Axis("head", columns), Scale("share", 1.0), "pattern")


def row_of(change: LogitChange, limit: float, label_of: LabelOf) -> TableRow:
    """A token whose logit has changed; the bar is as long as the change, either way."""
    raised = change.difference > 0
    moved = "rose" if raised else "fell"
    return TableRow(
        label_of(change.token_id),
        (
            short(change.before),
            short(change.after),
            percent(change.share_before),
            percent(change.share_after),
        ),
        abs(change.difference) / limit if limit else 0.0,
        "value" if raised else "negative",
        f"its logit {moved} by {short(abs(change.difference))}",
    )


def percent(share: float) -> str:
    """A probability in a narrow column: "12.3", "0.04", "<0.01"."""
    value = 100 * share
    if 0 < value < LEAST_PERCENT:
        return f"<{LEAST_PERCENT}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
