from dataclasses import replace

import numpy as np
import pytest

from app.frame.recent import RecentModels
from app.frame.sentence_bar import SentenceBar
from app.frame.token_bar import TokenBar, next_words
from app.frame.token_chips import chips_of
from app.settings import Settings
from app.workers.tracing import Traced, TraceRequest, TraceTiming
from core.pipeline import trace_encoding
from tests.helpers.bundles import tiny_tokenizer, tiny_trace


@pytest.fixture
def bar(qtbot, session):
    bar = TokenBar(session)
    qtbot.addWidget(bar)
    session.read("the cat sat on the mat")
    return bar


def chips(text):
    return chips_of(tiny_tokenizer().encode(text))


def test_a_chip_says_the_token_and_its_id():
    encoding = tiny_tokenizer().encode("the cat")
    assert [(chip.label, chip.sub) for chip in chips("the cat")] == [
        (piece.label, str(piece.id)) for piece in encoding.pieces
    ]


def test_tokens_of_one_character_stand_in_one_bracket():
    brackets = [chip.bracket for chip in chips("a🙂b")]
    assert brackets == [None, 0, 0, 0, 0, None]
    assert "byte 2 of 4" in chips("a🙂b")[2].note


def test_the_space_at_the_front_is_explained():
    assert "space" in chips("the cat")[1].note
    assert chips("the cat")[0].note == ""


def test_tokens_that_the_model_cannot_read_are_counted_by_one_chip(bar, session):
    n_ctx = session.model.n_ctx
    session.request_text("a" * (n_ctx + 7))
    n = len(session.encoding.pieces)
    assert n > n_ctx
    assert bar.strip.item_count() == n_ctx + 1
    assert f"{n - n_ctx} more" in bar.strip.item_text(n_ctx)
    session.request_text("the cat")
    assert bar.strip.item_count() == len(session.encoding.pieces)


def test_html_in_a_token_stays_what_it_is():
    assert "".join(chip.label for chip in chips("<s>")) == "<s>"


def test_the_likeliest_next_tokens_have_their_true_probabilities():
    trace = tiny_trace()
    shares = trace.part("output.probs", (2,))
    best = np.argsort(-shares)[:3]
    words = [word.text.strip() for word in next_words(trace, tiny_tokenizer().label)]
    label_of = tiny_tokenizer().label
    expected = [text for t in best for text in (label_of(int(t)), f"{shares[t]:.2f}")]
    assert words == ["next", *expected]


def test_a_click_makes_a_token_the_query_and_a_second_kind_the_key(bar, session):
    bar.strip.query_requested.emit(4)
    bar.strip.key_requested.emit(1)
    assert (session.selection.query, session.selection.key) == (4, 1)


def test_of_a_sentence_that_is_too_long_no_next_token_is_told(bar, session):
    assert not bar.next.isHidden()
    session.request_text("a" * 40)
    assert bar.next.isHidden()
    session.read("the cat")
    assert not bar.next.isHidden()


def test_without_a_trace_nothing_comes_next(bar, session):
    session.request_text("")
    assert bar.next.text == ""


def test_what_was_added_is_dressed_as_new_and_in_sight(bar, session):
    bar.resize(300, 60)
    bar.show()
    session.read("the cat sat on the mat and the dog ran to the cat")
    session.request_selection(replace(session.selection, query=0))
    n = len(session.encoding.pieces)
    assert bar.strip.horizontalScrollBar().value() == 0
    session.append_token(session.encoding.ids[0])
    scroll = bar.strip.horizontalScrollBar()
    assert scroll.value() == scroll.maximum() > 0
    assert session.selection.query == 0
    states = [chip.state for chip in bar.strip._chips]
    assert states == [*["plain"] * n, "unread"]
    bar.resize(320, 60)
    assert scroll.value() == scroll.maximum()
    session.undo_append()
    assert {chip.state for chip in bar.strip._chips} == {"plain"}


def test_the_mark_of_another_token_is_scrolled_to_again(bar, session):
    bar.resize(300, 60)
    bar.show()
    session.append_token(session.encoding.ids[0])
    session.request_selection(replace(session.selection, query=1))
    scroll = bar.strip.horizontalScrollBar()
    assert scroll.value() < scroll.maximum()


def test_a_cell_under_the_mouse_is_marked_in_strip_and_sentence(bar, session, qtbot):
    sentence = SentenceBar(session, RecentModels(Settings()))
    qtbot.addWidget(sentence)
    sentence.edit.setText(session.text)
    bar.resize(800, 60)
    sentence.resize(800, 60)
    widgets = bar, sentence.edit
    for widget in (bar, sentence):
        widget.grab()  # lays it out
    plain = [widget.grab().toImage() for widget in widgets]
    session.point_at((2, 0))
    marked = [widget.grab().toImage() for widget in widgets]
    assert all(one != other for one, other in zip(plain, marked, strict=True))
    session.point_at(None)
    assert [widget.grab().toImage() for widget in widgets] == plain


def test_the_newest_token_says_that_it_was_not_read_until_it_is(bar, session):
    session.read("the cat")
    session.append_token(session.encoding.ids[0])
    chip, tip = bar.strip._chips[-1], bar.strip.item_text(len(bar.strip._chips) - 1)
    assert chip.state == "unread"
    assert "not read yet\nThe model has written this token" in tip
    trace = trace_encoding(session.opened.bundle, session.encoding)
    read = TraceRequest(session.opened.bundle, session.encoding, session._serial)
    session.accept(read, Traced(trace, TraceTiming("CPU", 1.0), None))
    assert bar.strip._chips[-1].state == "new"
    assert "not read" not in bar.strip.item_text(len(bar.strip._chips) - 1)
