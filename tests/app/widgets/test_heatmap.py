"""The heat map paints each value in its own colour and answers mouse and keys."""

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QHelpEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QToolTip

from app.style.fonts import CAPTION, SMALL, TINY
from app.style.maps import map_colours
from app.style.ramp import EMPTY, TOP, levels
from app.style.theme import DARK, LIGHT, apply_theme, theme
from app.widgets.axes import _labelled
from app.widgets.cell_layout import CellLayout
from app.widgets.heatmap import NO_VALUES_MESSAGE, Heatmap
from app.widgets.map_painting import number_font
from core.trace.matrix import Axis, Matrix, Scale

SHARE = Scale("share", 1.0)


def matrix_of(values, scale=SHARE, colour="pattern", labels=None):
    values = np.asarray(values, np.float32)
    values.flags.writeable = False
    rows, columns = (tuple(f"t{i}" for i in range(n)) for n in values.shape)
    rows = labels or rows
    return Matrix(
        values, Axis("query", rows, "query"), Axis("key", columns, "key"), scale, colour
    )


@pytest.fixture
def heatmap(qtbot):
    widget = Heatmap()
    qtbot.addWidget(widget)
    widget.resize(400, 400)
    return widget


def painted(widget, row, column):
    """The colour near the corner of a cell, where no number stands."""
    corner = widget.picture().rectangle((row, column)).topLeft() + QPointF(4, 4)
    return widget.grab().toImage().pixelColor(corner.toPoint()).name()


def expected(value, scale=SHARE, colour="pattern"):
    level = levels(np.float32([value]), scale.limit, signed=scale.kind == "signed")
    packed = map_colours(scale.kind, colour).colour_table[level[0]]
    return f"#{packed & 0xFFFFFF:06x}"


def test_a_mouse_at_rest_tells_its_cell_again_when_the_numbers_change(heatmap):
    heatmap.show_matrix(matrix_of(np.zeros((2, 2))))
    told = []
    heatmap.cell_hovered.connect(lambda *cell: told.append(cell))
    heatmap._hover((0, 1))
    heatmap.show_matrix(matrix_of(np.ones((2, 2))))
    heatmap.show_matrix(matrix_of(np.ones((3, 3))))
    heatmap.show_matrix(matrix_of(np.zeros((3, 3))))
    assert told == [(0, 1), (0, 1), (-1, -1)]


@pytest.mark.parametrize(
    "values", [[[1.0]], [[0.25] * 4] * 4, np.zeros((3, 3))], ids=["one", "even", "zero"]
)
def test_a_constant_map_has_the_colour_of_its_value(heatmap, values):
    heatmap.show_matrix(matrix_of(values))
    assert painted(heatmap, 0, 0) == expected(values[0][0])


def test_rows_run_down_and_columns_run_right(heatmap):
    heatmap.show_matrix(matrix_of([[0, 0.5, 1], [0, 0, 0.25]]))
    assert painted(heatmap, 0, 2) == expected(1)
    assert painted(heatmap, 0, 1) == expected(0.5)
    assert painted(heatmap, 1, 2) == expected(0.25)
    assert painted(heatmap, 1, 0) == expected(0)


def test_a_cell_without_a_value_is_sunken_and_spoils_no_other(heatmap):
    heatmap.show_matrix(matrix_of([[0, 1], [np.nan, 0.5]]))
    assert painted(heatmap, 1, 0) == LIGHT.sunken.lower()
    assert painted(heatmap, 0, 1) == LIGHT.pattern.lower()
    assert painted(heatmap, 1, 1) == expected(0.5)
    assert EMPTY > TOP


def test_signed_values_wear_two_colours(heatmap):
    scale = Scale("signed", 2.0)
    heatmap.show_matrix(matrix_of([[-2, 0, 2]], scale, "query"))
    assert painted(heatmap, 0, 0) == LIGHT.opposite("query").lower()
    assert painted(heatmap, 0, 1) == LIGHT.surface.lower()
    assert painted(heatmap, 0, 2) == LIGHT.query.lower()


