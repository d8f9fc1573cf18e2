"""Tokens joined by lines: which lines are drawn, where, and what a reader can do."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from app.widgets.attention_lines import LABEL_LIMIT, LINEAR, AttentionLines
from app.widgets.canvas import NOTHING
from app.widgets.line_strands import (
    MOST_STRANDS,
    Rows,
    Strands,
    Strokes,
    lines_of,
    strands_in_sight,
    strands_of_column,
    strands_of_row,
    strokes_of,
)
from app.widgets.line_vectors import cut_off

NAN = float("nan")
TWO_HEADS = np.array(
    [
        [[1.0, NAN, NAN], [0.3, 0.7, NAN], [0.1, 0.004, 0.896]],
        [[1.0, NAN, NAN], [0.9, 0.1, NAN], [0.001, 0.5, 0.499]],
    ],
    np.float32,
)


def source_of(maps):
    """Shares as a widget takes them."""
    return SimpleNamespace(
        n_rows=maps.shape[1],
        n_columns=maps.shape[2],
        rows=lambda start, stop: maps[:, start:stop],
        columns=lambda start, stop: maps[:, :, start:stop],
    )


def causal(n, n_heads=1):
    """Every token looks at all before it alike."""
    row = np.tril(np.ones((n, n), np.float32))
    shares = np.where(row > 0, row / row.sum(axis=1, keepdims=True), np.nan)
    return np.repeat(shares[None].astype(np.float32), n_heads, axis=0)


@pytest.fixture
def lines(qtbot):
    widget = AttentionLines()
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    widget.show()
    return widget


def show(widget, maps, left=None, right=None):
    left = left or tuple(f"q{i}" for i in range(maps.shape[1]))
    right = right or tuple(f"k{i}" for i in range(maps.shape[2]))
    widget.show_maps((left, right), source_of(maps), tuple(range(len(maps))), 0.005)


def middle(widget, index):
    centre = widget.item_rect(index).center().toPoint()
    return centre - QPoint(0, widget.verticalScrollBar().value())


def pairs(strands):
    """(row, column) -> (map, share)."""
    rows = zip(strands.rows, strands.columns, strict=True)
    values = zip(strands.maps, strands.shares, strict=True)
    return {
        (int(r), int(c)): (int(m), round(float(s), 3))
        for (r, c), (m, s) in zip(rows, values, strict=True)
    }


# Which lines there are.


def test_a_pair_has_one_line_of_its_strongest_head():
    found = strands_in_sight(source_of(TWO_HEADS), range(3), range(3), 0.005)
    assert pairs(found) == {
        (0, 0): (0, 1.0),
        (1, 0): (1, 0.9),
        (1, 1): (0, 0.7),
        (2, 0): (0, 0.1),
        (2, 1): (1, 0.5),
        (2, 2): (0, 0.896),
    }


def test_only_lines_with_an_end_in_sight_are_drawn_each_once():
    n, seen = 40, range(10, 14)
    found = strands_in_sight(source_of(causal(n)), seen, seen, 0.005)
    expected = {
        (r, c) for r in range(n) for c in range(r + 1) if r in seen or c in seen
    }
    assert len(found) == len(expected)
    assert set(pairs(found)) == expected


def test_a_token_alone_has_a_line_of_every_head():
    found = strands_of_row(source_of(TWO_HEADS), 2, 0.005)
    values = zip(found.maps, found.columns, found.shares, strict=True)
    told = {(int(m), int(c)): round(float(s), 3) for m, c, s in values}
    assert told == {
        (0, 0): 0.1, (0, 2): 0.896, (1, 1): 0.5, (1, 2): 0.499,
    }  # fmt: skip
    back = strands_of_column(source_of(TWO_HEADS), 2, 0.005)
    assert set(back.rows.tolist()) == {2}
    assert len(back) == 2


def test_of_too_many_lines_the_strongest_stay():
    rng = np.random.default_rng(0)
    maps = rng.random((1, 60, 60)).astype(np.float32)
    found = strands_in_sight(source_of(maps), range(60), range(60), 0.005)
    assert len(found) == MOST_STRANDS
    assert found.shares.min() >= np.sort(maps.ravel())[-MOST_STRANDS]


def test_a_single_one_among_a_million_has_its_line():
    maps = causal(1024)
    maps[0, 900] = 0.0
    maps[0, 900, 17] = 1.0
    for rows, columns in ((range(890, 920), range(890, 920)), (range(30), range(30))):
        strands = strands_in_sight(source_of(maps), rows, columns, 0.0005)
        assert len(strands) == MOST_STRANDS
        assert (900, 17) in zip(strands.rows, strands.columns, strict=True)


def test_lines_run_between_the_middles_of_rows_and_heads_lie_apart():
    strands = Strands(
        np.array([0, 0]), np.array([2, 2]), np.array([0, 1]), np.array([0.2, 0.2])
    )
    drawn = strokes_of(strands, Rows(20, 5, spread=3), 2, LINEAR, None)
    assert drawn.starts.tolist() == [3.5, 6.5]
    assert drawn.ends.tolist() == [43.5, 46.5]


def test_a_stronger_line_is_wider_and_a_dimmed_column_pale():
    strands = Strands(
        *(np.array([0, 0, 0]), np.arange(3), np.zeros(3, int)),
        np.array([0.2, 0.5, 0.9]),
    )
    plain = strokes_of(strands, Rows(20, 0), 1, LINEAR, None)
    assert plain.widths.tolist() == [1, 2, 3]
    pale = strokes_of(strands, Rows(20, 0), 1, LINEAR, dimmed=2)
    assert pale.opacities[2] < plain.opacities[0]


@pytest.mark.parametrize(
    ("grain", "dots"),
    [
        (1, {10: [10], 30: [30, 31], 50: [49, 50, 51]}),
        (2, {10: [20, 21]}),
        (0.5, {10: [5]}),
    ],
)
def test_a_stroke_is_as_many_dots_wide_as_its_pixels_have(grain, dots):
    heights = np.array([10, 30, 50], np.float32)
    widths, maps = np.array([1, 2, 3]), np.zeros(3, np.intp)
    strokes = Strokes(heights, heights, widths, heights / 100, maps)
    found = lines_of(strokes, 400, grain)
    for height, expected in dots.items():
        is_of = found.opacities == np.float32(height / 100)
        assert found.starts[is_of].tolist() == expected


def test_a_line_is_cut_off_where_it_leaves_the_box():
    starts, ends = np.array([[5, 5], [-10, 10], [30, 10], [-5, -5], [-9, -1]]).T
    firsts, lasts = cut_off(starts.astype(np.float32), ends.astype(np.float32), 20)
    assert list(zip(firsts, lasts, strict=True))[:3] == [(0, 1), (0.5, 1), (0.5, 1)]
    assert (firsts[3:] >= lasts[3:]).all()


# The widget.


def test_pointing_at_a_token_shows_only_its_lines(lines, qtbot):
    show(lines, TWO_HEADS)
    qtbot.mouseMove(lines.viewport(), middle(lines, 2))
    assert lines.focus_index == 2
    assert lines.pair_with(lines.index_of(True, 1)) == (2, 1)
    assert lines.pair_with(0) is None
    qtbot.mouseMove(lines.viewport(), middle(lines, 4))
    assert lines.pair_with(2) == (2, 1)


def test_a_click_asks_to_pin_and_another_to_let_go(lines, qtbot):
    show(lines, TWO_HEADS)
    asked = []
    lines.pin_requested.connect(asked.append)
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(lines.viewport(), left, pos=middle(lines, 4))
    lines.set_pinned(4)
    qtbot.mouseClick(lines.viewport(), left, pos=middle(lines, 4))
    assert asked == [4, NOTHING]


def test_a_pinned_token_stays_shown_under_a_moving_mouse(lines, qtbot):
    show(lines, TWO_HEADS)
    lines.set_pinned(1)
    qtbot.mouseMove(lines.viewport(), middle(lines, 5))
    assert lines.focus_index == 1
    assert lines.pair_with(lines.hover_index) == (1, 2)


def test_the_arrow_keys_move_the_pin_within_and_across_the_sides(lines, qtbot):
    show(lines, TWO_HEADS)
    lines.set_pinned(0)
    asked = []
    lines.pin_requested.connect(asked.append)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Left):
        qtbot.keyClick(lines, key)
    assert asked == [1, 4, 5, 2]


def test_rows_and_columns_need_not_be_equally_many(lines):
    maps = np.full((1, 2, 5), 0.2, np.float32)
    show(lines, maps)
    assert lines.item_count() == 7
    assert lines.side_of(6) == (True, 4)
    lines.set_pinned(6)
    assert not lines.grab().isNull()


@pytest.mark.parametrize("n", [1, 8, 64, 1024])
def test_every_length_is_painted_with_and_without_a_pin(lines, n):
    show(lines, causal(n, 2))
    for pinned in (NOTHING, 0, 2 * n - 1):
        lines.set_pinned(pinned)
        assert not lines.grab().isNull()
    assert lines.verticalScrollBar().maximum() > 0 or n <= 8


def test_no_heads_share_so_many_bars_that_none_is_seen(lines):
    show(lines, causal(3, 300))
    lines.set_pinned(0)
    assert not lines.grab().isNull()


def test_long_labels_are_cut_and_their_tip_says_all(lines):
    token = "<b>" + "x" * 90
    show(lines, causal(2), (token, "↵"), ("·", "שלום"))
    assert lines.item_rect(0).width() < LABEL_LIMIT + 200
    assert token in lines.item_text(0)


def test_a_tip_beside_a_pinned_token_tells_the_pair(lines):
    show(lines, TWO_HEADS)
    lines.set_pair_text(lambda row, column: f"{row} to {column}")
    assert lines.tip_text(3).startswith("k0")
    lines.set_pinned(2)
    assert lines.tip_text(3) == "2 to 0"


def test_other_maps_repaint_the_lines(lines):
    show(lines, TWO_HEADS)
    before = lines.grab().toImage()
    show(lines, TWO_HEADS[::-1].copy())
    assert lines.grab().toImage() != before


def test_without_tokens_the_widget_says_so(lines):
    show(lines, np.zeros((1, 0, 0), np.float32), (), ())
    assert lines.item_count() == 0
    assert not lines.grab().isNull()


def svg_lines(widget):
    """How many lines the widget has as SVG, which holds no picture in dots."""
    buffer, generator = QBuffer(), QSvgGenerator()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    with QPainter(generator) as painter:
        widget.render(painter, QPoint())
    data = bytes(buffer.data().data())
    assert b"<image" not in data
    return data.count(b"<polyline") + data.count(b"<line")


def test_a_file_gets_a_true_line_for_every_share(lines):
    show(lines, TWO_HEADS)
    assert svg_lines(lines) == 6
    lines.set_pinned(2)  # of a token alone a line of every head
    assert svg_lines(lines) == 4


def test_a_larger_picture_is_drawn_anew_and_not_blown_up(lines):
    show(lines, TWO_HEADS)
    image = QImage(lines.size() * 3, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.scale(3, 3)
        lines.render(painter, QPoint())
    middle = image.width() // 2
    column = [image.pixelColor(middle, y).lightness() for y in range(image.height())]
    threes = [set(column[y : y + 3]) for y in range(0, len(column), 3)]
    assert sum(len(each) > 1 for each in threes) > 6  # blown up, three dots are alike
    small = lines.grab().toImage()
    ink = sum(255 - small.pixelColor(middle // 3, y).lightness() for y in range(300))
    assert sum(255 - each for each in column) == pytest.approx(3 * ink, rel=0.1)
