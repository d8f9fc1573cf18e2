from dataclasses import replace

import pytest

from core.trace.viewing import PLAIN, clamped_viewing, toggled
from tests.helpers.bundles import tiny_bundle


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
    config = tiny_bundle().config
    last = (config.n_layers - 1, config.n_heads - 1)
    wish = replace(
        PLAIN, gathered=((9, 0), last, (0, 9)), other=(9, 0), pinned=4, picture="text"
    )
    fitted = clamped_viewing(wish, config, 4)
    assert fitted == replace(PLAIN, gathered=(last,), picture="text")
    assert clamped_viewing(replace(wish, other=last), config, 5) == replace(
        fitted, other=last, pinned=4
    )


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), float("inf")])
def test_no_share_has_such_a_threshold(threshold):
    with pytest.raises(ValueError, match="threshold cannot be"):
        replace(PLAIN, threshold=threshold)