def test_a_map_without_any_value_says_so(heatmap):
    heatmap.show_matrix(matrix_of(np.full((2, 2), np.nan)))
    assert heatmap.message == NO_VALUES_MESSAGE
    heatmap.grab()


def test_no_matrix_shows_the_message(heatmap):
    heatmap.set_message("type something")
    heatmap.show_matrix(None)
    assert heatmap.message == "type something"
    heatmap.grab()


@pytest.mark.parametrize("n", [1, 2, 6, 32, 256, 1024])
def test_cells_stay_inside_the_widget(heatmap, n):
    heatmap.show_matrix(matrix_of(np.zeros((n, n))))
    first = heatmap.picture().rectangle((0, 0))
    last = heatmap.picture().rectangle((n - 1, n - 1))
    assert heatmap.rect().toRectF().contains(first.united(last))


def test_a_lone_bright_cell_of_a_large_map_stays_visible(heatmap):
    cells = np.zeros((1024, 1024), np.float32)
    cells[700, 300] = 1
    heatmap.show_matrix(matrix_of(cells))
    assert heatmap.is_reduced
    picture = heatmap.grab().toImage()
    place = heatmap.picture().rectangle((700, 300)).center().toPoint()
    around = {
        picture.pixelColor(place + QPoint(x, y)).name()
        for x in range(-2, 3)
        for y in range(-2, 3)
    }
    assert LIGHT.pattern.lower() in around


def test_of_cells_that_share_a_dot_the_strongest_is_meant(heatmap):
    cells = np.zeros((1024, 1024), np.float32)
    cells[700, 300] = 1
    heatmap.show_matrix(matrix_of(cells))
    picture = heatmap.picture()
    near = picture.rectangle((700, 300)).center()
    assert picture.place_at(near) == (700, 300)


def test_a_small_map_is_not_reduced(heatmap):
    heatmap.show_matrix(matrix_of(np.zeros((32, 32))))
    assert not heatmap.is_reduced


def test_a_click_tells_its_cell(heatmap, qtbot):
    heatmap.show_matrix(matrix_of(np.zeros((3, 5))))
    point = heatmap.picture().rectangle((2, 1)).center().toPoint()
    with qtbot.waitSignal(heatmap.cell_clicked) as told:
        qtbot.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=point)
    assert told.args == [2, 1]


def test_hovering_tells_each_cell_once_and_leaving_tells_none(heatmap, qtbot):
    heatmap.show_matrix(matrix_of(np.zeros((3, 3))))
    told = []
    heatmap.cell_hovered.connect(lambda *cell: told.append(cell))
    heatmap.show()
    for place in ((0, 1), (0, 1), (2, 2)):
        qtbot.mouseMove(heatmap, heatmap.picture().rectangle(place).center().toPoint())
        qtbot.wait(1)
    heatmap.leaveEvent(QEvent(QEvent.Type.Leave))
    assert told == [(0, 1), (2, 2), (-1, -1)]


def test_arrow_keys_walk_and_stop_at_the_edge(heatmap, qtbot):
    heatmap.show_matrix(matrix_of(np.zeros((2, 2))))
    told = []
    heatmap.cell_clicked.connect(lambda *cell: told.append(cell))
    keys = Qt.Key
    for key in (
        keys.Key_Down,
        keys.Key_Down,
        keys.Key_Right,
        keys.Key_Down,
        keys.Key_Up,
    ):
        qtbot.keyClick(heatmap, key)
    assert told == [(0, 0), (1, 0), (1, 1), (1, 1), (0, 1)]


def test_enter_chooses_the_selected_cell(heatmap, qtbot):
    heatmap.show_matrix(matrix_of(np.zeros((2, 2))))
    heatmap.set_selected(1, 0)
    with qtbot.waitSignal(heatmap.cell_clicked) as told:
        qtbot.keyClick(heatmap, Qt.Key.Key_Return)
    assert told.args == [1, 0]


