"""The keyboard, the mouse and the tips of painted widgets."""

import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QKeyEvent

from app.style.fonts import mono
from app.widgets.canvas import DOWN, NOTHING, Canvas
from app.widgets.label import as_tip, elided

ROW = 20


class Rows(Canvas):
    """Plain rows of 20 pixels, to try a canvas with."""

    def __init__(self, n):
        super().__init__("Rows", DOWN)
        self.n, self.entered, self.painted = n, [], None
        self.resize(200, 100)

    def item_count(self):
        return self.n

    def item_rect(self, index):
        return QRectF(0, ROW * index, 200, ROW)

    def item_text(self, index):
        return f"row {index}"

    def arrange(self):
        return QSizeF(200, ROW * self.n)

    def activate(self, index, is_secondary):
        self.entered.append((index, is_secondary))

    def paint(self, painter, visible):
        self.painted = visible


@pytest.fixture
def rows(qtbot):
    widget = Rows(40)
    qtbot.addWidget(widget)
    widget.show()
    widget.refresh()
    return widget


def test_arrows_move_the_cursor_and_enter_enters(rows, qtbot):
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Up)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    qtbot.keyClick(rows, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert rows.entered == [(1, False), (1, True)]


def test_the_cursor_stays_on_the_items(rows, qtbot):
    qtbot.keyClick(rows, Qt.Key.Key_Up)
    assert rows.cursor_index == 0
    qtbot.keyClick(rows, Qt.Key.Key_End)
    qtbot.keyClick(rows, Qt.Key.Key_PageDown)
    assert rows.cursor_index == 39


def test_the_cursor_is_followed_and_told_to_screen_readers(rows, qtbot):
    qtbot.keyClick(rows, Qt.Key.Key_End)
    assert rows.verticalScrollBar().value() == 40 * ROW - rows.viewport().height()
    assert rows.accessibleDescription() == "row 39"


def test_a_click_on_a_scrolled_row_enters_that_row(rows, qtbot):
    rows.verticalScrollBar().setValue(10 * ROW)
    qtbot.mouseClick(
        rows.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(5, 30).toPoint()
    )
    assert rows.entered == [(11, False)]


def test_only_the_visible_part_is_painted(rows):
    rows.verticalScrollBar().setValue(300)
    rows.viewport().repaint()
    assert rows.painted.top() == 300
    assert rows.painted.height() <= rows.viewport().height()


@pytest.mark.parametrize(
    ("key", "is_kept"),
    [(Qt.Key.Key_Down, True), (Qt.Key.Key_Return, True), (Qt.Key.Key_Left, False)],
)
def test_only_its_own_keys_are_kept_from_shortcuts(rows, key, is_kept):
    none = Qt.KeyboardModifier.NoModifier
    override = QKeyEvent(QEvent.Type.ShortcutOverride, key, none)
    override.ignore()
    rows.event(override)
    assert override.isAccepted() == is_kept


def test_a_canvas_without_items_takes_no_key_and_holds_no_item(qtbot):
    widget = Rows(0)
    qtbot.addWidget(widget)
    widget.show()
    qtbot.keyClick(widget, Qt.Key.Key_Return)
    assert widget.entered == []
    assert widget.item_at(QPointF(5, 5)) == NOTHING


def test_leaving_tells_that_nothing_is_under_the_mouse(rows, qtbot):
    seen = []
    rows.hovered.connect(seen.append)
    qtbot.mouseMove(rows.viewport(), QPointF(5, 50).toPoint())
    rows.viewportEvent(QEvent(QEvent.Type.Leave))
    assert seen == [2, NOTHING]


def test_a_tip_shows_markup_as_what_was_typed():
    assert "&lt;b&gt;" in as_tip("<b>")
    assert as_tip("") == ""


def test_a_long_label_keeps_both_its_ends(qapp):
    shown = elided("·internationalisation", mono(), 100)
    assert shown.startswith("·int")
    assert "…" in shown
    assert shown.endswith("n")
