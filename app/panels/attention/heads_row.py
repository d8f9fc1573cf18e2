"""The heads of a layer as switches, with words before them and two ways to hurry."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.widgets.card import GAP, plain_label
from app.widgets.head_chips import HeadChips
from core.config import ModelConfig
from core.trace.viewing import Head, Viewing


class HeadsRow(QWidget):
    """Which heads of a layer are looked at together."""

    gathered = Signal(object)
    """The heads of this layer that shall be shown: a tuple of places, from 0."""

    picked = Signal(int)
    """The head that shall be looked at, where only one can be."""

    def __init__(self, *, is_coloured: bool) -> None:
        """No heads."""
        super().__init__()
        self._n = 0
        self._on: tuple[int, ...] = ()
        self._picks_one = False
        self.chips = HeadChips(is_coloured=is_coloured)
        self.chips.setObjectName("heads.chips")
        self._all, self._one = QPushButton("All"), QPushButton("One")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(plain_label("Heads", "muted"), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.chips, 1)
        for button, tip in ((self._all, ALL_TIP), (self._one, ONE_TIP)):
            button.setProperty("kind", "flat")
            button.setObjectName(f"heads.{button.text().lower()}")
            button.setToolTip(tip)
            row.addWidget(button, 0, top)
        self.chips.head_clicked.connect(self._on_chips_head_clicked)
        self._all.clicked.connect(self._on_all_clicked)
        self._one.clicked.connect(self._on_one_clicked)

    def show_heads(
        self,
        config: ModelConfig,
        on: Sequence[int],
        layer: int,
        *,
        picks_one: bool = False,
    ) -> None:
        """Show which heads of a layer are on; with `picks_one` a click moves."""
        n = config.n_heads
        self._n, self._on, self._picks_one = n, tuple(on), picks_one
        self.chips.show_heads(n, frozenset(on), layer, key_heads(config))
        self._all.setEnabled(len(self._on) < n)
        self._one.setEnabled(len(self._on) > 1)
        for button in (self._all, self._one):
            button.setVisible(not picks_one)

    @Slot(int)
    def _on_chips_head_clicked(self, head: int) -> None:
        kept = {*self._on} ^ {head}
        if self._picks_one:
            self.picked.emit(head)
        elif kept:  # one head at least is always shown
            self.gathered.emit(tuple(sorted(kept)))

    @Slot()
    def _on_all_clicked(self) -> None:
        self.gathered.emit(tuple(range(self._n)))

    @Slot()
    def _on_one_clicked(self) -> None:
        self.gathered.emit(())


ALL_TIP = "Show every head of this layer"
ONE_TIP = "Show only the selected head"


def key_heads(config: ModelConfig) -> tuple[str, ...]:
    """Which key head each head uses, where several share one; else nothing."""
    group = config.n_queries_per_key
    if group == 1:
        return ()
    return tuple(f"uses key head {at // group + 1}" for at in range(config.n_heads))


def regathered(viewing: Viewing, layer: int, heads: Sequence[int]) -> tuple[Head, ...]:
    """The gathered heads where those of one layer are `heads`."""
    others = [each for each in viewing.gathered if each[0] != layer]
    return tuple(sorted([*others, *((layer, head) for head in heads)]))
