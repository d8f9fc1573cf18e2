"""Two bars a row: each as long as its share, one over the other."""

import pytest
from PySide6.QtGui import QColor

from app.style.theme import theme
from app.widgets.paired_table import PairedRow, PairedTable


@pytest.fixture
def table(qtbot):
    table = PairedTable("pairs")
    qtbot.addWidget(table)
    table.resize(400, 120)
    return table


def bars_of(table):
    """How many pixels each colour has in the first row."""
    image = table.grab().toImage()
    box = table.row_rect(0).toRect()
    found = {"pattern": 0, "value": 0}
    for y in range(box.top(), box.bottom()):
        for x in range(box.left(), box.right()):
            for role in found:
                colour = QColor(getattr(theme(), role))
                found[role] += image.pixelColor(x, y) == colour
    return found


def row(share, second):
    return PairedRow("x", ("1",), share, "pattern", second=second)


def test_bars_are_as_long_as_their_shares(table):
    table.show_rows((row(1.0, 0.5),), ("n",))
    bars = bars_of(table)
    assert bars["pattern"] == pytest.approx(2 * bars["value"], rel=0.05)


@pytest.mark.parametrize("nothing", [0.0, float("nan")])
def test_nothing_has_no_bar(table, nothing):
    table.show_rows((row(1.0, nothing),), ("n",))
    bars = bars_of(table)
    assert bars["pattern"] > 0
    assert bars["value"] == 0
