import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.widgets.zoom_map import ZoomMap
from core.trace.matrix import Axis, Matrix, Scale


def matrix_of(n_rows=40, n_columns=40):
    values = np.arange(n_rows * n_columns, dtype=np.float32).reshape(n_rows, n_columns)
    axes = (
        Axis(n, tuple(map(str, range(k)))) for n, k in (("q", n_rows), ("k", n_columns))
    )
    return Matrix(values, *axes, Scale("share", float(values.max())), "pattern")


@pytest.fixture
def zoom_map(qtbot):
    widget = ZoomMap()
    qtbot.addWidget(widget)
    widget.resize(400, 400)
    widget.show_matrix(matrix_of())
    return widget


def turn(widget, notches, at=None):
    """Turn the wheel over a point."""
    at = QPointF(at or widget.rect().center())
    angle = QPoint(0, round(120 * notches))
    no = Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        at, at, QPoint(), angle, Qt.MouseButton.NoButton, no,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def corner_value(widget):
    """The first number that is shown."""
    return float(widget.picture().values[0, 0])


def test_the_wheel_goes_in_and_out_again(zoom_map, qtbot):
    with qtbot.waitSignal(zoom_map.part_changed):
        turn(zoom_map, 3)
    assert 18 <= zoom_map.picture().frame.cells.n_rows <= 24
    assert zoom_map.part_text.startswith("rows ")
    turn(zoom_map, -6)
    assert zoom_map.is_whole
    assert zoom_map.part_text == ""


def test_small_turns_of_a_touchpad_add_up(zoom_map):
    for _ in range(12):
        turn(zoom_map, 10 / 120)
    assert not zoom_map.is_whole


def test_another_stage_of_the_same_shape_keeps_the_part(zoom_map):
    turn(zoom_map, 3)
    part = zoom_map.part_text
    zoom_map.show_matrix(matrix_of())
    assert zoom_map.part_text == part
    zoom_map.show_matrix(matrix_of(10, 12))
    assert zoom_map.is_whole


def test_a_drag_pans_and_chooses_nothing(zoom_map, qtbot):
    turn(zoom_map, 4)
    before, cells = corner_value(zoom_map), zoom_map.picture().frame.cells
    chosen = []
    zoom_map.cell_clicked.connect(lambda *place: chosen.append(place))
    middle = zoom_map.rect().center()
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(zoom_map, left, pos=middle)
    QTest.mouseMove(zoom_map, middle + QPoint(0, round(3 * cells.cell_height)))
    QTest.mouseRelease(zoom_map, left, pos=middle)
    assert corner_value(zoom_map) == before - 3 * 40
    assert chosen == []


def test_a_click_on_a_part_chooses_the_true_cell(zoom_map, qtbot):
    turn(zoom_map, 4)
    picture = zoom_map.picture()
    place = (picture.origin[0] + 2, picture.origin[1] + 1)
    point = picture.rectangle(place).center().toPoint()
    with qtbot.waitSignal(zoom_map.cell_clicked) as clicked:
        QTest.mouseClick(zoom_map, Qt.MouseButton.LeftButton, pos=point)
    assert tuple(clicked.args) == place


def test_a_chosen_cell_outside_the_part_is_brought_into_it(zoom_map):
    turn(zoom_map, 4)
    zoom_map.set_selected(0, 39)
    assert zoom_map.picture().shows((0, 39))


def test_keys_zoom_and_a_double_click_shows_all(zoom_map):
    QTest.keyClick(zoom_map, Qt.Key.Key_Plus)
    assert not zoom_map.is_whole
    QTest.keyClick(zoom_map, Qt.Key.Key_0)
    assert zoom_map.is_whole
    QTest.keyClick(zoom_map, Qt.Key.Key_Plus)
    middle = zoom_map.rect().center()
    QTest.mouseDClick(zoom_map, Qt.MouseButton.LeftButton, pos=middle)
    assert zoom_map.is_whole


def test_no_numbers_no_zoom(zoom_map):
    zoom_map.show_matrix(None)
    turn(zoom_map, 3)
    QTest.keyClick(zoom_map, Qt.Key.Key_Plus)
    assert zoom_map.is_whole


def test_a_single_one_among_a_million_is_seen_and_reached(zoom_map):
    values = np.zeros((1024, 1024), np.float32)
    values[777, 333] = 1.0
    names = tuple(map(str, range(1024)))
    axes = (Axis("query", names), Axis("key", names))
    zoom_map.show_matrix(Matrix(values, *axes, Scale("share", 1.0), "pattern"))
    picture = zoom_map.picture()
    assert picture.is_reduced
    assert picture.place_at(picture.rectangle((777, 333)).center()) == (777, 333)
    for _ in range(30):
        turn(zoom_map, 1, zoom_map.picture().rectangle((777, 333)).center().toPoint())
    assert not zoom_map.is_reduced
    assert zoom_map.picture().values.max() == 1.0