def test_with_focus_the_arrow_keys_are_the_map_s_and_not_shortcuts(qtbot):
    window, heatmap, stepped = QMainWindow(), Heatmap(), []
    qtbot.addWidget(window)
    heatmap.show_matrix(matrix_of(np.zeros((2, 2))))
    window.setCentralWidget(heatmap)
    action = QAction("next", window)
    action.setShortcut(QKeySequence(Qt.Key.Key_Right))
    action.triggered.connect(lambda: stepped.append(True))
    window.addAction(action)
    window.show()
    qtbot.waitExposed(window)
    heatmap.setFocus(Qt.FocusReason.TabFocusReason)
    with qtbot.waitSignal(heatmap.cell_clicked):
        qtbot.keyClick(heatmap, Qt.Key.Key_Right)
    assert not stepped


def test_a_click_leaves_the_arrow_keys_to_the_stepper(heatmap):
    assert not heatmap.focusPolicy() & Qt.FocusPolicy.ClickFocus


def test_a_token_that_looks_like_html_is_read_literally(heatmap, monkeypatch):
    shown = []
    monkeypatch.setattr(QToolTip, "showText", lambda *a: shown.append(a[1]))
    heatmap.show_matrix(matrix_of([[1.0]], labels=("<s>",)))
    centre = heatmap.picture().rectangle((0, 0)).center().toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, centre, centre)
    heatmap.event(event)
    assert "&lt;s&gt;" in shown[0]
    heatmap.set_hover_text(lambda row, column: f"<b>{row}</b>")
    heatmap.event(event)
    assert "&lt;b&gt;0&lt;/b&gt;" in shown[1]


def test_hovering_a_cell_without_a_value_says_why(heatmap):
    heatmap.show_matrix(matrix_of([[1.0, np.nan]]))
    assert heatmap._hover_text(0, 1) == "t0, t1: masked, or not a number"


def test_the_tip_beside_a_row_is_its_whole_label(heatmap):
    long = "antidisestablishmentarianism" * 3
    heatmap.show_matrix(matrix_of([[0.5], [0.5]], labels=("a", long)))
    cell = heatmap.picture().rectangle((1, 0))
    beside = QPointF(cell.left() - 10, cell.center().y())
    assert heatmap.picture().label_at(beside) == long


def test_a_part_of_the_matrix_is_shown_alone(heatmap):
    cells = np.arange(100, dtype=np.float32).reshape(10, 10) / 100
    heatmap.show_matrix(matrix_of(cells))
    heatmap.show_range(range(4, 6), range(7, 10))
    assert heatmap.picture().rows.labels == ("t4", "t5")
    assert painted(heatmap, 5, 8) == expected(0.58)
    assert heatmap.picture().place_at(heatmap.picture().rectangle((4, 9)).center()) == (
        4,
        9,
    )


def test_a_selection_outside_the_matrix_is_not_painted(heatmap):
    heatmap.show_matrix(matrix_of(np.zeros((2, 2))))
    heatmap.set_selected(7, 7)
    heatmap.set_highlight(9, 9)
    heatmap.grab()


def test_a_switch_of_theme_recolours_the_map(heatmap, qapp):
    heatmap.show_matrix(matrix_of([[1.0]]))
    assert painted(heatmap, 0, 0) == LIGHT.pattern.lower()
    apply_theme(qapp, DARK)
    try:
        assert painted(heatmap, 0, 0) == theme().pattern.lower() == "#d98cb8"
    finally:
        apply_theme(qapp, LIGHT)


def test_lit_labels_come_before_all_others_and_none_overlaps():
    places = _labelled(100, pitch=4, needed=15, lit={41: "query"})
    assert 41 in places
    ordered = sorted(places)
    gaps = [b - a for a, b in pairwise(ordered)]
    assert min(gaps) * 4 >= 15


def test_numbers_shrink_before_they_vanish(qapp):
    sizes = [
        number_font("−1.4", CellLayout(0, 0, width, 40, 1, 1)) for width in (60, 32, 26)
    ]
    assert [font.pointSize() for font in sizes] == [SMALL, CAPTION, TINY]
    assert number_font("−1.4", CellLayout(0, 0, 20, 40, 1, 1)) is None
