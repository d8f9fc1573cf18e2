"""The reader's place in a new trace, where the tokenizer puts tokens around a text."""

from dataclasses import replace

import pytest

from app.fitting import BOTH_ENDS, WRITTEN_END, ends_left, fitted
from core.bundle import make_bundle
from core.config import ModelConfig
from core.pipeline import run_trace
from core.tokenizers.library import LibraryTokenizer
from core.trace.selection import Selection, at_step
from tests.helpers.bundles import TINY, encoder_decoder_trace, random_model
from tests.helpers.trained_tokenizers import content_of


def trace_with(kind, text):
    tokenizer = LibraryTokenizer(content_of(kind))
    config = ModelConfig(**{**TINY, "n_vocab": tokenizer.n_vocab})
    return run_trace(make_bundle(random_model(config), tokenizer, name=kind), text)


@pytest.mark.parametrize(("kind", "label"), [("bert", "plays"), ("llama3", "·plays")])
def test_the_end_is_the_last_token_that_was_typed(kind, label):
    trace = trace_with(kind, "the cat plays")
    found = fitted(Selection(query=1, key=0), trace, BOTH_ENDS)
    assert trace.encoding.pieces[found.query].label == label
    assert found.key == found.query - 1


def test_of_a_text_without_a_typed_token_the_last_one_is_the_end():
    trace = trace_with("bert", "")
    assert fitted(Selection(), trace, BOTH_ENDS).query == trace.n - 1


def test_each_text_is_followed_to_its_own_end():
    short = encoder_decoder_trace(source="the cat", target="a")
    long = encoder_decoder_trace()
    at = fitted(Selection("encoder.layers.0.attn.q"), short, BOTH_ENDS)
    assert (at.query, at.other) == (1, short.n - 1)
    at = fitted(at, long, BOTH_ENDS)
    assert (at.query, at.other) == (len(long.source.pieces) - 1, long.n - 1)


def test_a_chosen_source_token_stays_while_the_target_is_followed():
    at = Selection("decoder.layers.0.cross.pattern", query=0, key=1)
    at = fitted(at, encoder_decoder_trace(), WRITTEN_END)
    assert (at.query, at.key) == (encoder_decoder_trace().n - 1, 1)
    at = Selection("encoder.layers.0.attn.pattern", query=0, key=1)
    assert fitted(at, encoder_decoder_trace(), WRITTEN_END).query == 0


def test_choosing_a_token_leaves_the_end_of_its_own_text():
    at = Selection("decoder.layers.0.cross.pattern", query=3, key=2)
    assert ends_left(BOTH_ENDS, at, replace(at, key=1)) == WRITTEN_END
    assert ends_left(BOTH_ENDS, at, replace(at, query=1)) == BOTH_ENDS - WRITTEN_END
    moved = at_step(at, "encoder.layers.0.attn.pattern")
    assert ends_left(BOTH_ENDS, at, moved) == BOTH_ENDS
    one = Selection("layers.0.attn.pattern", query=3, key=2)
    assert ends_left(BOTH_ENDS, one, replace(one, key=0)) == BOTH_ENDS - WRITTEN_END
