"""Models that look to both sides in the window: each step, and what is off and why."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from core.bundle import open_bundle
from tests.helpers.encoders import save_encoder
from tests.helpers.sessions import ShownSession

TEXT = "the cat sat on a mat"


@pytest.fixture
def bench(window):
    return window.bench


def read(session: ShownSession, folder: Path, name: str, text: str = TEXT) -> None:
    session.take(open_bundle(save_encoder(folder, name), device="cpu"))
    session.read(text)


@pytest.mark.parametrize("name", ["bert", "distilbert", "minilm", "distilbert base"])
def test_every_step_can_be_stood_at(bench, session, tmp_path, name):
    read(session, tmp_path, name)
    for key in session.trace.keys:
        session.go_to(key)
        assert bench.host.header.title.text
    assert not session.broken_from


@pytest.mark.parametrize("name", ["bert", "minilm", "distilbert"])
def test_each_step_of_its_own_has_a_home_that_speaks_of_it(
    bench, session, tmp_path, name
):
    read(session, tmp_path, name)
    own = ("embed.segment", "embed.norm", "output.first", "output.dense")
    keys = [key for key in (*own, "output.active") if key in session.trace.keys]
    for key in (*keys, session.trace.keys[-1]):
        session.go_to(key)
        home = "position" if key.startswith("embed") else "output"
        assert bench.host.panel.objectName() == f"panel.{home}", key
        assert "n_first" not in bench.host.header.address.text


@pytest.mark.parametrize("name", ["bert", "minilm", "distilbert base"])
def test_nothing_speaks_of_a_next_token_where_none_is_written(
    bench, session, tmp_path, name
):
    read(session, tmp_path, name)
    session.go_to(session.trace.keys[-1])
    assert bench.stepper.next.text() == "Next"
    texts = [label.text() for label in bench.findChildren(QLabel)]
    texts += [bench.host.header.title.text, bench.host.header.sentence.text()]
    assert not [text for text in texts if "next token" in text.lower()]
    for key in session.trace.keys:
        if session.trace.step(key).axes[-1:] == ("n_vocab",):
            scene = replace(
                session.scene, selection=replace(session.selection, step=key)
            )
            (sheet,) = bench.host.panel.numbers(scene)
            assert "next token" not in [axis.name for axis in sheet.axes]


def test_a_click_on_a_row_of_the_head_shows_that_number(bench, session, tmp_path):
    read(session, tmp_path, "minilm")
    session.go_to("output.pooled")
    page = bench.host.panel._stack.currentWidget()
    page._after.cell_clicked.emit(0, 7)
    assert session.selection.feature == 7
    session.go_to("output.dense")
    page = bench.host.panel._stack.currentWidget()
    page._board.term_clicked.emit(0)
    assert session.selection.step == "output.first"


def test_a_model_that_fills_gaps_does_not_write_on(bench, session, tmp_path):
    read(session, tmp_path, "bert")
    actions = bench.actions_by_id
    for name in ("token.append", "text.generate", "tour.start"):
        assert not actions[name].isEnabled(), name
    ids = session.encoding.ids
    session.append_pick()
    session.generate(3)
    assert session.encoding.ids == ids
    assert bench.tokens.next.text == ""


def test_a_masked_token_is_asked_for_at_its_own_place(bench, session, tmp_path):
    read(session, tmp_path, "bert")
    mask = bench.actions_by_id["token.mask"]
    assert mask.isEnabled()
    session.go_to("output.pick")
    session.request_selection(replace(session.selection, query=2))
    mask.trigger()
    assert session.encoding.ids == (2, 5, 4, 7, 8, 9, 10, 3)
    assert session.text == "the [MASK] sat on a mat"
    assert session.reads_specials


def test_the_rest_of_a_masked_sentence_stays_as_it_was_typed(bench, session, tmp_path):
    read(session, tmp_path, "bert", "The  cat SAT on a mat.")
    before = session.encoding.ids
    session.request_selection(replace(session.selection, query=3))
    bench.actions_by_id["token.mask"].trigger()
    assert session.text == "The  cat [MASK] on a mat."
    assert session.encoding.ids == (*before[:3], 4, *before[4:])


def test_undo_brings_each_masked_word_back(bench, session, tmp_path):
    read(session, tmp_path, "bert")
    undo = bench.actions_by_id["token.undo"]
    assert not undo.isEnabled()
    before = session.encoding.ids
    for place in (2, 4):
        session.request_selection(replace(session.selection, query=place))
        bench.actions_by_id["token.mask"].trigger()
        session.trace_now()
    assert session.text == "the [MASK] sat [MASK] a mat"
    undo.trigger()
    assert session.text == "the [MASK] sat on a mat"
    undo.trigger()
    assert (session.text, session.encoding.ids) == (TEXT, before)
    assert not undo.isEnabled()


def test_a_click_behind_the_tokens_masks_and_brings_back(
    bench, session, tmp_path, qtbot
):
    read(session, tmp_path, "bert")
    session.request_selection(replace(session.selection, query=2))
    mask = bench.tokens.findChild(QPushButton, "token.mask")
    undo = bench.tokens.findChild(QPushButton, "token.undo")
    assert mask.text() == "Mask cat"
    assert not undo.isVisible()
    qtbot.mouseClick(mask, Qt.MouseButton.LeftButton)
    assert session.text == "the [MASK] sat on a mat"
    session.trace_now()
    assert not mask.isEnabled(), "it is masked"
    qtbot.mouseClick(undo, Qt.MouseButton.LeftButton)
    assert session.text == TEXT


@pytest.mark.parametrize("name", ["minilm", "distilbert base"])
def test_a_model_without_a_head_shows_no_mask_button(bench, session, tmp_path, name):
    read(session, tmp_path, name)
    assert not bench.tokens.findChild(QPushButton, "token.mask").isVisible()


@pytest.mark.parametrize("name", ["minilm", "distilbert base"])
def test_without_a_head_nothing_is_masked(bench, session, tmp_path, name):
    read(session, tmp_path, name)
    assert not bench.actions_by_id["token.mask"].isEnabled()


def test_the_way_to_a_logit_is_refused_in_words(bench, session, tmp_path):
    read(session, tmp_path, "bert")
    session.go_to("layers.0.attn.pattern")
    session.request_viewing(replace(session.scene.viewing, picture="effect"))
    assert "bends its rows once more" in bench.host.header.sentence.text()
