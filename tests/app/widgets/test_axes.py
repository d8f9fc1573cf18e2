"""The frame of a matrix: room for its labels on all sides."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QImage, QPainter

from app.style.fonts import SMALL, mono
from app.widgets import axes
from app.widgets.axes import frame_of, paint_column_labels
from app.widgets.label import line_height
from core.trace.matrix import Axis


@pytest.mark.parametrize("n_rows", [1, 8, 40, 200, 900])
def test_the_label_of_the_last_row_is_not_cut(qapp, n_rows):
    rows = Axis("token", tuple(f"token{i}" for i in range(n_rows)))
    columns = Axis("feature", tuple(map(str, range(192))))
    cells = frame_of(rows, columns, QSizeF(400, 300), 1.0).cells
    last_middle = cells.top + (n_rows - 0.5) * cells.cell_height
    assert last_middle + line_height(mono(SMALL)) / 2 <= 300 + 1


def test_a_label_moved_in_from_the_edge_touches_no_other(qapp, monkeypatch):
    columns = Axis("feature", tuple(map(str, range(1, 193))))
    frame = frame_of(Axis("token", ("The",)), columns, QSizeF(330, 120), 1.0)
    spans = []
    monkeypatch.setattr(
        axes,
        "draw_label",
        lambda painter, box, *_: spans.append(painter.transform().mapRect(box)),
    )
    image = QImage(330, 120, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        paint_column_labels(painter, columns, frame, {180: "text"})
    lefts = sorted(span.left() for span in spans)
    assert all(b - a >= spans[0].width() - 0.01 for a, b in pairwise(lefts))
    assert lefts[-1] + spans[0].width() <= 330
