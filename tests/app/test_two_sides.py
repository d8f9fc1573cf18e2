"""A model that reads one text and writes another: the state of the session."""

from dataclasses import replace

import pytest

from app.author import DROPPED
from app.sentence import prompt_of_text
from app.session import Session
from app.workers.tracing import MomentRequest, Opened, card_of, move
from core.bundle import Bundle, open_bundle
from core.generation.sampling import Sampling
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    character_bundle,
    encoder_decoder_bundle,
    save_tiny,
    tiny_bundle,
    tiny_tokenizer,
)
from tests.helpers.sessions import ShownSession, session_translating

WAIT_MS = 20_000
GREEDY = Sampling(temperature=0)
START = encoder_decoder_bundle().config.start_id


@pytest.fixture
def session(qapp):
    shown = session_translating()
    yield shown
    shown.close()


def opened(bundle: Bundle):
    return Opened(bundle, card_of(bundle))


def ids_of(text):
    return tiny_tokenizer().encode(text).ids


def test_the_trace_has_both_texts(session):
    assert session.trace.source.ids == session.encoding.ids == ids_of(SOURCE_TEXT)
    assert session.trace.ids == session.target.ids == (START, *ids_of(TARGET_TEXT))
    assert session.is_current


def test_a_model_with_one_stack_has_no_target(session):
    session.take(tiny_bundle())
    assert not session.has_target
    assert (session.target, session.target_text) == (None, "")
    assert session.written is session.encoding
    assert session.text == SOURCE_TEXT


def test_a_model_with_one_stack_takes_no_target(session):
    session.take(tiny_bundle())
    session.read(SOURCE_TEXT)
    session.request_target("a dog")
    assert session.target_text == ""
    assert session.is_current


def test_a_target_has_ended_behind_an_end_and_not_at_its_start(qapp):
    session = ShownSession()
    session.take(replace(encoder_decoder_bundle(), end_ids=(START, 34)))
    session.read(SOURCE_TEXT, "")
    assert not session.has_ended
    session.append_token(33)
    assert not session.has_ended
    session.append_token(34)
    assert session.has_ended
    session.close()


def test_another_model_begins_another_target(session):
    heard = []
    session.target_text_changed.connect(heard.append)
    session.take(encoder_decoder_bundle("T5"))
    assert (session.target_text, session.target.ids) == ("", (START,))
    assert heard == [""]
    assert not session.can_undo


def test_a_target_may_be_typed_before_the_first_model(qapp):
    session = Session()
    session.request_text(SOURCE_TEXT)
    session.request_target(TARGET_TEXT)
    session._on_opened(opened(encoder_decoder_bundle()))
    assert session.target.ids == (START, *ids_of(TARGET_TEXT))
    session.close()


def test_tokens_are_added_to_the_target_and_taken_back(session):
    session.append_token(33)
    assert session.target_text == TARGET_TEXT + "!"
    assert (session.text, session.n_typed) == (SOURCE_TEXT, session.trace.n)
    assert not session.is_current
    session.undo_append()
    assert session.target_text == TARGET_TEXT


def test_another_source_takes_what_the_model_wrote_and_says_so(session):
    told = []
    session.told.connect(told.append)
    session.append_token(33)
    session.append_token(34)
    session.request_text("the dog")
    assert session.target_text == TARGET_TEXT
    session.request_text("the dog ran")
    assert told == [DROPPED]


def test_another_source_keeps_what_was_typed(session):
    told = []
    session.told.connect(told.append)
    session.request_text("the dog")
    assert (session.target_text, told) == (TARGET_TEXT, [])


def test_a_changed_target_asks_for_another_trace(session):
    session.request_target("a cat")
    assert not session.is_current
    session.trace_now()
    assert session.trace.ids == (START, *ids_of("a cat"))
    assert session.trace.source is session.encoding


def test_either_text_may_be_too_long_and_is_cut_by_itself(session):
    session.request_target("a" * 40)
    n = session.target_fit.n_too_long
    assert n == session.n_too_long == len(session.target.ids) - 32
    assert session.sentence_fit
    assert not session.fits
    session.keep_last_tokens()
    assert session.n_too_long == n  # that is for the sentence
    session.keep_last_of_target()
    assert (session.n_too_long, session.target.ids[0]) == (0, START)
    assert len(session.target.ids) == 32
    session.undo_append()
    assert session.n_too_long == n


def test_room_is_counted_in_the_target(session):
    assert session.n_room == 32 - len(session.target.ids)
    session.request_text("a" * 30)
    assert session.n_room == 32 - len(session.target.ids)


def test_a_full_target_is_told_of_in_a_sentence(session):
    failed = []
    session.failed.connect(failed.append)
    session.read(SOURCE_TEXT, "a" * 31)
    session.generate(5)
    assert "The target fills all 32 tokens" in failed[0].sentence


def test_special_tokens_are_read_in_both_texts(session):
    end = tiny_tokenizer().specials["<|endoftext|>"]
    session.request_target("a<|endoftext|>")
    assert end not in session.target.ids
    session.set_specials(True)
    assert session.target.ids[-1] == end
    assert session.target.ids[0] == START


def test_the_pick_is_the_next_token_of_the_target(session):
    session.request_sampling(GREEDY)
    likeliest = int(session.trace["output.pick"][-1])
    session.append_pick()
    assert session.target.ids[-1] == likeliest
    assert session.text == SOURCE_TEXT


