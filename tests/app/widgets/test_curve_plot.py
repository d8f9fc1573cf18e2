"""The large chart: what it keeps on its scale, and how it grows."""

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent

from app.style.theme import DARK, LIGHT, apply_theme
from app.widgets.curve_legend import reading, shared
from app.widgets.curve_parts import Level, Mark, Series
from app.widgets.curve_plot import CurvePlot, value_near


@pytest.fixture
def plot(qtbot):
    widget = CurvePlot("loss", "step")
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    widget.show()
    return widget


def series(*values, **more):
    y = np.array(values, np.float64)
    return Series("loss", np.arange(1.0, len(y) + 1), y, **more)


def shown(plot, place=0):
    x, y = plot._curves[place].getData()
    return list(x), list(y)


def test_the_height_fits_the_curve(plot):
    plot.show_series((series(5, 3, 1),))
    span = plot.y_span
    assert 0.5 < span.low < 1
    assert 5 < span.high < 5.5


def test_a_level_is_always_in_sight(plot):
    plot.show_series((series(2, 1),), (Level(5.7, "ln 300"),))
    assert plot.y_span.high > 5.7


def test_what_is_not_finite_does_not_spoil_the_scale(plot):
    plot.show_series((series(3, np.nan, 2, np.inf, -np.inf),))
    assert shown(plot) == ([1, 3], [3, 2])
    assert plot.y_span.high < 4


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("values", [(0.0, 0, 0), (2.0, 2, 2), (7.0,), ()])
def test_constant_values_still_draw(plot, values, is_log):
    plot.set_log(is_log)
    plot.show_series((series(*values),))
    span = plot.y_span
    assert math.isfinite(span.low)
    assert span.low < span.high
    assert not plot.grab().isNull()


def test_on_a_logarithmic_axis_only_what_is_above_zero_has_a_place(plot):
    plot.set_log(True)
    plot.show_series(
        (series(100, 0, -1, 10),), (Level(0, "nothing"),), (Mark(1, 0, "best"),)
    )
    assert shown(plot) == ([1, 4], [2, 1])
    assert plot._level_items == []
    assert plot._mark_items == []


def test_a_hundred_thousand_points_are_thinned_to_the_pixels(plot):
    y = np.random.default_rng(0).normal(size=100_000)
    plot.show_series((Series("loss", np.arange(100_000.0), y),))
    _, ys = shown(plot)
    assert len(ys) < 2.2 * plot.width()
    assert (min(ys), max(ys)) == (y.min(), y.max())


def test_fewer_series_leave_no_old_curve_behind(plot):
    plot.show_series((series(1, 2), series(3, 4)))
    plot.show_series((series(1, 2),))
    assert shown(plot, 1) == ([], [])


def test_a_zoomed_chart_stays_where_it_is_while_the_curve_grows(plot, qtbot):
    plot.show_series((series(*range(100)),))
    plot._view.setXRange(10, 20, padding=0)
    plot._view.sigRangeChangedManually.emit(plot._view.state["mouseEnabled"])
    plot.show_series((series(*range(200)),))
    assert plot._view.viewRange()[0] == pytest.approx([10, 20])
    assert plot.y_span.high < 25
    with qtbot.waitSignal(plot.zoom_changed):
        plot.show_all()
    assert plot._view.viewRange()[0][1] > 199


def test_the_bare_wheel_is_left_to_the_page(plot):
    plot.show_series((series(*range(100)),))
    before = plot._view.viewRange()[0]
    event = QWheelEvent(
        QPointF(200, 100),
        QPointF(200, 100),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    assert plot.eventFilter(plot._plot.viewport(), event)
    assert not event.isAccepted()
    assert plot._view.viewRange()[0] == before


def test_the_sample_under_the_mouse_is_read_out(plot):
    plot.show_series((series(5, 3, 1),))
    plot._on_mouse_moved(plot._view.mapViewToScene(QPointF(2.1, 2)))
    assert plot._legend.text() == "loss 3, step 2"


def test_both_themes_are_worn(plot, qapp):
    plot.show_series((series(5, 3, 1),), (Level(2, "two"),), (Mark(1, 5, "best"),))
    light = plot.grab().toImage()
    apply_theme(qapp, DARK)
    try:
        assert plot.grab().toImage() != light
    finally:
        apply_theme(qapp, LIGHT)


def test_a_place_outside_a_curve_has_no_value():
    x, y = np.array([1.0, 2]), np.array([3.0, 4])
    assert value_near(x, y, 1.9) == 4
    assert math.isnan(value_near(x, y, 2.1))
    assert math.isnan(value_near(x[:0], y[:0], 1))


def test_a_reading_has_four_digits():
    assert reading(2.34567) == "2.346"
    assert reading(-0.5) == "−0.5"
    assert reading(math.nan) == "–"


def test_without_points_the_message_is_read_in_place_of_axes(plot):
    plot.set_message("Not yet.")
    plot.show_series((series(),))
    assert plot.message == "Not yet."
    plot.show_series((series(1, 2),))
    assert plot.message == ""


def test_the_axis_grows_with_the_curve(plot):
    plot.show_series((series(*range(10)),))
    plot.show_series((series(*range(500)),))
    low, high = plot._item.getAxis("bottom").range
    assert (low, high) == pytest.approx(tuple(plot._view.viewRange()[0]))
    assert high > 499


def test_steps_are_whole(plot):
    plot.show_series((series(1, 2),))
    ticks = plot._item.getAxis("bottom")._tickLevels[0]
    assert [text for _, text in ticks] == ["1", "2"]


@pytest.mark.parametrize(
    ("widths", "room", "expected"),
    [
        ([10, 20], 50, [10, 20]),
        ([10, 90, 50], 90, [10, 40, 40]),
        ([30, 30], 20, [10, 10]),
        ([30], -5, [0]),
        ([], 10, []),
    ],
)
def test_names_in_a_legend_share_its_room(widths, room, expected):
    assert shared(widths, room) == expected


@pytest.mark.parametrize(("x", "share"), [(1, 0.0), (3, 0.5), (5, 1.0)])
def test_the_words_of_a_mark_stay_on_the_chart(plot, x, share):
    plot.show_series((series(0, 0, 0, 0, 0),), marks=(Mark(x, 0.0, "best 0.000"),))
    _, words = plot._mark_items
    assert words.anchor.x() == share


@pytest.mark.parametrize(("y", "is_above"), [(0.0, True), (2.0, True), (4.0, False)])
def test_the_words_of_a_mark_are_not_cut_by_the_top_of_the_chart(plot, y, is_above):
    plot.show_series((series(0, 1, 2, 3, 4),), marks=(Mark(1, y, "best"),))
    _, words = plot._mark_items
    assert (words.anchor.y() > 1) == is_above


def test_the_words_of_a_mark_move_onto_the_chart_as_it_grows(plot):
    marks = (Mark(0, 4.0, "best 4.000"),)
    for n in (1, 5):
        falling = Series("loss", np.arange(float(n)), 4 - np.arange(float(n)))
        plot.show_series((falling,), marks=marks)
    _, words = plot._mark_items
    assert words.anchor.x() == 0
    assert words.anchor.y() < 0


def test_a_theme_is_put_on_once_however_often_qt_tells_of_it(qapp, plot, monkeypatch):
    dress, worn = CurvePlot._dress, []
    monkeypatch.setattr(
        CurvePlot, "_dress", lambda self: (worn.append(self), dress(self))
    )
    apply_theme(qapp, DARK)
    try:
        assert worn.count(plot) == 1
    finally:
        apply_theme(qapp, LIGHT)
    assert worn.count(plot) == 2
