"""A card of single figures: a name, the number, and what it means in words."""

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel

from app.style.fonts import BASE, LARGE, SMALL, mono, sans
from app.widgets.card import Card, plain_label

COLUMN_GAP, ROW_GAP = 12, 8
GRID_ROWS = 3
"""Name and value, the words, a gap."""


class Figure(NamedTuple):
    """One number with its meaning."""

    name: str
    value: str
    words: str = ""


class FigureCard(Card):
    """Figures below each other; numbers in one column, words under each."""

    def __init__(self, title: str) -> None:
        """No figures yet."""
        super().__init__(title)
        self._labels: list[tuple[QLabel, QLabel, QLabel]] = []
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
            texts = figures[place] if is_used else ("", "", "")
            for label, text in zip(labels, texts, strict=True):
                label.setText(text)
                label.setVisible(is_used and bool(text))

    def _add_row(self) -> None:
        name, value = plain_label(), plain_label()
        words = plain_label(ink="muted")
        name.setFont(sans(BASE))
        value.setFont(mono(LARGE))
        words.setFont(sans(SMALL))
        words.setWordWrap(True)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        top = GRID_ROWS * len(self._labels)
        self._grid.addWidget(name, top, 0)
        self._grid.addWidget(value, top, 1, right)
        self._grid.addWidget(words, top + 1, 0, 1, 2)
        self._grid.setRowMinimumHeight(top + 2, ROW_GAP)
        self._labels.append((name, value, words))
