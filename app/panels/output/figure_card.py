"""A card of single figures: a name, the number, and what it means in words."""

from typing import NamedTuple

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QSizePolicy

from app.style.fonts import BASE, LARGE, SMALL, mono, sans
from app.widgets.card import Card, plain_label
from core.trace.matrix import Cell

COLUMN_GAP, ROW_GAP = 12, 8
GRID_ROWS = 3
"""Name and value, the words, a gap."""


class Figure(NamedTuple):
    """One number with its meaning."""

    name: str
    value: str
    words: str = ""
    cell: Cell | None = None
    """Where the inspector shows what the number is made of."""


class FigureCard(Card):
    """Figures below each other; numbers in one column, words under each."""

    cell_requested = Signal(object)
    """The reader wants to see a figure worked out: `Cell`."""

    def __init__(self, title: str) -> None:
        """No figures yet."""
        super().__init__(title)
        self._labels: list[tuple[QLabel, QLabel, QLabel]] = []
        self._links: list[QPushButton] = []
        self._cells: tuple[Cell | None, ...] = ()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(COLUMN_GAP)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        self.body.addLayout(self._grid)
        self.body.addStretch(1)

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        """Show other figures; as many rows as there are."""
        while len(self._labels) < len(figures):
            self._add_row()
        for place, labels in enumerate(self._labels):
            is_used = place < len(figures)
            figure = figures[place] if is_used else Figure("", "")
            for label, text in zip(labels, figure[:3], strict=True):
                label.setText(text)
                label.setVisible(is_used and bool(text))
            labels[1].setVisible(is_used and figure.cell is None)
            self._links[place].setText(figure.value)
            self._links[place].setAccessibleName(f"{figure.name} {figure.value}")
            self._links[place].setVisible(figure.cell is not None)
        self._cells = tuple(figure.cell for figure in figures)

    def _add_row(self) -> None:
        name, value = plain_label(), plain_label()
        words = plain_label(ink="muted")
        name.setFont(sans(BASE))
        value.setFont(mono(LARGE))
        words.setFont(sans(SMALL))
        for label in (name, words):  # as wide as there is room beside the number
            label.setWordWrap(True)
        policy = QSizePolicy.Policy
        name.setSizePolicy(policy.Ignored, policy.Preferred)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        top = GRID_ROWS * len(self._labels)
        self._grid.addWidget(name, top, 0)
        self._grid.addWidget(value, top, 1, right)
        self._grid.addWidget(words, top + 1, 0, 1, 2)
        self._grid.setRowMinimumHeight(top + 2, ROW_GAP)
        self._labels.append((name, value, words))
        link = QPushButton()
        link.setProperty("kind", "figure")
        link.setFont(mono(LARGE))
        link.setToolTip("See how it is worked out")
        link.clicked.connect(self._on_link_clicked)
        self._grid.addWidget(link, top, 1, right)
        self._links.append(link)

    @Slot()
    def _on_link_clicked(self) -> None:
        link = self.sender()
        if isinstance(link, QPushButton):
            self.cell_requested.emit(self._cells[self._links.index(link)])
