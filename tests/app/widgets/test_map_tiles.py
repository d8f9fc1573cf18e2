import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.widgets.map_tiles import GATHERED, LEAST_SIDE, MapTiles, Tile
from core.trace.matrix import Scale

SHARE = Scale("share", 1.0)


def tile(name, value=0.5, **fields):
    values = None if value is None else np.full((8, 8), value, np.float32)
    return Tile(name, values, **fields)


@pytest.fixture
def tiles(qtbot):
    widget = MapTiles()
    qtbot.addWidget(widget)
    widget.resize(460, 400)
    widget.show()
    return widget


def show(widget, n, n_across=0, **fields):
    widget.show_tiles(
        [tile(str(i), **fields) for i in range(n)], SHARE, "pattern", n_across
    )


def colour_in(widget, index):
    point = widget._place.map_rect(index).center() - widget.offset()
    return widget.viewport().grab().toImage().pixelColor(point.toPoint()).name()


def test_a_layer_is_a_row_where_it_fits(tiles):
    show(tiles, 12, n_across=4)
    tops = [tiles.item_rect(i).top() for i in range(12)]
    assert tops[0] == tops[3] < tops[4] == tops[7] < tops[8]
    assert tiles.verticalScrollBar().maximum() == 0


def test_three_hundred_maps_scroll_and_are_never_too_small(tiles):
    show(tiles, 300, n_across=300)
    assert tiles.item_rect(0).width() >= LEAST_SIDE
    assert tiles.verticalScrollBar().maximum() > 0
    assert max(tiles.item_rect(i).right() for i in range(300)) <= 460
    first = tiles.in_sight()
    tiles.verticalScrollBar().setValue(tiles.verticalScrollBar().maximum())
    assert 299 in tiles.in_sight()
    assert 299 not in first


def test_a_map_wears_the_colour_of_its_values_and_one_to_come_is_empty(tiles):
    tiles.show_tiles(
        [tile("a", 0.0), tile("b", 1.0), tile("c", None)], SHARE, "pattern"
    )
    colours = [colour_in(tiles, i) for i in range(3)]
    assert len(set(colours)) == 3


def test_a_single_strong_cell_is_never_lost(tiles):
    values = np.zeros((64, 64), np.float32)
    values[37, 21] = 1.0
    tiles.show_tiles([Tile(str(i), values) for i in range(144)], SHARE, "pattern", 12)
    image = tiles._picture()
    pixels = {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height() // 144)
    }
    assert len(pixels) == 2


def test_a_click_chooses_and_a_click_with_ctrl_gathers(tiles, qtbot):
    show(tiles, 4)
    point = tiles.item_rect(2).center().toPoint()
    left = Qt.MouseButton.LeftButton
    with qtbot.waitSignal(tiles.tile_clicked) as clicked:
        QTest.mouseClick(tiles.viewport(), left, pos=point)
    assert clicked.args == [2]
    with qtbot.waitSignal(tiles.tile_toggled) as toggled:
        control = Qt.KeyboardModifier.ControlModifier
        QTest.mouseClick(tiles.viewport(), left, control, point)
    assert toggled.args == [2]


def test_keys_walk_across_and_down(tiles, qtbot):
    show(tiles, 6, n_across=3)
    QTest.keyClick(tiles, Qt.Key.Key_Down)
    QTest.keyClick(tiles, Qt.Key.Key_Right)
    with qtbot.waitSignal(tiles.tile_clicked) as clicked:
        QTest.keyClick(tiles, Qt.Key.Key_Return)
    assert clicked.args == [4]


def test_the_bar_below_a_map_is_as_long_as_its_score(tiles):
    tiles.show_tiles([tile("a", share=0.5), tile("b", share=0.0)], SHARE, "pattern")
    box = tiles._place.map_rect(0)
    image = tiles.viewport().grab().toImage()
    y = round(box.bottom() + 4)
    quarter, rest = (
        image.pixelColor(QPoint(round(box.left() + box.width() * x), y)).name()
        for x in (0.25, 0.75)
    )
    assert quarter != rest


def test_gathered_maps_are_told_by_a_sign_not_by_colour_alone(tiles):
    show(tiles, 2, is_gathered=True)
    assert GATHERED.strip()
    assert all(each.is_gathered for each in tiles.tiles)


def test_no_maps_no_fault(tiles):
    tiles.show_tiles([], SHARE, "pattern")
    tiles.grab()
    assert tiles.in_sight() == ()
