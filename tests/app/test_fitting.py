"""The reader's place in a new trace, where the tokenizer puts tokens around a text."""

import pytest

from app.fitting import BOTH_ENDS, fitted
from core.bundle import make_bundle
from core.config import ModelConfig
from core.pipeline import run_trace
from core.tokenizers.library import LibraryTokenizer
from core.trace.selection import Selection
from tests.helpers.bundles import TINY, random_model
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