def test_the_step_after_the_last_goes_on_with_the_decoder(session):
    session.request_sampling(GREEDY)
    session.go_to("output.pick")
    n = session.trace.n
    session.next_step()
    assert session.selection.step == "decoder.tokens.pieces"
    session.trace_now()
    assert session.trace.n == n + 1
    assert session.selection.query == n


def test_the_encoder_is_walked_once_and_then_the_decoder(session):
    session.go_to(session.trace.keys[0])
    walked = [session.selection.step]
    for _ in range(1000):
        session.next_step()
        if session.selection.step != walked[-1]:
            walked.append(session.selection.step)
        if session.selection.step == "output.pick":
            break
    assert tuple(walked) == session.trace.keys


def test_a_reader_at_the_end_of_the_target_stays_there(session):
    session.go_to("decoder.layers.0.cross.pattern")
    key = session.selection.key
    session.append_token(33)
    session.trace_now()
    assert session.selection.query == session.trace.n - 1
    assert session.selection.key == key


def test_a_chosen_token_of_the_source_stays_while_the_target_grows(session):
    session.go_to("encoder.layers.0.attn.pattern")
    session.request_selection(replace(session.selection, query=1))
    session.append_token(33)
    session.trace_now()
    assert (session.selection.query, session.selection.other) == (
        1,
        session.trace.n - 1,
    )


def test_a_token_of_the_source_is_the_key_in_cross_attention(session):
    session.go_to("decoder.layers.1.cross.pattern")
    session.point_at_token("decoder", 1)
    session.point_at_token("encoder", 2)
    assert (session.selection.query, session.selection.key) == (1, 2)
    session.point_at_token("encoder", 3, as_key=True)
    session.point_at_token("decoder", 2, as_key=True)
    assert (session.selection.query, session.selection.key) == (2, 3)


def test_a_token_of_the_other_side_leads_to_the_step_of_that_name(session):
    session.go_to("decoder.layers.1.attn.pattern")
    session.point_at_token("encoder", 2)
    at = session.selection
    assert (at.step, at.query) == ("encoder.layers.1.attn.pattern", 2)
    session.point_at_token("decoder", 1, as_key=True)
    assert session.selection.step == "decoder.layers.1.attn.pattern"
    assert (session.selection.query, session.selection.other) == (1, 2)


def test_a_token_is_not_chosen_in_a_trace_of_a_model_of_other_sides(session):
    before = session.trace
    session.take(tiny_bundle())
    at = session.selection
    session.point_at_token("", 1)
    assert (session.trace, session.selection) == (before, at)
    session.read("the cat sat")
    session.take(encoder_decoder_bundle())
    session.point_at_token("decoder", 0)
    session.point_at_token("encoder", 1)
    assert session.selection.query == 2


def test_where_no_step_has_that_name_the_token_is_remembered(session):
    session.go_to("output.logits")
    session.point_at_token("encoder", 2)
    assert (session.selection.step, session.selection.other) == ("output.logits", 2)
    session.go_to("decoder.layers.0.cross.pattern")
    assert session.selection.key == 2


def test_the_remembered_token_exists_in_a_shorter_text(session):
    session.go_to("decoder.layers.0.attn.pattern")
    session.request_selection(replace(session.selection, other=4))
    session.read("the cat", TARGET_TEXT)
    assert session.selection.other == 1


def test_the_scene_has_the_tokenizer_of_the_side_that_is_read(qapp):
    other = tiny_tokenizer().__class__.from_merges(())
    bundle = replace(encoder_decoder_bundle(), written_with=other)
    session = ShownSession()
    session.take(bundle)
    session.read("the cat", "dog")
    session.go_to("encoder.embed.token")
    assert session.scene.tokenizer is bundle.tokenizer
    session.go_to("decoder.embed.token")
    assert session.scene.tokenizer is session.scene.target_tokenizer is other
    assert session.target.ids == (START, *other.encode("dog").ids)
    session.close()


def test_what_the_model_has_no_token_for_is_left_out_of_each_text_by_itself(qapp):
    session = ShownSession()
    session.take(character_bundle("abc", n_encoder_layers=1, start_id=0))
    session.request_text("abx")
    session.request_target("bcy!")
    assert (session.sentence_fit.unknown, session.target_fit.unknown) == (
        "not in this model's 3 characters: x",
        "not in this model's 3 characters: y !",
    )
    assert session.unknown == session.sentence_fit.unknown
    session.leave_out_unknown()
    assert (session.text, session.target_text) == ("ab", "bcy!")
    assert session.unknown == session.target_fit.unknown
    session.leave_out_of_target()
    assert (session.target_text, session.target.ids[0]) == ("bc", 0)
    assert session.fits
    session.undo_append()
    assert session.target_text == "bcy!"
    session.close()


def test_another_checkpoint_walks_both_texts_at_once(tmp_path):
    one = open_bundle(save_tiny(tmp_path / "one", n_encoder_layers=2))
    other = save_tiny(tmp_path / "other", n_encoder_layers=2)
    source = one.tokenizer.encode(SOURCE_TEXT)
    target = prompt_of_text(
        TARGET_TEXT, one.tokenizer, specials=False, start_id=START
    ).encoding
    moved = move(MomentRequest(other, one, source, target))
    assert (moved.traced.trace.source, moved.traced.trace.encoding) == (source, target)
    too_long = prompt_of_text(
        "a" * 40, one.tokenizer, specials=False, start_id=START
    ).encoding
    assert move(MomentRequest(other, one, source, too_long)).traced is None
