"""Source and target in the frame: two fields, two lines of chips, marks on each."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.frame.recent import RecentModels
from app.frame.sentence_bar import HINT, SOURCE_HINT, SentenceBar
from app.frame.token_bar import TokenBar
from app.settings import Settings
from core.generation.sampling import Sampling
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    encoder_decoder_bundle,
    tiny_bundle,
)
from tests.helpers.sessions import ShownSession, session_translating


@pytest.fixture
def session(qapp):
    shown = session_translating()
    yield shown
    shown.close()


@pytest.fixture
def sentence(qtbot, qapp):
    """The sentence bar, over a session that opens the model afterwards."""
    session = ShownSession()
    bar = SentenceBar(session, RecentModels(Settings()))
    qtbot.addWidget(bar)
    bar.resize(1280, 90)
    bar.show()
    session.take(encoder_decoder_bundle())
    session.read(SOURCE_TEXT, TARGET_TEXT)
    yield bar
    session.close()


@pytest.fixture
def tokens(qtbot, session):
    bar = TokenBar(session)
    qtbot.addWidget(bar)
    bar.resize(1280, 80)
    bar.show()
    session.read(SOURCE_TEXT, f"{TARGET_TEXT} to")
    return bar


def marks(strip):
    return strip._query, strip._key, strip._other


def pointed(strip):
    return strip._pointed


def test_a_second_field_is_there_for_a_model_of_two_sides_alone(sentence):
    session, target = sentence._session, sentence.target
    assert target.edit.isVisible()
    assert target.edit.objectName() == "target.edit"
    assert sentence.edit.placeholderText() == SOURCE_HINT
    assert sentence.edit.x() == target.edit.x()
    assert sentence.edit.width() == target.edit.width()
    session.take(tiny_bundle())
    assert not any(p.isVisible() for p in (target.edit, target.caption, target.counts))
    assert sentence.edit.placeholderText() == HINT


def test_what_is_typed_in_the_second_field_is_the_target(sentence, qtbot):
    session, edit = sentence._session, sentence.target.edit
    assert edit.text() == TARGET_TEXT
    edit.selectAll()
    qtbot.keyClicks(edit, "a cat")
    assert (session.target_text, session.text) == ("a cat", SOURCE_TEXT)
    n = len(session.target.ids)
    assert sentence.target.counts.text == f"{n} tokens · 5 characters · 5 bytes"


def test_what_the_model_writes_stands_in_the_second_field(sentence):
    session = sentence._session
    session.append_token(33)
    assert sentence.target.edit.text() == f"{TARGET_TEXT}!"
    assert sentence.edit.text() == SOURCE_TEXT


def test_too_long_a_target_is_counted_and_cut_beside_its_field(sentence, qtbot):
    session = sentence._session
    session.request_target("a" * 40)
    counts = sentence.target.counts
    n = len(session.target.ids)
    assert counts.text == f"{n} tokens, {n - 32} too many"
    assert "too many" not in sentence.counts
    assert sentence.keep.isHidden()
    keep = sentence.findChild(QPushButton, "target.keep")
    qtbot.mouseClick(keep, Qt.MouseButton.LeftButton)
    assert len(session.target.ids) == 32
    assert keep.isHidden()


def test_a_source_too_long_is_cut_beside_its_own_field(sentence, qtbot):
    session = sentence._session
    session.request_text("a" * 40)
    assert "too many" in sentence.counts
    assert sentence.target.counts.keep.isHidden()
    qtbot.mouseClick(sentence.keep, Qt.MouseButton.LeftButton)
    assert session.fits
    assert session.target_text == TARGET_TEXT


def test_both_texts_are_lines_of_chips_and_the_start_is_the_models(tokens, session):
    source, target = tokens.strip, tokens.target_strip
    assert source.item_count() == len(session.encoding.pieces)
    assert target.item_count() == len(session.target.pieces)
    start = target._chips[0]
    assert (start.state, start.sub) == ("start", f"{session.target.ids[0]} · start")
    assert "begins every target" in target.item_text(0)
    assert target.objectName() == "target.strip"


def test_one_text_has_one_line_that_is_as_tall_as_ever(tokens, session):
    flat = tokens.strip.height()
    session.take(tiny_bundle())
    session.read("the cat")
    assert not tokens.lines[1].isVisible()
    assert tokens.strip.height() > flat
    assert marks(tokens.strip) == (1, 0, None)


def test_the_side_that_is_read_is_live_and_the_other_keeps_its_mark(tokens, session):
    source, target = tokens.strip, tokens.target_strip
    session.go_to("encoder.layers.0.attn.pattern")
    session.request_selection(replace(session.selection, query=2, key=1))
    assert (source._is_live, target._is_live) == (True, False)
    last = session.trace.n - 1
    assert (marks(source), marks(target)) == ((2, 1, None), (None, None, last))
    session.go_to("decoder.layers.0.attn.pattern")
    assert (source._is_live, target._is_live) == (False, True)
    assert marks(source) == (None, None, 2)
    assert marks(target)[0] == last
    session.go_to("decoder.layers.0.cross.pattern")
    assert source._is_live
    assert target._is_live
    assert (marks(source), marks(target)) == ((None, 2, None), (last, None, None))
    session.go_to("output.logits")
    assert (source._is_live, marks(target)[0]) == (False, last)


def test_a_click_on_a_source_chip_chooses_the_key_in_cross_attention(tokens, session):
    session.go_to("decoder.layers.0.cross.pattern")
    tokens.strip.query_requested.emit(3)
    tokens.target_strip.query_requested.emit(1)
    assert (session.selection.query, session.selection.key) == (1, 3)
    tokens.strip.key_requested.emit(2)
    assert session.selection.key == 2


def test_a_click_on_the_other_line_goes_on_at_that_side(tokens, session):
    session.go_to("encoder.layers.1.ffn.out")
    tokens.target_strip.query_requested.emit(2)
    at = session.selection
    assert (at.step, at.query) == ("decoder.layers.1.ffn.out", 2)


def test_a_cell_under_the_mouse_is_marked_on_each_text_of_its_own(
    tokens, session, sentence
):
    fields = SentenceBar(session, RecentModels(Settings()))
    fields.target.edit.setText(session.target_text)
    session.go_to("decoder.layers.0.cross.pattern")
    session.point_at((2, 1))
    assert pointed(tokens.target_strip) == (2, None)
    assert pointed(tokens.strip) == (None, 1)
    session.go_to("decoder.layers.0.attn.pattern")
    session.point_at((2, 1))
    assert pointed(tokens.target_strip) == (2, 1)
    assert pointed(tokens.strip) == (None, None)
    session.go_to("encoder.layers.0.attn.pattern")
    session.point_at((3, 0))
    assert pointed(tokens.target_strip) == (None, None)
    assert pointed(tokens.strip) == (3, 0)
    fields.close()


def test_tokens_that_were_added_to_the_target_are_new_there_alone(tokens, session):
    session.request_sampling(Sampling(temperature=0))
    n = len(session.target.pieces)
    session.append_pick()
    assert tokens.target_strip._chips[n].state == "unread"
    assert {chip.state for chip in tokens.strip._chips} == {"plain"}
    session.trace_now()
    assert tokens.target_strip._chips[n].state in ("new", "special")
    session.undo_append()
    assert tokens.target_strip.item_count() == n


def test_an_empty_target_is_the_start_token_alone(tokens, session):
    session.read(SOURCE_TEXT, "")
    assert tokens.target_strip.item_count() == 1
    assert tokens.next.text.startswith("next")


def test_a_special_token_in_the_target_can_be_read_as_one(sentence, qtbot):
    session = sentence._session
    (special, *_) = session.tokenizer.specials
    session.request_target(f"to {special}")
    offer = sentence.findChild(QPushButton, "target.specials")
    assert offer.isVisible()
    assert not sentence.specials.isVisible()
    qtbot.mouseClick(offer, Qt.MouseButton.LeftButton)
    assert session.reads_specials
    assert session.target.pieces[-1].is_special
    assert not offer.isVisible()
