"""A model of characters in the window: what it does not know, and a vocabulary of 1."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.frame.state_page import UNKNOWN
from app.frame.text_counts import LEAVE_OUT
from app.frame.token_chips import UNKNOWN_SUB
from app.panel_host import STALE_UNKNOWN
from app.widgets.ranked_bars import RankedBars
from app.workers.tracing import Opened, card_of
from tests.helpers.bundles import character_bundle

NOTE = "not in this model's 3 characters: d ?"


@pytest.fixture
def window(window, session):
    session.take(character_bundle("abcabc"))
    return window


@pytest.fixture
def bench(window):
    yield window.bench
    window.bench.leave()


def leave_out(bench):
    return bench.window().findChild(QPushButton, "sentence.leave_out")


def test_who_is_told_of_a_model_finds_the_text_cut_as_it_cuts(session):
    session.open()
    session.request_text("abc")
    told = []
    session.model_changed.connect(lambda _: told.append(session.tokenizer))
    bundle = character_bundle("abcabc")
    session.take(bundle)
    assert told == [bundle.tokenizer]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("YOUR CAT IS A LOVELY CAT", "cab"),  # an example
        ("my own text", "my own text"),
        ("abba", "abba"),
    ],
)
def test_a_model_shows_what_it_knows_where_nobody_typed_a_text(session, text, after):
    session.open()
    session.request_text(text)
    bundle = character_bundle("abcabc")
    card = replace(card_of(bundle), prompts=("b", "cab", "abcabca"))
    session._on_opened(Opened(bundle, card))
    assert session.text == after


def test_unknown_characters_are_marked_and_named(bench, session):
    session.request_text("abd?")
    chips = bench.tokens.strip._chips
    assert [(chip.label, chip.state) for chip in chips] == [
        ("a", "plain"),
        ("b", "plain"),
        ("d", "bad"),
        ("?", "bad"),
    ]
    assert [chip.sub for chip in chips] == ["0", "1", UNKNOWN_SUB, UNKNOWN_SUB]
    assert session.unknown == bench.sentence.counts == NOTE
    assert bench.host.page.title == UNKNOWN.title


def test_where_there_is_little_room_they_are_counted(bench, session):
    session.request_text("abd?")
    bench.sentence.resize(700, 52)
    assert bench.sentence.counts == "2 unknown"


def test_they_are_left_out_when_asked_and_come_back_by_undo(bench, session, qtbot):
    session.request_text("abd?")
    button = leave_out(bench)
    assert (button.isVisible(), button.text()) == (True, LEAVE_OUT)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (session.text, session.encoding.ids) == ("ab", (0, 1))
    assert (session.unknown, button.isVisible()) == ("", False)
    session.undo_append()
    assert (session.text, session.unknown) == ("abd?", NOTE)


def test_of_nothing_but_unknown_characters_nothing_is_left(bench, session):
    session.request_text("??")
    session.leave_out_unknown()
    assert (session.text, session.unknown) == ("", "")
    assert session.trace is None


def test_nothing_runs_on_a_sentence_that_is_not_known(bench, session):
    session.read("ab")
    assert session.can_append_pick
    session.request_text("abd")
    assert not session.is_current
    assert not session.can_append_pick
    assert bench.host.header.sentence.text() == STALE_UNKNOWN.format(text="sentence")
    assert bench.tokens.next.isHidden()
    session.append_token(0)
    session.generate(5)
    assert (session.text, session.is_generating) == ("abd", False)
    session.read("abc")
    assert bench.host.header.sentence.text() != STALE_UNKNOWN.format(text="sentence")
    assert not bench.tokens.next.isHidden()


def test_another_model_may_know_the_sentence(bench, session):
    session.request_text("abd")
    session.take(character_bundle("abcd"))
    assert session.unknown == ""


def test_a_sentence_too_long_and_unknown_is_first_made_known(bench, session):
    session.request_text("abc" * 20 + "d")
    keep = bench.window().findChild(QPushButton, "sentence.keep")
    assert leave_out(bench).isVisible()
    assert not keep.isVisible()
    session.leave_out_unknown()
    assert keep.isVisible()


def test_every_step_of_a_vocabulary_of_one_is_shown(bench, session, qtbot):
    session.take(character_bundle("a"))
    session.read("aaa")
    for key in session.trace.keys:
        session.go_to(key)
        assert bench.host.panel is not None
        bench.window().grab()
    assert session.trace["output.probs"].tolist() == [[1.0]] * 3
    assert bench.tokens.next.text == "next a 1.00 "


def test_the_softmax_of_a_vocabulary_of_one_is_one_bar_at_100(bench, session):
    session.take(character_bundle("a"))
    session.read("aaa")
    session.go_to("output.probs")
    shown = [
        bars._ranked
        for bars in bench.host.panel.findChildren(RankedBars)
        if bars.isVisible()
    ]
    (ranked,) = shown
    bar = ranked.bar_of(0)
    assert (ranked.n_rows, bar.label, bar.share) == (1, "a", 1.0)
    assert bar.value[1:] == ("1.0000", "1.0000")
