"""Both texts of the window: what is added where, what is taken back, what is kept."""

import pytest

from app.texts import Texts
from tests.helpers.bundles import encoder_decoder_bundle, tiny_tokenizer

SPECIALS = {"specials": False}


@pytest.fixture
def texts():
    """One text, "the cat"."""
    texts = Texts()
    texts.read_with(tiny_tokenizer(), **SPECIALS)
    texts.type("the cat")
    return texts


@pytest.fixture
def pair(texts):
    """The source "the cat", and the target "a dog"."""
    texts.write_with(tiny_tokenizer(), encoder_decoder_bundle().config, **SPECIALS)
    texts.type_target("a dog")
    return texts


def test_what_was_added_is_taken_back_one_addition_at_a_time(texts):
    for token_id in (33, 34):
        texts.remember()
        texts.add((token_id,))
    assert texts.sentence.text == 'the cat!"'
    texts.undo()
    assert texts.sentence.text == "the cat!"
    texts.undo()
    assert (texts.sentence.text, texts.can_undo) == ("the cat", False)


def test_an_addition_of_nothing_leaves_nothing_to_undo(texts):
    texts.remember()
    texts.forget_if_unchanged()
    assert not texts.can_undo


def test_typing_ends_what_can_be_undone(texts):
    texts.remember()
    texts.add((33,))
    texts.type("the dog")
    assert not texts.can_undo


def test_a_target_begins_with_the_start_token_which_is_no_text(pair):
    start, *rest = pair.target.prompt.encoding.pieces
    assert (start.id, start.is_added) == (
        encoder_decoder_bundle().config.start_id,
        True,
    )
    assert tuple(p.id for p in rest) == tiny_tokenizer().encode("a dog").ids
    assert pair.target.text == "a dog"


def test_behind_an_encoder_tokens_are_added_to_the_target(pair):
    pair.remember()
    pair.add((33,))
    assert (pair.sentence.text, pair.target.text) == ("the cat", "a dog!")
    assert pair.n_typed == pair.target.prompt.n - 1
    pair.undo()
    assert pair.target.text == "a dog"


def test_a_change_of_either_text_is_undone_in_order(pair):
    pair.remember()
    pair.add((33,))
    pair.remember()
    pair.sentence.keep_last(1)
    pair.undo()
    assert (pair.sentence.text, pair.target.text) == ("the cat", "a dog!")
    pair.undo()
    assert (pair.target.text, pair.can_undo) == ("a dog", False)


def test_what_was_added_goes_and_what_was_typed_stays(pair):
    typed = pair.target.prompt
    assert not pair.drop_added()
    for token_id in (33, 34):
        pair.remember()
        pair.add((token_id,))
    assert pair.drop_added()
    assert pair.target.prompt is typed


def test_an_addition_that_was_typed_over_counts_as_typed(pair):
    pair.remember()
    pair.add((33,))
    pair.type_target("a dog ran")
    assert not pair.drop_added()
    assert pair.target.text == "a dog ran"


def test_a_target_too_long_keeps_its_start_and_its_end(pair):
    ids = pair.target.prompt.ids
    pair.target.keep_last(len(ids) - 1)
    assert pair.target.prompt.ids == (ids[0], *ids[2:])


def test_a_model_without_an_encoder_has_no_target(pair):
    config = encoder_decoder_bundle(n_encoder_layers=0).config
    pair.write_with(tiny_tokenizer(), config, **SPECIALS)
    assert (pair.has_target, pair.target.text) == (False, "")
    assert pair.written is pair.sentence
