import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.actions import ACTIONS, MENUS, SECTION_STARTS, KeyGuard, make_actions
from app.style.icons import ICONS

Key = Qt.Key


def test_every_id_is_unique():
    assert len({row.id for row in ACTIONS}) == len(ACTIONS)


def test_no_two_actions_share_a_key():
    keys = [row.shortcut for row in ACTIONS if row.shortcut]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("row", ACTIONS, ids=lambda row: row.id)
def test_a_row_names_a_menu_an_icon_and_a_key_that_exist(row):
    assert row.menu in dict(MENUS)
    assert not row.icon or row.icon in ICONS
    key = QKeySequence(row.shortcut, QKeySequence.SequenceFormat.PortableText)
    assert key.toString(QKeySequence.SequenceFormat.PortableText) == row.shortcut


@pytest.mark.parametrize("menu", dict(MENUS))
def test_no_two_rows_of_a_menu_answer_to_the_same_letter(menu):
    rows = [row for row in ACTIONS if row.menu == menu]
    letters = [row.text[row.text.index("&") + 1].lower() for row in rows]
    assert len(set(letters)) == len(letters)


@pytest.fixture
def window(qtbot, qapp):
    """A window with every action, a guard, and one widget of each kind."""
    window = QMainWindow()
    qtbot.addWidget(window)
    guard = KeyGuard(qapp)
    window.actions = make_actions(window)
    window.triggered = []
    for row in ACTIONS:
        action = window.actions[row.id]
        action.triggered.connect(lambda _, id=row.id: window.triggered.append(id))
    middle = QWidget()
    layout = QVBoxLayout(middle)
    window.widgets = {
        kind: kind()
        for kind in (QLineEdit, QPlainTextEdit, QSlider, QSpinBox, QListWidget)
    }
    window.widgets[QPushButton] = QPushButton("press")
    for widget in window.widgets.values():
        layout.addWidget(widget)
    window.setCentralWidget(middle)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    yield window
    qapp.focusChanged.disconnect(guard._on_focus_changed)
    guard.deleteLater()


def pressed(window, kind, key):
    """What a key does while a widget of that kind has the focus."""
    widget = window.widgets[kind]
    widget.setFocus()
    window.triggered.clear()
    QTest.keyClick(widget, key)
    return window.triggered


def sections(menu):
    """The rows of a menu, from one line to the next."""
    found = [[]]
    for row in (row for row in ACTIONS if row.menu == menu):
        if row.id in SECTION_STARTS:
            found.append([])
        found[-1].append(row)
    return found


@pytest.mark.parametrize("menu", dict(MENUS))
def test_a_line_in_a_menu_stands_between_rows(menu):
    assert all(sections(menu))
    assert sum(len(rows) == 1 for rows in sections(menu)) <= 2


def test_a_section_starts_at_a_row_that_exists():
    assert {row.id for row in ACTIONS} >= SECTION_STARTS


@pytest.mark.parametrize("group", ["theme", "maps"])
def test_a_choice_is_a_section_of_its_own(group):
    rows = [rows for rows in sections("view") if rows[0].group == group]
    assert [{row.group for row in each} for each in rows] == [{group}]


def test_every_action_can_be_found_by_its_name(window):
    for row in ACTIONS:
        assert window.findChild(QAction, f"action.{row.id}") is not None


def test_arrows_and_space_walk_where_nothing_else_needs_them(window):
    keys = (Key.Key_Right, Key.Key_Left, Key.Key_Down, Key.Key_Up)
    heard = [pressed(window, QPushButton, key)[:] for key in keys]
    expected = ["step.next", "step.previous", "layer.next", "layer.previous"]
    assert heard == [[id] for id in expected]
    assert pressed(window, QSlider, Key.Key_Space) == ["step.play"]


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (QLineEdit, Key.Key_Right),
        (QLineEdit, Key.Key_Left),
        (QLineEdit, Key.Key_Space),
        (QPlainTextEdit, Key.Key_Up),
        (QPlainTextEdit, Key.Key_Space),
        (QSlider, Key.Key_Right),
        (QSlider, Key.Key_Up),
        (QSpinBox, Key.Key_Up),
        (QListWidget, Key.Key_Down),
        (QPushButton, Key.Key_Space),
    ],
)
def test_a_key_that_a_widget_needs_stays_with_it(window, kind, key):
    assert pressed(window, kind, key) == []


def test_a_cursor_moves_in_the_sentence_by_arrows(window):
    field = window.widgets[QLineEdit]
    field.setText("the cat")
    field.setCursorPosition(3)
    pressed(window, QLineEdit, Key.Key_Left)
    assert field.cursorPosition() == 2


def test_one_choice_of_a_group_excludes_the_others(window):
    window.actions["view.theme.dark"].trigger()
    window.actions["view.theme.light"].trigger()
    assert not window.actions["view.theme.dark"].isChecked()
    assert window.actions["view.theme.light"].isChecked()
