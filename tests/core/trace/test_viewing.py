from dataclasses import replace

import pytest

from core.trace.attentions import kinds_of_attention
from core.trace.viewing import PLAIN, clamped_viewing, toggled, viewing_of
from tests.helpers.bundles import (
    encoder_decoder_bundle,
    encoder_decoder_trace,
    tiny_trace,
)


def test_a_head_is_gathered_by_the_first_toggle_and_released_by_the_second():
    once = replace(PLAIN, gathered=toggled(PLAIN, (1, 2)))
    both = replace(once, gathered=toggled(once, (0, 3)))
    assert once.gathered == ((1, 2),)
    assert both.gathered == ((1, 2), (0, 3))
    assert toggled(both, (1, 2)) == ((0, 3),)


def test_dimming_the_sink_leaves_every_share_as_it_is():
    assert PLAIN.is_plain
    assert replace(PLAIN, sink="dimmed", is_log=True, threshold=0.1).is_plain
    for field in (
        {"sink": "left out"},
        {"whole_words": True},
        {"hides_specials": True},
    ):
        assert not replace(PLAIN, **field).is_plain


def test_heads_and_tokens_that_a_model_has_not_are_no_longer_chosen():
    shorter, longer = tiny_trace("the cat"), tiny_trace("the cat sat on")
    config = longer.config
    last = (config.n_layers - 1, config.n_heads - 1)
    at = shorter.n
    wish = replace(
        PLAIN, gathered=((9, 0), last, (0, 9)), other=(9, 0), pinned=at, picture="text"
    )
    fitted = clamped_viewing(wish, shorter)
    assert fitted == replace(PLAIN, gathered=(last,), picture="text")
    assert clamped_viewing(replace(wish, other=last), longer) == replace(
        fitted, other=last, pinned=at
    )


def test_heads_of_one_kind_are_let_go_where_another_is_looked_at():
    encoder, decoder, cross = kinds_of_attention(encoder_decoder_bundle().config)
    wish = replace(
        PLAIN, kind="encoder", gathered=((0, 1),), other=(1, 0), pinned=2, is_log=True
    )
    assert viewing_of(wish, encoder) is wish
    assert viewing_of(wish, cross) == replace(PLAIN, kind="cross", is_log=True)
    assert viewing_of(PLAIN, decoder) == replace(PLAIN, kind="decoder")


def test_what_is_pinned_is_a_token_of_the_side_that_is_pointed_at():
    trace = encoder_decoder_trace()
    n_query, n_key = trace.n, trace.tokens("encoder").n
    assert n_query < n_key
    for kind, looks_back, n in (
        ("encoder", False, n_key),
        ("decoder", False, n_query),
        ("cross", False, n_query),
        ("cross", True, n_key),
    ):
        at = replace(PLAIN, kind=kind, looks_back=looks_back)
        kept, gone = (replace(at, pinned=n + by) for by in (-1, 0))
        assert clamped_viewing(kept, trace) == kept
        assert clamped_viewing(gone, trace) == at


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), float("inf")])
def test_no_share_has_such_a_threshold(threshold):
    with pytest.raises(ValueError, match="threshold cannot be"):
        replace(PLAIN, threshold=threshold)
