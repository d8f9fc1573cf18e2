"""A shaded text: how it flows, what its shades are, and what a reader can do."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from app.style.maps import map_colours
from app.style.ramp import TOP
from app.widgets.canvas import NOTHING
from app.widgets.shaded_flow import FlowItem, boxes_of, lines_of
from app.widgets.shaded_text import Shade, ShadedText, TextToken
from core.trace.matrix import Scale

NAN = float("nan")


def items(*words, width=10.0, **fields):
    """Words of so many tokens each."""
    return [
        FlowItem(width, is_glued=place > 0, **fields)
        for word in words
        for place in range(word)
    ]


# How it flows.


def test_a_word_stays_on_one_line_where_it_can():
    assert lines_of(items(2, 3, 1), 45) == [[0, 1], [2, 3, 4, 5]]


def test_a_word_wider_than_a_line_is_cut_between_its_tokens():
    assert lines_of(items(5), 25) == [[0, 1], [2, 3], [4]]


def test_a_character_of_several_tokens_is_cut_last():
    word = [
        FlowItem(10, is_glued=bool(place), is_tied=place in (2, 3))
        for place in range(5)
    ]
    assert lines_of(word, 35) == [[0], [1, 2, 3], [4]]


def test_a_newline_ends_its_line_and_two_leave_an_empty_one():
    line = [FlowItem(10), FlowItem(10, ends_line=True)]
    assert lines_of([*line, FlowItem(10, ends_line=True), FlowItem(10)], 100) == [
        [0, 1],
        [2],
        [3],
    ]


def test_tokens_touch_and_a_line_begins_without_a_space():
    flow = [FlowItem(30, lead=8) for _ in range(4)]
    boxes = boxes_of(flow, 60, 20, 15)
    assert [(box.left(), box.top(), box.width()) for box in boxes] == [
        (0, 0, 22),
        (22, 0, 30),
        (0, 20, 22),
        (22, 20, 30),
    ]


def test_leftward_neighbours_stand_in_the_order_of_their_script():
    flow = [FlowItem(10), *items(1, 1, is_leftward=True), FlowItem(10)]
    lefts = [box.left() for box in boxes_of(flow, 100, 20, 15)]
    assert lefts == [0, 20, 10, 30]


def test_no_token_is_wider_than_the_room():
    (box,) = boxes_of([FlowItem(900)], 50, 20, 15)
    assert box.width() == 50


# The widget.


@pytest.fixture
def text(qtbot):
    widget = ShadedText()
    qtbot.addWidget(widget)
    widget.resize(500, 300)
    widget.show()
    return widget


def tokens(n):
    return tuple(TextToken(f" w{i}") for i in range(n))


def shade(values, focus=0, limit=1.0, **fields):
    array = np.array(values, np.float32)
    return Shade(focus, array, Scale("share", limit), "query", **fields)


def colour_in(widget, index):
    """The ground of a token, near its lower left corner."""
    image = widget.viewport().grab().toImage()
    box = widget.item_rect(index)
    point = QPointF(box.left() + 4, box.bottom() - 2)
    return image.pixelColor(point.toPoint()).getRgb()[:3]


def test_a_shade_is_the_colour_of_its_share_in_the_maps(text):
    text.show_tokens(tokens(4))
    text.show_shade(shade([0.0, 0.5, 1.0, NAN]))
    table = map_colours("share", "pattern").table
    assert colour_in(text, 2) == tuple(table[254])
    assert colour_in(text, 1) == tuple(table[127])
    assert colour_in(text, 3) == colour_in(text, 0)


def test_a_single_one_among_a_thousand_has_the_full_colour(text):
    text.show_tokens(tokens(1024))
    values = np.zeros(1024, np.float32)
    values[777] = 1.0
    text.show_shade(shade(values))
    full = [at for at, level in enumerate(text._levels) if level == TOP]
    assert full == [777]


def test_a_dimmed_token_is_paler_than_its_share(text):
    text.show_tokens(tokens(3))
    text.show_shade(shade([0.1, 0.9, 0.9], dimmed=1))
    bright, pale = colour_in(text, 2), colour_in(text, 1)
    assert bright != pale
    assert "share 0.9" in text.item_text(1)


def test_a_token_tells_its_place_and_its_number(text):
    text.show_tokens(tokens(3))
    assert text.item_text(1) == " w1\ntoken 2 of 3"
    text.show_shade(shade([0.25, 0.75, NAN]))
    assert text.item_text(1).endswith("share 0.75")
    assert "share" not in text.item_text(2)


def test_a_click_tells_the_token_and_pointing_too(text, qtbot):
    text.show_tokens(tokens(5))
    clicked, pointed = [], []
    text.token_clicked.connect(clicked.append)
    text.hovered.connect(pointed.append)
    place = text.item_rect(3).center().toPoint()
    qtbot.mouseMove(text.viewport(), place)
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked == [3]
    assert pointed == [3]


def test_the_keys_walk_over_tokens_and_lines(text, qtbot):
    text.show_tokens(tokens(60))
    first_of_second = next(
        i for i in range(60) if text.item_rect(i).top() > text.item_rect(0).top()
    )
    qtbot.keyClick(text, Qt.Key.Key_Down)
    assert text.cursor_index == first_of_second
    qtbot.keyClick(text, Qt.Key.Key_Right)
    qtbot.keyClick(text, Qt.Key.Key_Up)
    assert text.cursor_index == 1


def test_few_tokens_are_written_larger_than_many(text):
    text.show_tokens(tokens(3))
    few = text.item_rect(0).height()
    text.show_tokens(tokens(1024))
    assert text.item_rect(0).height() < few
    assert text.verticalScrollBar().maximum() > 0
    text.show_shade(shade(np.linspace(0, 1, 1024)))
    assert not text.grab().isNull()


def test_odd_tokens_are_painted(text):
    labels = ("<b>", "·", "↵", "⟨F0 9F⟩", "⟨99⟩", "שלום", "x" * 300)
    text.show_tokens(
        tuple(
            TextToken(label, bracket=7 if label[0] == "⟨" else None) for label in labels
        )
    )
    text.show_shade(shade(np.full(len(labels), 0.1), focus=6))
    assert not text.grab().isNull()
    assert text.item_rect(6).right() <= text.viewport().width()


def test_another_text_comes_without_the_shades_of_the_one_before(text):
    text.show_tokens(tokens(3))
    text.show_shade(shade([0.1, 0.2, 0.7]))
    text.show_tokens(())
    assert text.shade is None
    assert text.item_at(QPointF(5, 5)) == NOTHING
    assert not text.grab().isNull()
