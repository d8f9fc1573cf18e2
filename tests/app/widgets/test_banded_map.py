"""The banded map: the outline lies around the row and the column that are lit."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.style.theme import LIGHT
from app.widgets.banded_map import LEAST_BAND, BandedMap
from core.trace.matrix import Axis, Matrix, Scale


def matrix_of(n_rows, n_columns):
    rows = Axis("token", tuple(map(str, range(n_rows))), "query")
    columns = Axis("neuron", tuple(map(str, range(n_columns))))
    values = np.zeros((n_rows, n_columns), dtype=np.float32)
    return Matrix(values, rows, columns, Scale("signed", 1.0), "feed_forward")


@pytest.fixture
def banded(qtbot):
    widget = BandedMap(may_be_square=False)
    qtbot.addWidget(widget)
    widget.resize(400, 240)
    return widget


def test_a_band_runs_along_its_whole_row_and_column(banded):
    banded.show_matrix(matrix_of(4, 6))
    banded.set_band(1, 2)
    cells = banded.picture().frame.cells
    (across, role), (down, _) = banded._bands(banded.picture())
    assert role == "query"
    assert across.width() == pytest.approx(cells.width, abs=2)
    assert down.height() == pytest.approx(cells.height, abs=2)
    assert across.contains(banded.picture().rectangle((1, 5)).center())
    assert down.contains(banded.picture().rectangle((3, 2)).center())


def test_the_band_wears_the_colour_of_its_axis(banded):
    banded.show_matrix(matrix_of(4, 6))
    banded.set_band(1, None)
    image = banded.grab().toImage()
    band = banded._bands(banded.picture())[0][0]
    x, y = round(band.center().x()), round(band.top())
    near = [image.pixelColor(x, y + step) for step in (-1, 0, 1)]
    assert QColor(LIGHT.query) in near


def test_a_band_stays_visible_around_cells_smaller_than_a_pixel(banded):
    banded.show_matrix(matrix_of(2000, 3000))
    banded.set_band(1500, 2500)
    across, down = (band for band, _ in banded._bands(banded.picture()))
    assert across.height() >= LEAST_BAND
    assert down.width() >= LEAST_BAND


def test_no_band_is_drawn_where_none_is_lit_or_nothing_is_shown(banded):
    banded.show_matrix(matrix_of(4, 6))
    assert banded._bands(banded.picture()) == []
    banded.set_band(1, 1)
    banded.show_matrix(None)
    assert not banded.grab().isNull()
