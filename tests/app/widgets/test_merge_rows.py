"""The word row by row: the present row, the pair, the ranks."""

import pytest
from PySide6.QtCore import QPointF, Qt

from app.style.fonts import SMALL, mono
from app.widgets.canvas import NOTHING
from app.widgets.label import advance
from app.widgets.merge_rows import GAP, MergeRow, MergeRows, fitting, symbol_spans

ROWS = (
    MergeRow(("l", "o", "w"), (0, 1), "rank 3", ("o + w rank 9",)),
    MergeRow(("lo", "w"), (0, 1), "rank 7"),
    MergeRow(("low",)),
)


@pytest.fixture
def rows(qtbot):
    widget = MergeRows()
    qtbot.addWidget(widget)
    widget.resize(300, 400)
    widget.show()
    return widget


def test_symbols_stand_in_a_row_with_gaps(qapp):
    lefts, rights = symbol_spans(("a", "bc"))
    assert lefts[0] == 0
    assert lefts[1] == rights[0] + GAP
    assert rights[1] - lefts[1] > rights[0]
    assert symbol_spans(()) == ([], [])


def test_losers_that_do_not_fit_are_counted(qapp):
    losers = ("a + b 1", "b + c 2", "c + d 3")
    wide = advance("   ".join(losers), mono(SMALL))
    assert fitting(losers, wide) == "   ".join(losers)
    assert fitting(losers, wide - 1).endswith("more")
    assert fitting(losers, 1) == "a + b 1   +2 more"
    assert fitting((), 100) == ""


def test_a_row_says_its_merge_its_rank_and_who_lost(rows):
    rows.show_rows(ROWS)
    assert rows.item_text(0).splitlines() == [
        "merge 1 of 2: l + o", "rank 3", "not yet: o + w rank 9",
    ]  # fmt: skip
    assert rows.item_text(2).startswith("the end, after 2 merges")


def test_a_click_tells_which_row(rows, qtbot):
    rows.show_rows(ROWS)
    place = rows.item_rect(1).center().toPoint()
    with qtbot.waitSignal(rows.row_clicked) as caught:
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [1]


def test_below_the_last_row_there_is_none(rows):
    rows.show_rows(ROWS)
    below = QPointF(5, rows.item_rect(2).bottom() + 1)
    assert rows.item_at(below) == NOTHING


def test_the_present_row_and_its_pair_are_scrolled_into_sight(rows):
    n = 60
    long = tuple(
        MergeRow(("a" * 3,) * (n - i), (n - i - 2, n - i - 1), "rank 1")
        for i in range(40)
    )
    rows.show_rows(long)
    rows.set_position(39)
    assert rows.verticalScrollBar().value() > 0
    assert rows.horizontalScrollBar().value() > 0


def test_rows_not_there_yet_look_fainter(rows):
    rows.show_rows(ROWS)
    rows.set_position(0)
    early = rows.grab().toImage()
    rows.set_position(2)
    late = rows.grab().toImage()
    assert early != late


def test_no_rows_at_all_is_no_error(rows):
    rows.show_rows(())
    rows.set_position(3)
    assert not rows.grab().isNull()
