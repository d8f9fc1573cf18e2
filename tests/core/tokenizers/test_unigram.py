"""The best path by hand."""

import pytest

from core.tokenizers.unigram import MOST_LETTERS, UNKNOWN_PENALTY, UnigramMethod

SCORES = {"<unk>": 0.0, "a": -3.0, "b": -3.5, "ab": -5.0, "bc": -4.0, "c": -2.0}


def method() -> UnigramMethod:
    vocab = [[name, score] for name, score in SCORES.items()]
    return UnigramMethod({"model": {"type": "Unigram", "vocab": vocab, "unk_id": 0}})


def test_of_all_ways_the_one_with_the_highest_sum_is_taken() -> None:
    way = method().way_of(b"abc")
    # a b c: -8.5; ab c: -7; a bc: -7, found after it and not above it
    assert [arc.data for arc in way.path] == [b"a", b"bc"]
    assert way.best == pytest.approx((0.0, -3.0, -5.0, -7.0))


def test_every_token_that_fits_is_an_arc() -> None:
    way = method().way_of(b"abc")
    found = {(arc.start, arc.stop, arc.data) for arc in way.arcs}
    assert found == {
        (0, 1, b"a"),
        (1, 2, b"b"),
        (2, 3, b"c"),
        (0, 2, b"ab"),
        (1, 3, b"bc"),
    }
    assert way.winner_at(2).data == b"ab"


def test_a_letter_without_a_token_costs_more_than_any_token() -> None:
    way = method().way_of(b"ax")
    stand_in = way.path[-1]
    assert stand_in.is_stand_in
    assert stand_in.score == min(SCORES.values()) - UNKNOWN_PENALTY


def test_of_a_very_long_word_the_first_letters_are_recorded() -> None:
    way = method().way_of(b"ab" * MOST_LETTERS)
    assert (way.n_recorded, way.n_steps) == (MOST_LETTERS, 2 * MOST_LETTERS)
    assert max(arc.stop for arc in way.arcs) == MOST_LETTERS
