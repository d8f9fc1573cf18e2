"""A field of text hands over what it holds, whatever that is."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLineEdit

from app.widgets.text_field import TextField, n_units, with_surrogates


@pytest.fixture
def field(qtbot):
    field = TextField()
    qtbot.addWidget(field)
    field.told = []
    field.whole_text_edited.connect(field.told.append)
    return field


def paste_half_a_smiley(field):
    """As from a program that cut a text between the two halves of a character."""
    source = QLineEdit()
    source.setMaxLength(2)
    source.insert("a🙂")
    source.setSelection(1, 1)
    source.copy()
    field.paste()


@pytest.mark.parametrize("around", ["", "ab", "🙂🙂", "\r\n", "a\nb\u2028", "\0\ufdd0"])
def test_half_a_character_that_is_pasted_is_told(field, around):
    field.setText(around + around)
    field.setCursorPosition(n_units(around))
    paste_half_a_smiley(field)
    assert field.told == [field.whole_text] == [f"{around}\ud83d{around}"]


@pytest.mark.parametrize(
    "text", ["the cat", "🙂 é\u0301", "\ufeffa", "a\0b\r\n\t", "中"]
)
def test_a_whole_text_is_told_as_it_is(field, text):
    QApplication.clipboard().setText(f"x{text}")
    field.paste()
    assert field.told == [f"x{text}"]


def test_only_what_the_reader_does_is_told(field):
    field.setText("the cat")
    assert field.told == []
    assert field.whole_text == "the cat"


def test_halves_that_meet_are_one_character():
    assert with_surrogates("🙂", "\ud83d\ude42") == "🙂"
    assert with_surrogates("a", "\ude42\ud83da") == "\ude42\ud83da"


def test_a_mark_colours_a_stretch_and_changes_nothing_else(qtbot):
    field = TextField("a 🦊 cat")
    qtbot.addWidget(field)
    field.resize(300, 36)
    field.setCursorPosition(1)
    told = []
    field.whole_text_edited.connect(told.append)
    before = field.grab().toImage()
    field.mark([(4, 7, QColor("red"), QColor("blue"))])
    marked = field.grab().toImage()
    assert marked != before
    reds = {
        x
        for x in range(marked.width())
        if marked.pixelColor(x, marked.height() // 2) == QColor("red")
    }
    text = field.fontMetrics()
    assert len(reds) <= text.horizontalAdvance("cat") + 1
    assert (field.whole_text, field.cursorPosition(), told) == ("a 🦊 cat", 1, [])
    field.mark([])
    assert field.grab().toImage() == before


def test_a_selection_survives_a_mark(qtbot):
    field = TextField("the cat")
    qtbot.addWidget(field)
    field.setSelection(0, 3)
    field.mark([(4, 7, QColor("red"), QColor("blue"))])
    assert field.selectedText() == "the"
