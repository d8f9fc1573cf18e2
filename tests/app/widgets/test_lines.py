"""The chart: its scales, what it reads out, what it tells."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from app.widgets.canvas import NOTHING
from app.widgets.chart_scale import Span, span_of, tick_texts, ticks
from app.widgets.lines import Curve, Lines, legend_boxes, reading, unbroken, value_at


def floats(*values):
    return np.array(values, np.float32)


SQUARE = Curve("square", floats(0, 1, 2, 3), floats(0, 1, 4, 9), "query", (1, 3))


@pytest.fixture
def lines(qtbot):
    widget = Lines("Test curves")
    qtbot.addWidget(widget)
    widget.resize(400, 240)
    widget.show()
    return widget


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 10, (0, 2, 4, 6, 8, 10)),
        (-1, 1, (-1, -0.5, 0, 0.5, 1)),
        (3, 7.5, (3, 4, 5, 6, 7)),
        (0.001, 0.0032, (0.001, 0.0015, 0.002, 0.0025, 0.003)),
    ],
)
def test_ticks_are_round_and_inside(low, high, expected):
    assert ticks(Span(low, high), 5) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((-0.5, 0.0, 0.5), ("−0.5", "0.0", "0.5")),
        ((0.0, 100.0), ("0", "100")),
        ((0.0, 2e-6), ("0", "2e−06")),
        ((), ()),
    ],
)
def test_tick_texts_share_their_digits(values, texts):
    assert tick_texts(values) == texts


def test_a_span_passes_over_what_is_not_finite():
    assert span_of([floats(np.nan, 2, -1, np.inf)]) == Span(-1, 2)


@pytest.mark.parametrize(
    "arrays", [[], [floats()], [floats(3, 3)], [floats(0)], [floats(np.nan)]]
)
def test_a_span_is_never_empty(arrays):
    span = span_of(arrays)
    assert span.low < span.high


def test_between_samples_a_curve_runs_straight():
    assert value_at(SQUARE, 2) == 4
    assert value_at(SQUARE, 1.5) == 2.5
    assert np.isnan(value_at(SQUARE, -0.1))


def test_a_missing_value_leaves_a_gap():
    curve = Curve("gap", floats(0, 1, 2, 3, 4), floats(0, 1, np.nan, 3, 4))
    parts = [(x.tolist(), y.tolist()) for x, y in unbroken(curve)]
    assert parts == [([0, 1], [0, 1]), ([3, 4], [3, 4])]


def test_readings_keep_four_digits_and_the_true_minus():
    assert [reading(v) for v in (-0.123456, 2.0, np.nan)] == ["−0.1235", "2", "–"]


def test_legend_entries_never_overlap(qapp):
    boxes = legend_boxes(tuple(f"dimension {i}" for i in range(7)), 300)
    for i, box in enumerate(boxes):
        assert not any(box.intersects(other) for other in boxes[i + 1 :])
    assert legend_boxes(("", ""), 300) == []


def test_the_arrows_walk_from_dot_to_dot(lines, qtbot):
    lines.show_curves((SQUARE,), "position", "value")
    qtbot.keyClick(lines, Qt.Key.Key_Right)
    with qtbot.waitSignal(lines.x_clicked) as caught:
        qtbot.keyClick(lines, Qt.Key.Key_Return)
    assert caught.args == [3.0]
    assert lines.accessibleDescription() == "position 3\nsquare 9"


def test_without_dots_every_sample_can_be_reached(lines):
    lines.show_curves((Curve("", SQUARE.x, SQUARE.y),), "x", "y")
    assert lines.item_count() == 4
    assert lines.item_text(2) == "x 2\ny 4"


def test_the_mouse_finds_the_nearest_stop(lines):
    lines.show_curves((SQUARE,))
    spot = lines.item_rect(1).center()
    assert lines.item_at(spot - QPointF(20, 0)) == 1
    assert lines.item_at(QPointF(spot.x(), 0)) == NOTHING


@pytest.mark.parametrize("size", [(60, 40), (400, 240), (1600, 900)])
@pytest.mark.parametrize(
    "y", [floats(1, 1, 1, 1), floats(np.nan, np.nan, np.nan, np.nan), SQUARE.y]
)
def test_any_curve_is_drawn_at_any_size(lines, size, y):
    lines.show_curves((Curve("c", SQUARE.x, y, "key", (0, 1)),), "x", "y")
    lines.set_mark(1.5)
    lines.resize(*size)
    assert not lines.grab().isNull()


def test_no_curve_at_all_is_no_error(lines):
    lines.show_curves(())
    lines.set_mark(2.0)
    assert not lines.grab().isNull()


def test_a_curve_may_say_itself_whether_it_is_dashed(qtbot):
    lines = Lines("waves")
    qtbot.addWidget(lines)
    x = np.arange(3, dtype=np.float32)
    kinds = (False, True, False, True, None)
    lines.show_curves(tuple(Curve(str(k), x, x, is_dashed=k) for k in kinds))
    styles = [lines._pen(index).style() for index in range(4)]
    solid, dashed = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
    assert styles == [solid, dashed, solid, dashed]
