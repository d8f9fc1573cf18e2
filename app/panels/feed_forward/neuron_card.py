"""One neuron on the curve of the bend, and who is strongest, in two lists.

The neurons that write most at the chosen token; the tokens at which the chosen neuron
is most active.
"""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QStackedWidget

from app.panels.feed_forward.page import FREE, ROLE
from app.style.fonts import SMALL, sans
from app.widgets.card import Card, plain_label
from app.widgets.lines import Curve, Lines
from app.widgets.number_table import NumberTable, TableRow
from core.trace.matrix import Cell
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.views.feed_forward import HiddenView

CURVE_HEIGHT = 130
LISTS = ("strongest neurons", "tokens")
SHARE_HEAD = "writes"
SHARE_NOTE = "writes = |active| · ‖its row of W_2‖ / ‖out‖"


class NeuronCard(Card):
    """Curve above, lists below."""

    cell_clicked = Signal(object)
    """The `Cell` of the neuron or token that was chosen."""

    def __init__(self) -> None:
        """No neuron yet."""
        super().__init__()
        self.place = (0, 0)
        """The chosen token and neuron."""
        self._view: HiddenView | None = None
        self._equation = plain_label(ink="muted")
        self.head.addWidget(self._equation)
        self._curve = Lines("The activation's curve")
        self._curve.setMinimumHeight(CURVE_HEIGHT)
        self._neurons = NumberTable("Strongest neurons of the token")
        self._tokens = NumberTable("Tokens by this neuron's activation")
        for picture in (self._curve, self._neurons, self._tokens):
            picture.setSizePolicy(*FREE)
        self._lists = QStackedWidget()
        self._lists.addWidget(self._neurons)
        self._lists.addWidget(self._tokens)
        self.body.addWidget(self._curve, 5)
        self.body.addLayout(self._switch())
        self.body.addWidget(self._lists, 6)
        self._curve.x_clicked.connect(self._on_curve_x_clicked)
        self._neurons.row_clicked.connect(self._on_neurons_row_clicked)
        self._tokens.row_clicked.connect(self._on_tokens_row_clicked)

    def _switch(self) -> QHBoxLayout:
        """The two segments that choose a list."""
        row = QHBoxLayout()
        row.setSpacing(0)
        self._segments = QButtonGroup(self)
        for place, name in enumerate(LISTS):
            button = QPushButton(name)
            button.setCheckable(True)
            button.setChecked(place == 0)
            button.setProperty("kind", "segment")
            button.setObjectName(f"feed_forward.{name.replace(' ', '_')}")
            self._segments.addButton(button, place)
            row.addWidget(button)
        row.addStretch(1)
        self._segments.idClicked.connect(self._lists.setCurrentIndex)
        return row

    def show_neuron(
        self, trace: Trace, view: HiddenView, place: tuple[int, int]
    ) -> None:
        """Show the neuron at `place`, a (token, neuron), on the curve and the lists."""
        self._view, self.place = view, place
        query, neuron = place
        self.set_title(f"Neuron {neuron + 1}")
        self._equation.setText(view.equation if trace.config.gated else "")
        self._equation.setFont(sans(SMALL))
        bend = view.bend
        curve = Curve("", bend.x, bend.y, ROLE, bend.dots)
        self._curve.show_curves((curve,), bend.argument, bend.name)
        self._curve.set_mark(float(bend.x[bend.dots[query]]))
        self._show_neurons(view, neuron)
        self._show_tokens(trace, view, place)
        self.set_note(f"{SHARE_NOTE} · {view.note}")

    def _show_neurons(self, view: HiddenView, neuron: int) -> None:
        most = max((each.share for each in view.neurons), default=0.0) or 1.0
        rows = tuple(
            TableRow(
                str(each.index + 1),
                (*map(short, each.values), f"{each.share:.2f}"),
                each.share / most,
                ROLE,
                SHARE_NOTE,
            )
            for each in view.neurons
        )
        self._neurons.show_rows(rows, (*self._stage_names(view), SHARE_HEAD), "neuron")
        indices = [each.index for each in view.neurons]
        self._neurons.set_selected(indices.index(neuron) if neuron in indices else None)

    def _show_tokens(
        self, trace: Trace, view: HiddenView, place: tuple[int, int]
    ) -> None:
        tokens = trace.rows_of(view.stages[0])
        columns = [trace.part(stage, (None, place[1])) for stage in view.stages]
        most = float(abs(columns[-1][list(view.tokens)]).max()) or 1.0
        rows = tuple(
            TableRow(
                tokens.label(token),
                tuple(short(float(column[token])) for column in columns),
                float(columns[-1][token]) / most,
                ROLE,
                f"token {token + 1}",
            )
            for token in view.tokens
        )
        self._tokens.show_rows(rows, self._stage_names(view), "token")
        is_listed = place[0] in view.tokens
        self._tokens.set_selected(view.tokens.index(place[0]) if is_listed else None)

    def _stage_names(self, view: HiddenView) -> tuple[str, ...]:
        return view.strips.rows.labels

    @Slot(float)
    def _on_curve_x_clicked(self, x: float) -> None:
        """Choose the token whose dot it is."""
        if self._view is not None:
            bend = self._view.bend
            found = [float(bend.x[dot]) == x for dot in bend.dots]
            self._ask(found.index(True), self.place[1])

    @Slot(int)
    def _on_neurons_row_clicked(self, row: int) -> None:
        if self._view is not None:
            self._ask(self.place[0], self._view.neurons[row].index)

    @Slot(int)
    def _on_tokens_row_clicked(self, row: int) -> None:
        if self._view is not None:
            self._ask(self._view.tokens[row], self.place[1])

    def _ask(self, token: int, neuron: int) -> None:
        assert self._view is not None
        self.cell_clicked.emit(Cell(self._view.whole.key, (token, neuron)))
