"""How the next token is drawn: a field for each number of `Sampling`, with its effect.

The fields hold nothing: they show the scene's sampling and ask for another.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton

from app.panels.output import words
from app.style.fonts import SMALL, sans
from app.style.icons import show_icon
from app.widgets.card import Card, plain_label
from app.widgets.number_field import DecimalField, WholeField
from core.generation.sampling import SEED_LIMIT, Sampling, random_seed
from core.trace.views.output import PickView

COLUMN_GAP, ROW_GAP = 8, 7
GRID_ROWS = 3
"""Title and field, the hint, a gap."""
FIELD_WIDTH = 120
"""Room for any seed that the program draws."""
MOST_TOP_K = 1_000_000


@dataclass(frozen=True, slots=True)
class ControlRow:
    """One number of the sampling."""

    name: str
    """The field of `Sampling`."""
    title: str
    tip: str
    make: Callable[[], DecimalField | WholeField]
    hint: Callable[[PickView], str]
    """What it does at the moment."""


CONTROLS = (
    ControlRow(
        "temperature",
        "Temperature",
        "Logits are divided by it; 0 always takes the likeliest.",
        partial(DecimalField, 0.0, 100.0, 0.1),
        words.temperature_hint,
    ),
    ControlRow(
        "top_k",
        "Top-k",
        "Only this many of the likeliest can be drawn; 0 is off.",
        partial(WholeField, 0, MOST_TOP_K),
        words.top_k_hint,
    ),
    ControlRow(
        "top_p",
        "Top-p",
        "Only the likeliest that reach this sum can be drawn; 1 is off.",
        partial(DecimalField, 0.0001, 1.0, 0.05),
        words.top_p_hint,
    ),
    ControlRow(
        "repetition_penalty",
        "Repetition penalty",
        "Above 1, tokens that the text already has become less likely; 1 is off.",
        partial(DecimalField, 0.01, 10.0, 0.1),
        words.penalty_hint,
    ),
    ControlRow(
        "seed",
        "Seed",
        "The same seed draws the same tokens again.",
        partial(WholeField, 0, SEED_LIMIT - 1),
        words.seed_hint,
    ),
)
"""The controls in the order in which they act."""


class ControlsCard(Card):
    """The only inputs of the panel."""

    sampling_requested = Signal(object)
    """Another `Sampling` is asked for."""

    def __init__(self) -> None:
        """Fields for the sampling that is the default."""
        super().__init__("How it is drawn")
        self._sampling = Sampling()
        self._hints: dict[str, QLabel] = {}
        self.fields: dict[str, DecimalField | WholeField] = {}
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(COLUMN_GAP)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        for row in CONTROLS:
            self._add(row)
        self.body.addLayout(self._grid)
        self.new_seed = QToolButton()
        self.new_seed.setObjectName("output.new_seed")
        self.new_seed.setToolTip("Draw a new seed; its number is shown")
        self.new_seed.setAccessibleName("new seed")
        show_icon(self.new_seed, "dice")
        self.new_seed.clicked.connect(self._on_new_seed_clicked)
        beside = Qt.AlignmentFlag.AlignRight
        self._grid.addWidget(self.new_seed, GRID_ROWS * (len(CONTROLS) - 1), 0, beside)

    def show_sampling(self, sampling: Sampling, view: PickView | None) -> None:
        """Show the numbers, and what each does where there is something to draw."""
        self._sampling = sampling
        for row in CONTROLS:
            self.fields[row.name].show_number(getattr(sampling, row.name))
            self._hints[row.name].setText("" if view is None else row.hint(view))

    def _add(self, row: ControlRow) -> None:
        """A title and its field on one line, the hint below them."""
        field, title = row.make(), plain_label(row.title)
        hint = plain_label(ink="muted")
        hint.setFont(sans(SMALL))
        field.setObjectName(f"output.{row.name}")
        field.setAccessibleName(row.title)
        field.setFixedWidth(FIELD_WIDTH)
        for widget in (field, title, hint):
            widget.setToolTip(row.tip)
        field.number_changed.connect(partial(self._ask, row.name))
        top = GRID_ROWS * len(self.fields)
        self._grid.addWidget(title, top, 0)
        self._grid.addWidget(field, top, 1)
        self._grid.addWidget(hint, top + 1, 0, 1, 2)
        self._grid.setRowMinimumHeight(top + 2, ROW_GAP)
        self.fields[row.name], self._hints[row.name] = field, hint

    def _ask(self, name: str, number: float) -> None:
        self.sampling_requested.emit(replace(self._sampling, **{name: number}))  # type: ignore[arg-type]

    @Slot()
    def _on_new_seed_clicked(self) -> None:
        self._ask("seed", random_seed())
