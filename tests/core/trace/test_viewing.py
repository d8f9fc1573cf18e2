from dataclasses import replace

from core.trace.viewing import PLAIN, toggled


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
