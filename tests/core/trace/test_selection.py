"""The chosen tokens of both texts: who moves which, and what each side keeps."""

from dataclasses import replace

import pytest

from core.trace.selection import Selection, at_token, clamped
from tests.helpers.bundles import encoder_decoder_trace, tiny_trace


@pytest.fixture
def pair():
    return encoder_decoder_trace()


def test_a_token_of_the_side_that_is_read_becomes_the_query_or_the_key(pair):
    at = Selection(step="encoder.layers.0.attn.pattern", query=3, key=1)
    assert at_token(at, pair, "encoder", 2) == replace(at, query=2)
    assert at_token(at, pair, "encoder", 2, as_key=True) == replace(at, key=2)


def test_in_cross_attention_each_text_has_its_own_choice(pair):
    at = Selection(step="decoder.layers.0.cross.pattern", query=3, key=1)
    for as_key in (False, True):
        assert at_token(at, pair, "encoder", 2, as_key=as_key) == replace(at, key=2)
        assert at_token(at, pair, "decoder", 2, as_key=as_key) == replace(at, query=2)


def test_a_token_of_the_other_side_leads_to_its_step_in_the_same_layer(pair):
    at = Selection(step="encoder.layers.1.resid_mid", query=3, other=1)
    there = at_token(at, pair, "decoder", 2)
    assert (there.step, there.query, there.other) == (
        "decoder.layers.1.resid_mid",
        2,
        3,
    )
    back = at_token(there, pair, "encoder", 0)
    assert (back.step, back.query, back.other) == ("encoder.layers.1.resid_mid", 0, 2)


def test_the_output_is_of_the_decoder_and_remembers_a_source_token(pair):
    at = Selection(step="output.probs", query=1)
    assert at_token(at, pair, "decoder", 2) == replace(at, query=2)
    assert at_token(at, pair, "encoder", 3) == replace(at, other=3)


def test_a_remembered_token_is_one_that_the_other_text_has(pair):
    n_source, n = pair.source.n_characters, pair.n
    at = Selection(step="decoder.layers.0.attn.q", other=n_source + 9)
    assert clamped(at, pair).other == len(pair.source.pieces) - 1
    at = Selection(step="encoder.layers.0.attn.q", other=n + 9)
    assert clamped(at, pair).other == n - 1


def test_the_only_side_has_no_other_token():
    trace = tiny_trace()
    assert clamped(Selection(other=5), trace).other == 0
    at = Selection(step="layers.0.attn.pattern", query=2, key=1)
    assert at_token(at, trace, "", 0) == replace(at, query=0)
    assert at_token(at, trace, "", 0, as_key=True) == replace(at, key=0)
