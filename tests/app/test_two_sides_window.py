"""A model that reads one text and writes another, in the whole window."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from core.generation.sampling import Sampling
from core.pipeline import run_trace
from core.session_file import read_session
from core.trace.archive import open_archive, read_trace, save_trace
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    encoder_decoder_bundle,
    save_tiny,
    tiny_tokenizer,
)
from tests.helpers.desk import WAIT_MS, Desk

CROSS = "decoder.layers.1.cross.pattern"


@pytest.fixture
def desk(qtbot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, save_tiny(tmp_path / "model", n_encoder_layers=2))
    desk.read(SOURCE_TEXT)
    desk.session.request_target(TARGET_TEXT)
    desk.wait()
    yield desk
    desk.close()


def test_a_session_file_brings_both_texts_and_both_places_back(desk, tmp_path):
    session, file = desk.session, tmp_path / "pair.glass"
    session.append_pick()
    desk.wait()
    session.go_to("encoder.layers.0.attn.pattern")
    session.request_selection(replace(session.selection, query=3, other=2))
    ids, at, n_typed = session.target.ids, session.selection, session.n_typed
    desk.bench.session_files.save(file)
    assert read_session(file).target_ids == ids
    desk.read("something else")
    session.request_target("")
    session.go_to("output.logits")
    desk.bench.session_files.open(file)
    desk.qtbot.waitUntil(
        lambda: session.is_current and session.selection == at, timeout=WAIT_MS
    )
    assert (session.text, session.target.ids) == (SOURCE_TEXT, ids)
    assert (session.n_typed, at.other) == (n_typed, 2)
    session.request_text("the dog")
    assert session.target_text == TARGET_TEXT  # what the model wrote is known as such
    assert desk.reports == []


def test_a_session_file_whose_target_begins_otherwise_brings_its_text(desk, tmp_path):
    session, file = desk.session, tmp_path / "pair.glass"
    desk.bench.session_files.save(file)
    table = json.loads(file.read_text())
    file.write_text(json.dumps({**table, "target_ids": [5, 6]}))
    session.request_target("")
    desk.bench.session_files.open(file)
    desk.qtbot.waitUntil(
        lambda: session.is_current and session.target_text == TARGET_TEXT,
        timeout=WAIT_MS,
    )
    assert session.trace.ids[0] == session.model.config.start_id
    (report,) = desk.reports
    assert report.sentence.startswith("The target begins with token 5, but this model")


def test_a_trace_file_brings_both_texts_and_can_be_typed_into_neither(desk, tmp_path):
    session, file = desk.session, tmp_path / "pair.npz"
    kept, exports = session.trace, desk.bench.exports
    exports.save_trace(file)
    desk.qtbot.waitUntil(lambda: not exports.is_busy, timeout=WAIT_MS)
    session.open_model(file)
    desk.qtbot.waitUntil(
        lambda: session.is_recorded and session.is_current, timeout=WAIT_MS
    )
    assert (session.text, session.target_text) == (SOURCE_TEXT, TARGET_TEXT)
    assert session.target.ids == kept.ids
    np.testing.assert_array_equal(session.trace[CROSS], kept[CROSS])
    sentence = desk.bench.sentence
    assert not sentence.edit.isEnabled()
    assert not sentence.target.edit.isEnabled()
    session.request_target("other")
    assert session.target_text == TARGET_TEXT
    assert desk.reports == []


def test_the_file_of_two_tokenizers_knows_the_tokens_of_both(tmp_path):
    other = tiny_tokenizer().__class__.from_merges(())
    bundle = replace(encoder_decoder_bundle(), written_with=other)
    trace, file = run_trace(bundle, "the cat", target="the dog"), tmp_path / "a.npz"
    save_trace(trace, file, bundle.tokenizer, written_with=other)
    archive = open_archive(file)
    assert archive.tokenizer.label(260) == tiny_tokenizer().label(260)
    assert archive.target_tokenizer.vocabulary == other.vocabulary
    assert archive.target_tokenizer.encode("the dog").ids == trace.ids
    assert archive.tokenizer.encode("the cat").ids == trace.source.ids
    assert read_trace(file).ids == trace.ids


@pytest.mark.thorough
def test_playing_goes_through_the_encoder_once_and_writes_on(desk):
    session, stepper = desk.session, desk.bench.stepper
    session.request_sampling(Sampling(seed=3))
    stepper._clock.setInterval(0)
    session.go_to("output.probs")
    n, walked = session.trace.n, []
    session.selection_changed.connect(lambda at: walked.append(at.step))
    desk.bench.actions_by_id["step.play"].trigger()
    assert stepper.is_playing
    desk.qtbot.waitUntil(lambda: session.trace.n >= n + 2, timeout=WAIT_MS)
    stepper.stop()
    desk.wait()
    sides = {step.partition(".")[0] for step in walked}
    assert sides == {"decoder", "output"}
    assert walked.index("decoder.tokens.pieces") == walked.index("output.pick") + 1


def test_playing_ends_with_the_target(desk):
    session, stepper = desk.session, desk.bench.stepper
    session.append_token(tiny_tokenizer().specials["<|endoftext|>"])
    desk.wait()
    assert session.has_ended
    session.go_to("output.pick")
    desk.bench.actions_by_id["step.play"].trigger()
    assert not stepper.is_playing


def test_a_key_leads_to_the_field_of_the_target(desk, qtbot):
    action = desk.bench.actions_by_id["edit.target"]
    assert action.isEnabled()
    action.trigger()
    assert desk.bench.sentence.target.edit.selectedText() == TARGET_TEXT
    desk.session.open_model(save_tiny(Path(desk.session.model.folder) / "one"))
    qtbot.waitUntil(lambda: not desk.session.has_target, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not action.isEnabled(), timeout=WAIT_MS)


def test_what_is_taken_out_of_the_target_is_told_in_the_window(desk):
    desk.session.append_token(33)
    desk.paste("the dog")
    assert "what you typed there stays" in desk.bench.message.sentence
    assert desk.session.target_text == TARGET_TEXT


def test_the_tour_begins_at_the_end_of_the_target(desk):
    from app.tour import asked_token

    desk.session.request_sampling(Sampling(temperature=0))
    desk.session.go_to("encoder.layers.0.attn.pattern")
    trace = desk.session.trace
    position, token = asked_token(desk.session.scene)
    assert (position, token) == (trace.n - 1, int(trace["output.pick"][-1]))


def test_lone_surrogates_arrive_in_the_target_as_they_are(desk):
    desk.session.request_target("a\ud800b")
    desk.wait()
    assert desk.session.trace.text == "a\ud800b"
    field = desk.bench.sentence.target.edit
    desk.qtbot.keyClick(field, Qt.Key.Key_End)
    desk.qtbot.keyClicks(field, "c")
    assert desk.session.target_text == "a\ud800bc"


def dropped(desk, widget, file):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    drop = QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, mime, buttons, keys)
    assert desk.bench._drops.eventFilter(widget, drop)


def test_a_dropped_text_is_the_source_or_on_its_field_the_target(desk, tmp_path):
    sentence, file = desk.bench.sentence, tmp_path / "a.txt"
    file.write_text("the dog\nran\n", encoding="utf-8")
    dropped(desk, sentence.target.edit, file)
    assert (desk.session.text, desk.session.target_text) == (
        SOURCE_TEXT,
        "the dog\nran",
    )
    dropped(desk, desk.bench, file)
    assert desk.session.text == "the dog\nran"
    dropped(desk, sentence.edit, file)
    desk.wait()
    assert desk.session.trace.source.text == desk.session.trace.text
    assert desk.reports == []


@pytest.mark.parametrize(
    ("content", "words"), [(b"\xff\xfe\x00", "no UTF-8"), (b"a" * 1_000_001, "larger")]
)
def test_a_dropped_file_that_is_no_text_is_refused(desk, tmp_path, content, words):
    file = tmp_path / "a.txt"
    file.write_bytes(content)
    dropped(desk, desk.bench, file)
    assert words in desk.reports[0].sentence
    assert desk.session.text == SOURCE_TEXT
