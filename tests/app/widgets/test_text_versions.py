"""Versions of a text: the newest first, what is new dark."""

import pytest

from app.style.theme import theme
from app.widgets.text_versions import TextVersions, Version, changes


@pytest.fixture
def texts(qtbot):
    widget = TextVersions("samples")
    qtbot.addWidget(widget)
    widget.resize(300, 200)
    return widget


def test_only_other_words_are_new():
    before, after = "the cat sat on the mat", "the dog sat on a  mat"
    assert list(changes(before, after)) == [
        ("the ", False),
        ("dog ", True),
        ("sat on ", False),
        ("a  ", True),
        ("mat", False),
    ]


@pytest.mark.parametrize("text", ["", "  ", "\n", "one", " a\n\nb "])
def test_the_pieces_are_the_text(text):
    assert "".join(piece for piece, _ in changes("a b", text)) == text


def test_the_newest_stands_first(texts):
    texts.show_versions(
        (Version("step 1", "A", " b"), Version("step 2", "A", " c")), ""
    )
    assert texts.toPlainText() == "step 2\nA c\nstep 1\nA b"


def test_markup_is_read_literally(texts):
    texts.show_versions((Version("step 1", "", "<b>x</b> <s>"),), "")
    assert "<b>x</b> <s>" in texts.toPlainText()


def test_what_stayed_is_pale_and_what_is_new_is_dark(texts):
    texts.show_versions(
        (Version("step 1", "", "old"), Version("step 2", "", "old new")), ""
    )
    block = texts.document().findBlockByNumber(1)
    pieces = [block.begin().fragment()]
    colours = []
    place = block.begin()
    while not place.atEnd():
        pieces.append(place.fragment())
        colours.append(place.fragment().charFormat().foreground().color())
        place += 1
    assert colours == [theme().ink("muted"), theme().ink("text")]


def test_without_versions_the_message_is_read(texts):
    texts.show_versions((), "Not yet.")
    assert texts.toPlainText() == "Not yet."
