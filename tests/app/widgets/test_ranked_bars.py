"""Bars over a long list: only those in sight exist, and every row can be reached."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.widgets.bars import Bar
from app.widgets.ranked_bars import NO_BARS, Ranked, RankedBars

N_ROWS = 50_000


class Made:
    """Makes bars and remembers of which rows."""

    def __init__(self, n_kept=N_ROWS):
        self.rows, self._n_kept = [], n_kept

    def __call__(self, row):
        self.rows.append(row)
        return Bar(f"t{row}", (f"{row}.0",), 1 / (row + 1), state=self._state(row))

    def _state(self, row):
        return "kept" if row < self._n_kept else "cut"


@pytest.fixture
def bars(qtbot):
    widget = RankedBars("Tokens")
    qtbot.addWidget(widget)
    widget.resize(400, 300)
    widget.show()
    return widget


def shown(bars, n_rows=N_ROWS, cut_label="", n_kept=N_ROWS):
    made = Made(n_kept)
    bars.show_ranked(Ranked(n_rows, made, ("logit",), cut_label))
    return made


def test_only_the_rows_in_sight_are_made(bars):
    made = shown(bars)
    assert set(made.rows) == set(bars.seen)
    assert 5 < len(bars.seen) < 20


def test_rows_in_sight_are_whole(bars):
    shown(bars)
    window = bars._window
    last = window.item_rect(window.item_count() - 1)
    assert last.bottom() <= window.viewport().height()
    assert last.bottom() + last.height() > window.viewport().height()


def test_the_bars_wish_for_no_height_that_grows_with_their_own(qtbot):
    column, note = QWidget(), QLabel("a note that wraps")
    note.setWordWrap(True)
    bars = RankedBars("Tokens")
    layout = QVBoxLayout(column)
    layout.addWidget(bars, 1)
    layout.addWidget(note)
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidget(column)
    area.setWidgetResizable(True)
    area.resize(400, 300)
    area.show()
    shown(bars)
    QApplication.processEvents()
    assert column.height() == area.viewport().height()


def test_a_short_list_is_all_in_sight_and_does_not_scroll(bars):
    shown(bars, n_rows=3)
    assert bars.seen == range(3)
    assert not bars._scroll.isVisible()


def test_the_line_of_the_cut_takes_no_row_out_of_sight(bars):
    shown(bars, cut_label="top-k 3", n_kept=3)
    window = bars._window
    assert window.item_rect(window.item_count() - 1).bottom() <= window.height()


def test_a_selected_row_comes_into_sight(bars):
    shown(bars)
    bars.set_selected(40_000)
    assert 40_000 in bars.seen
    assert bars._window.selected_index == 40_000 - bars.seen.start


def test_the_same_selection_again_leaves_the_reader_where_they_scrolled(bars):
    shown(bars)
    bars.set_selected(5)
    bars._scroll.setValue(900)
    bars.set_selected(5)
    assert bars.seen.start == 900


def test_other_bars_keep_the_place(bars):
    shown(bars)
    bars._scroll.setValue(900)
    shown(bars)
    assert bars.seen.start == 900
    shown(bars, n_rows=30)
    assert bars.seen.stop == 30


def test_the_wheel_scrolls(bars):
    shown(bars)
    wheel = QWheelEvent(
        QPointF(50, 50), QPointF(50, 50), QPoint(), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(bars, wheel)
    assert bars.seen.start > 0


def test_the_keys_reach_every_row(bars, qtbot):
    shown(bars)
    window, n_seen = bars._window, len(bars.seen)
    for _ in range(n_seen + 4):
        qtbot.keyClick(window, Qt.Key.Key_Down)
    assert bars.seen.start + window.cursor_index == n_seen + 4
    qtbot.keyClick(window, Qt.Key.Key_End)
    assert bars.seen.stop == N_ROWS
    assert window.cursor_index == n_seen - 1
    qtbot.keyClick(window, Qt.Key.Key_Home)
    assert (bars.seen.start, window.cursor_index) == (0, 0)


def test_a_click_tells_the_row_of_the_whole_list(bars, qtbot):
    shown(bars)
    bars._scroll.setValue(100)
    place = bars._window.item_rect(2).center().toPoint()
    with qtbot.waitSignal(bars.row_clicked) as caught:
        qtbot.mouseClick(bars._window.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [102]


def test_what_is_in_sight_is_told(bars):
    told = []
    bars.seen_changed.connect(lambda *span: told.append(span))
    shown(bars)
    bars.resize(400, 500)
    assert told[0] == (0, told[0][1])
    assert told[-1] == (0, len(bars.seen))
    assert told[-1][1] > told[0][1]


def test_without_bars_there_is_a_message(bars):
    shown(bars)
    bars.set_message("not a number")
    bars.show_ranked(NO_BARS)
    assert bars.seen == range(0)
    assert not bars.grab().isNull()


def test_labels_leave_room_for_the_numbers(bars):
    bars.show_ranked(Ranked(1, lambda row: Bar("x" * 90, ("1.0",), 1.0), ("logit",)))
    assert bars._window._label_width <= bars._window.viewport().width() / 4
