"""What every picture of attention leaves out, joins and colours: a button with a sheet.

In: the viewing. Out: the viewing that was asked for. A switch applies at once.
"""

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.style.fonts import SMALL, sans
from app.style.icons import show_icon
from app.style.sheet import CARD_PADDING
from app.widgets.card import plain_label
from app.widgets.label import as_tip
from app.widgets.number_field import DecimalField
from app.widgets.segments import Segments
from core.trace.viewing import PLAIN, SINKS, Viewing

ROW_GAP, COLUMN_GAP = 8, 12
BELOW = 4
"""Between the button and its sheet."""
STEP = 0.01
COLOURS = ("linear", "logarithmic")
ABOUT = (
    "The first token takes attention that a head has no use for. Left out, the others "
    "share what it left over. Nothing of this changes a number of the model."
)
COUNTED = ("sink", "is_log", "threshold", "whole_words", "hides_specials")
"""The fields of a `Viewing` that are set here."""


def n_set(viewing: Viewing) -> int:
    """How many of the options are other than plain."""
    return sum(getattr(viewing, name) != getattr(PLAIN, name) for name in COUNTED)


class OptionsButton(QPushButton):
    """Says how many options are on, and opens their sheet."""

    viewing_requested = Signal(object)
    """The reader wants to look in another way: the `Viewing` that follows."""

    def __init__(self) -> None:
        """Nothing is set."""
        super().__init__()
        self.setProperty("kind", "flat")
        self.setObjectName("attention.options")
        self.setToolTip(as_tip("What the pictures leave out, join and colour"))
        show_icon(self, "sliders", "muted")
        self._sheet = OptionsSheet(self)
        self._sheet.viewing_requested.connect(self.viewing_requested)
        self.clicked.connect(self._on_clicked)
        self.show_viewing(PLAIN)

    def show_viewing(self, viewing: Viewing) -> None:
        """Say what is set, here and in the sheet."""
        n = n_set(viewing)
        self.setText(f"Options · {n} on" if n else "Options")
        self._sheet.show_viewing(viewing)

    @Slot()
    def _on_clicked(self) -> None:
        corner = self.mapToGlobal(self.rect().bottomRight())
        self._sheet.adjustSize()
        self._sheet.move(corner - QPoint(self._sheet.width() - 1, -BELOW))
        self._sheet.show()
        self._sheet.begin()


class OptionsSheet(QFrame):
    """The options, a line each."""

    viewing_requested = Signal(object)
    """The reader wants to look in another way: the `Viewing` that follows."""

    def __init__(self, parent: QWidget) -> None:
        """Nothing is set."""
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("card", True)
        self.setObjectName("attention.sheet")
        self._viewing = PLAIN
        self._sink = Segments(SINKS, "sink")
        self._colour = Segments(COLOURS, "colour")
        self._threshold = DecimalField(0.0, 1.0, STEP)
        self._threshold.setObjectName("attention.threshold")
        self._words = QCheckBox("join the tokens of a word")
        self._words.setObjectName("attention.words")
        self._specials = QCheckBox("hide special tokens")
        self._specials.setObjectName("attention.specials")
        self._plain = QPushButton("As recorded")
        self._plain.setProperty("kind", "flat")
        self._arrange()
        self._connect()

    def _arrange(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(COLUMN_GAP)
        grid.setVerticalSpacing(ROW_GAP)
        rows: tuple[tuple[str, QWidget], ...] = (
            ("First token", self._sink),
            ("Colours", self._colour),
            ("No colour under", self._threshold),
            ("Words", self._words),
            ("Specials", self._specials),
        )
        left = Qt.AlignmentFlag.AlignLeft
        for place, (name, field) in enumerate(rows):
            grid.addWidget(plain_label(name, "muted"), place, 0)
            grid.addWidget(field, place, 1, left)
        about = plain_label(ABOUT, "muted")
        about.setFont(sans(SMALL))
        about.setWordWrap(True)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._plain)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[CARD_PADDING] * 4)
        column.setSpacing(COLUMN_GAP)
        column.addLayout(grid)
        column.addWidget(about)
        column.addLayout(foot)

    def _connect(self) -> None:
        self._sink.chosen.connect(self._on_sink_chosen)
        self._colour.chosen.connect(self._on_colour_chosen)
        self._threshold.number_changed.connect(self._on_threshold_changed)
        self._words.clicked.connect(self._on_words_clicked)
        self._specials.clicked.connect(self._on_specials_clicked)
        self._plain.clicked.connect(self._on_plain_clicked)

    def begin(self) -> None:
        """Let keys go to the first field."""
        self._sink.focus()

    def show_viewing(self, viewing: Viewing) -> None:
        """Set every field."""
        self._viewing = viewing
        self._sink.set_place(SINKS.index(viewing.sink))
        self._colour.set_place(int(viewing.is_log))
        self._threshold.show_number(viewing.threshold)
        self._words.setChecked(viewing.whole_words)
        self._specials.setChecked(viewing.hides_specials)
        self._plain.setEnabled(bool(n_set(viewing)))

    def _ask(self, **fields: object) -> None:
        changed = replace(self._viewing, **fields)  # type: ignore[arg-type]
        self.viewing_requested.emit(changed)

    @Slot(int)
    def _on_sink_chosen(self, place: int) -> None:
        self._ask(sink=SINKS[place])

    @Slot(int)
    def _on_colour_chosen(self, place: int) -> None:
        self._ask(is_log=bool(place))

    @Slot(float)
    def _on_threshold_changed(self, number: float) -> None:
        self._ask(threshold=number)

    @Slot(bool)
    def _on_words_clicked(self, is_on: bool) -> None:
        self._ask(whole_words=is_on)

    @Slot(bool)
    def _on_specials_clicked(self, is_on: bool) -> None:
        self._ask(hides_specials=is_on)

    @Slot()
    def _on_plain_clicked(self) -> None:
        self._ask(**{name: getattr(PLAIN, name) for name in COUNTED})
