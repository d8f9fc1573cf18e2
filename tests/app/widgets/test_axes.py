"""The frame of a matrix: room for its labels on all sides."""

import pytest
from PySide6.QtCore import QSizeF

from app.style.fonts import SMALL, mono
from app.widgets.axes import frame_of
from app.widgets.label import line_height
from core.trace.matrix import Axis


@pytest.mark.parametrize("n_rows", [1, 8, 40, 200, 900])
def test_the_label_of_the_last_row_is_not_cut(qapp, n_rows):
    rows = Axis("token", tuple(f"token{i}" for i in range(n_rows)))
    columns = Axis("feature", tuple(map(str, range(192))))
    cells = frame_of(rows, columns, QSizeF(400, 300), 1.0).cells
    last_middle = cells.top + (n_rows - 0.5) * cells.cell_height
    assert last_middle + line_height(mono(SMALL)) / 2 <= 300 + 1
