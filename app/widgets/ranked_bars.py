"""Bars of a list too long to lay out: only those in sight are made.

Place: the output panel, over a vocabulary of any size. In: how many rows there are, and
a function that makes the bar of a row. Out: which row was clicked.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollBar, QWidget

from app.style.theme import theme
from app.widgets.bars import CUT_HEIGHT, Bar, Bars
from app.widgets.canvas import ENDS, LEAST_SIZE, NOTHING
from app.widgets.card import give_the_rest
from app.widgets.qt_calls import tells_faults

GAP = 4
RADIUS = 4
LABEL_SHARE = 0.25
"""Labels take at most this share of the width: the numbers come first."""


@tells_faults
class Window(Bars):
    """The bars in sight. The keyboard's cursor pulls the window along."""

    scrolled = Signal(int)
    """The cursor wants to go so many rows beyond the edge."""

    ended = Signal(bool)
    """The cursor wants the last row of all (True) or the first (False)."""

    resized = Signal()
    """There is room for another number of rows."""

    def __init__(self, name: str) -> None:
        """`name` is what a screen reader calls the bars."""
        super().__init__(name)
        self._selected = NOTHING
        self._widest = 0.0
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def start_anew(self) -> None:
        """Other data comes: the labels' column may get narrower again."""
        self._widest = 0.0

    def show_bars(
        self, bars: tuple[Bar, ...], columns: tuple[str, ...], cut_label: str = ""
    ) -> None:
        """Show other rows; while scrolling, the labels' column never gets narrower."""
        super().show_bars(bars, columns, cut_label)
        self._widest = max(self._widest, self._label_width)
        most = LABEL_SHARE * self.viewport().width()
        self._label_width = min(self._widest, most)
        self.refresh()

    def set_selected(self, index: int) -> None:
        """Outline a row; NOTHING outlines none."""
        self._selected = index
        self.viewport().update()

    @property
    def selected_index(self) -> int:
        """The outlined row, or NOTHING."""
        return self._selected

    def n_that_fit(self, *, has_cut: bool) -> int:
        """How many whole rows the height has room for."""
        room = self.viewport().height() - self._head_height
        room -= CUT_HEIGHT if has_cut else 0
        return max(1, int(room // self._row_height))

    def neighbour(self, index: int, key: int) -> int:
        """As in any list; beyond the rows in sight the window moves."""
        last = self.item_count() - 1
        if key in ENDS:
            self.ended.emit(key == Qt.Key.Key_End)
            return last if key == Qt.Key.Key_End else 0
        wanted = index + self._moves[key]
        inside = max(0, min(last, wanted))
        if wanted != inside:
            self.scrolled.emit(wanted - inside)
        return inside

    def paint_ring(self, painter: QPainter) -> None:
        """The outline of the selected row, then the keyboard's ring."""
        if 0 <= self._selected < self.item_count():
            painter.setPen(QPen(theme().colour("text"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            box = self.item_rect(self._selected).adjusted(0.5, 1.5, -0.5, -1.5)
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        super().paint_ring(painter)

    # Qt's own.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out, and tell that more or fewer rows fit."""
        super().resizeEvent(event)
        self.resized.emit()


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A list of bars, made one by one when they come in sight."""

    n_rows: int
    bar_of: Callable[[int], Bar]
    """The bar of a row; rows count from 0, best first."""
    columns: tuple[str, ...]
    """Heads of the numbers in each bar."""
    cut_label: str = ""
    """What cut the bars whose state says so."""


NO_BARS = Ranked(0, lambda row: Bar("", (), 0.0), ())
"""A list of nothing; the message shows."""


@tells_faults
class RankedBars(QWidget):
    """A window over a list of bars, with a scroll bar."""

    row_clicked = Signal(int)
    """A row was clicked or entered."""

    seen_changed = Signal(int, int)
    """Other rows are in sight: the first, and one beyond the last."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the bars."""
        super().__init__(parent)
        self._ranked = NO_BARS
        self._selected: int | None = None
        self._window = Window(name)
        self._window.bar_clicked.connect(self._on_window_bar_clicked)
        self._window.scrolled.connect(self._on_window_scrolled)
        self._window.ended.connect(self._on_window_ended)
        self._window.resized.connect(self._fit)
        self._scroll = QScrollBar(Qt.Orientation.Vertical)
        self._scroll.valueChanged.connect(self._show_window)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self._window, 1)
        row.addWidget(self._scroll)
        # The bars are as many as fit: a wish for their height would grow with it.
        give_the_rest(self, LEAST_SIZE.height())

    def show_ranked(self, ranked: Ranked) -> None:
        """Show another list; the place in it stays."""
        self._ranked = ranked
        self._window.start_anew()
        self._fit()

    def set_message(self, text: str) -> None:
        """What to say while there are no bars."""
        self._window.set_message(text)

    def set_selected(self, row: int | None) -> None:
        """Outline a row; another one than before is scrolled into sight."""
        if row != self._selected:
            self._selected = row
            if row is not None:
                self.reveal(row)
        self._mark()

    @property
    def seen(self) -> range:
        """The rows in sight."""
        first = self._scroll.value()
        return range(first, first + self._window.item_count())

    def reveal(self, row: int) -> None:
        """Scroll a row into sight, if it is not there."""
        if row not in self.seen:
            self._scroll.setValue(row - len(self.seen) // 2)

    def _mark(self) -> None:
        seen, selected = self.seen, self._selected
        if selected is None or selected not in seen:
            self._window.set_selected(NOTHING)
        else:
            self._window.set_selected(selected - seen.start)

    @Slot()
    def _fit(self) -> None:
        """Set the scroll bar to the room there is."""
        n_seen = self._window.n_that_fit(has_cut=bool(self._ranked.cut_label))
        n_hidden = max(0, self._ranked.n_rows - n_seen)
        with QSignalBlocker(self._scroll):
            self._scroll.setRange(0, n_hidden)
            self._scroll.setPageStep(n_seen)
        self._scroll.setVisible(n_hidden > 0)
        self._show_window()

    @Slot()
    def _show_window(self) -> None:
        first = self._scroll.value()
        n_seen = min(self._scroll.pageStep(), self._ranked.n_rows - first)
        bars = tuple(map(self._ranked.bar_of, range(first, first + n_seen)))
        self._window.show_bars(bars, self._ranked.columns, self._ranked.cut_label)
        self._mark()
        self.seen_changed.emit(first, first + n_seen)

    @Slot(int)
    def _on_window_bar_clicked(self, index: int) -> None:
        self.row_clicked.emit(self._scroll.value() + index)

    @Slot(int)
    def _on_window_scrolled(self, n_rows: int) -> None:
        self._scroll.setValue(self._scroll.value() + n_rows)

    @Slot(bool)
    def _on_window_ended(self, is_last: bool) -> None:
        self._scroll.setValue(self._scroll.maximum() if is_last else 0)

    # Qt's own.

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, wherever the mouse is over the bars."""
        QCoreApplication.sendEvent(self._scroll, event)
