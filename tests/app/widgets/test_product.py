"""Products and weighted sums lie so that what makes a number points at it."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor

from app.style.fonts import SMALL, sans
from app.style.theme import LIGHT
from app.widgets.dial import Dial
from app.widgets.label import advance, first_fitting
from app.widgets.mixture import Mixture, MixtureMap
from app.widgets.product import Product, ProductMap
from app.widgets.product_chart import bars_image
from app.widgets.product_labels import captions_of
from app.widgets.product_layout import Margins, layout_of
from core.trace.matrix import Axis, Matrix, Scale

SIGNED = Scale("signed", 2.0)
MARGINS = Margins(labels=60, caption=20, groups=0, group_line=0)


def axis(n, name=""):
    return Axis(name, tuple(map(str, range(1, n + 1))))


def matrix_of(values):
    rows, columns = values.shape
    return Matrix(values, axis(rows), axis(columns), SIGNED, "query")


def product_of(n_rows=3, n_inner=8, n_columns=4):
    left = np.arange(n_rows * n_inner, dtype=np.float32).reshape(n_rows, n_inner)
    right = np.ones((n_inner, n_columns), np.float32)
    parts = (matrix_of(values) for values in (left, right, left @ right))
    return Product(*parts, names=("X", "W", "Q"))


def mixture_of(n_rows=4, n_columns=6):
    shares = np.array([0.5, 0.5, np.nan, np.nan], np.float32)[:n_rows]
    rows = np.ones((n_rows, n_columns), np.float32)
    weighted = shares[:, None] * rows
    total = np.nansum(weighted, axis=0)
    names = ("share", "row", "share × row", "sum")
    return Mixture(
        axis(n_rows), shares, rows, weighted, total, SIGNED, names, "pattern", "value"
    )


@pytest.fixture
def product(qtbot):
    widget = ProductMap(is_compact=False)
    qtbot.addWidget(widget)
    widget.resize(500, 400)
    widget.show_product(product_of())
    return widget


@pytest.fixture
def mixture(qtbot):
    widget = MixtureMap()
    qtbot.addWidget(widget)
    widget.resize(500, 300)
    widget.show_mixture(mixture_of())
    return widget


def centre(cells, row, column):
    left, top, width, height = cells.rectangle(row, column)
    return QPointF(left + width / 2, top + height / 2)


@pytest.mark.parametrize("shape", [(1, 192, 48), (6, 192, 48), (256, 768, 64)])
@pytest.mark.parametrize("size", [(120, 90), (500, 400), (1000, 700)])
def test_rows_and_columns_stand_in_line_with_the_result(shape, size):
    layout = layout_of(shape, size, MARGINS)
    left, right, result = layout.left, layout.right, layout.result
    assert (left.top, left.cell_height) == (result.top, result.cell_height)
    assert (right.left, right.cell_width) == (result.left, result.cell_width)
    assert left.left + left.width < result.left
    assert right.top + right.height < result.top


@pytest.mark.parametrize("n_rows", [1, 6, 30, 256])
def test_the_product_stays_inside_its_room(n_rows):
    layout = layout_of((n_rows, 192, 48), (500, 400), MARGINS)
    assert layout.result.left + layout.result.width <= 500
    assert layout.result.top + layout.result.height <= 400
    left, top, width, height = layout.corner
    assert left + width < layout.right.left
    assert top + height < layout.left.top


def test_a_low_corner_shows_no_chart():
    assert layout_of((6, 192, 48), (500, 400), MARGINS).chart is not None
    assert layout_of((6, 192, 48), (300, 200), MARGINS).chart is None


@pytest.mark.parametrize("factor", ["left", "right", "result"])
def test_a_point_in_a_factor_is_found_in_it(product, factor):
    cells = product.picture.layout.cells(factor)
    assert product.spot_at(centre(cells, 2, 1)) == (factor, 2, 1)


def test_a_row_of_the_left_keeps_the_column_and_a_column_of_the_right_the_row(product):
    product.set_selected(1, 2)
    assert product.cell_of(("left", 2, 7)) == (2, 2)
    assert product.cell_of(("right", 7, 3)) == (1, 3)
    assert product.cell_of(("result", 0, 0)) == (0, 0)


def test_arrow_keys_walk_over_the_result_and_stop_at_its_edge(product, qtbot):
    heard = []
    product.cell_clicked.connect(lambda *at: heard.append(at))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(product, key)
    assert heard == [(1, 0), (1, 1), (0, 1), (0, 1)]


def test_nothing_is_drawn_without_a_product(qtbot):
    widget = ProductMap(is_compact=True)
    qtbot.addWidget(widget)
    assert widget.picture is None
    assert widget.spot_at(QPointF(5, 5)) is None


def test_products_stand_up_or_down_by_their_sign():
    image = bars_image(np.float32([2, -1, 0]), 8, "query")
    column = [
        [QColor(image.pixel(x, y)).name().upper() for y in range(8)] for x in range(3)
    ]
    assert column[0] == [LIGHT.query] * 4 + [LIGHT.surface] * 4
    down = LIGHT.opposite("query")
    assert column[1] == [LIGHT.surface] * 4 + [down] * 2 + [LIGHT.surface] * 2
    assert column[2] == [LIGHT.surface] * 8


@pytest.mark.parametrize(
    ("spot", "cell"),
    [(("shares", 2, 0), (2, 4)), (("total", 0, 3), (1, 3)), (("rows", 3, 5), (3, 5))],
)
def test_a_share_keeps_the_column_and_the_total_the_row(mixture, spot, cell):
    mixture.set_selected(1, 4)
    assert mixture.cell_of(spot) == cell


@pytest.mark.parametrize("part", ["rows", "weighted", "total"])
def test_a_point_in_a_sum_is_found_in_its_part(mixture, part):
    cells = mixture.picture.layout.cells(part)
    assert mixture.spot_at(centre(cells, 0, 2)) == (part, 0, 2)


def test_the_total_stands_under_the_weighted_rows(mixture):
    layout = mixture.picture.layout
    assert layout.total.left == layout.weighted.left
    assert layout.total.cell_width == layout.weighted.cell_width
    assert layout.total.top > layout.weighted.top + layout.weighted.height


def test_a_row_that_takes_no_part_has_no_bar_and_a_sunken_row(mixture):
    shown = mixture.grab().toImage()
    layout = mixture.picture.layout

    def colour(cells, row):
        x, y, _, height = cells.rectangle(row, 0)
        return QColor(shown.pixel(int(x) + 2, int(y + height / 2))).name().upper()

    assert colour(layout.shares, 1) == LIGHT.pattern
    assert colour(layout.shares, 3) != LIGHT.pattern
    assert colour(layout.weighted, 3) == LIGHT.sunken


@pytest.mark.parametrize("way", [np.nan, np.inf, -np.inf])
def test_a_dial_without_a_direction_has_no_arrow(qtbot, way):
    dial = Dial()
    qtbot.addWidget(dial)
    dial.resize(140, 160)
    dial.show_turn((0.0, 0.0), (0.0, 0.0))
    empty = dial.grab().toImage()
    dial.show_turn((1.0, 0.0), (way, 1.0))
    assert dial.grab().toImage() == empty
    dial.show_turn((way, 1.0), (1.0, 0.0))
    assert dial.grab().toImage() == empty


def test_a_dial_shows_the_turned_arrow_in_its_colour(qtbot):
    dial = Dial()
    qtbot.addWidget(dial)
    dial.resize(140, 160)
    dial.set_colour("query")
    dial.show_turn((1.0, 0.0), (0.0, 1.0))
    image = dial.grab().toImage()
    up = QColor(image.pixel(70, 40))
    assert up.name().upper() == LIGHT.query


def test_a_caption_drops_words_instead_of_being_cut(qapp):
    words = captions_of("W_2", product_of().right, (4, 2))
    widths = [advance(each, sans(SMALL)) for each in words]
    assert widths == sorted(widths, reverse=True)
    assert first_fitting(words, sans(SMALL), widths[2]) == words[2]
    assert first_fitting(words, sans(SMALL), 1) == words[-1] == "W_2"
