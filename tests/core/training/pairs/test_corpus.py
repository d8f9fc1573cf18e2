"""Pairs as ids: what is read, what is masked, who is tested, what is drawn."""

import numpy as np
import pytest
import torch

from core.errors import TokenizerError, TrainingError
from core.tokenizers.simple import CharacterTokenizer
from core.training.batch import NOTHING_FOLLOWS
from core.training.pairs.corpus import (
    PAIR_SPECIALS,
    Pairs,
    fitting,
    n_kept_of,
    pair_ids,
    pairs_in,
    split_pairs,
)
from core.training.pairs.lines import pairs_of
from core.training.pairs.tasks import task_blocks

TOKENIZER = CharacterTokenizer.from_characters(
    "abcdefghijklmnopqrstuvwxyz", PAIR_SPECIALS
)
START, END = 26, 27


def pairs_from(text: str) -> Pairs:
    ids = np.concatenate(list(pair_ids(pairs_of([text]), TOKENIZER)))
    return pairs_in(ids, TOKENIZER)


def words(n: int = 400) -> Pairs:
    return pairs_from("".join(task_blocks("reverse", 1, n)))


def test_a_batch_of_two_by_hand() -> None:
    batch = pairs_from("ab\tc\nd\tefg\n").batch(torch.tensor([0, 1]))
    assert batch.given["source"].tolist() == [[0, 1], [3, 0]]
    assert batch.given["source_is_token"].tolist() == [[True, True], [True, False]]
    assert batch.read.tolist() == [[START, 2, 0, 0], [START, 4, 5, 6]]
    nothing = NOTHING_FOLLOWS
    assert batch.following.tolist() == [[2, END, nothing, nothing], [4, 5, 6, END]]


def test_tokens_are_counted_without_padding() -> None:
    pairs = pairs_from("ab\tc\nd\tefg\n")
    both = torch.tensor([0, 1])
    assert (pairs.n_read(both), pairs.n_said(both)) == (2 + 2 + 1 + 4, 2 + 4)
    assert (pairs.n_tokens, pairs.tokens_per_example) == (9, 4.5)
    assert (pairs.source(1), pairs.target(1)) == ([3], [4, 5, 6])


def test_a_tokenizer_without_start_and_end_is_refused() -> None:
    bare = CharacterTokenizer.from_characters("ab")
    with pytest.raises(TokenizerError, match="no token <start>, which pairs need"):
        list(pair_ids(pairs_of(["a\tb"]), bare))


def test_the_start_written_in_a_text_is_no_start() -> None:
    tokenizer = CharacterTokenizer.from_characters("<start>ab", PAIR_SPECIALS)
    ids = np.concatenate(list(pair_ids(pairs_of(["<start>\ta"]), tokenizer)))
    assert len(pairs_in(ids, tokenizer)) == 1


def test_no_source_is_learned_from_and_tested_on() -> None:
    text = "".join(task_blocks("numbers", 1, 3000)).replace(" ", "").replace("-", "")
    tokenizer = CharacterTokenizer.from_characters(
        set(text) - set("\t\n"), PAIR_SPECIALS
    )
    ids = np.concatenate(list(pair_ids(pairs_of([text]), tokenizer)))
    train, valid = split_pairs(pairs_in(ids, tokenizer), 0.1)
    assert valid is not None
    learned, tested = (
        {tuple(side.source(i)) for i in range(len(side))} for side in (train, valid)
    )
    assert not learned & tested
    assert len(tested) == round(0.1 * len(learned | tested))
    assert len(train) + len(valid) == 3000


def test_the_split_asks_for_the_sources_alone_and_not_for_their_order() -> None:
    pairs = words()
    mixed = Pairs(pairs.ids, pairs.bounds[::-1])
    sides = [split_pairs(each, 0.2)[1] for each in (pairs, mixed)]
    sets = [{tuple(s.source(i)) for i in range(len(s))} for s in sides if s]
    assert sets[0] == sets[1]


@pytest.mark.parametrize(("share", "n"), [(0.1, 1), (0.5, 2), (0.001, 1)])
def test_at_least_one_source_is_kept_where_any_is(share: float, n: int) -> None:
    assert n_kept_of(4, share) == n


def test_a_split_with_an_empty_side_is_refused() -> None:
    with pytest.raises(TrainingError, match="1 different source cannot be split"):
        split_pairs(pairs_from("ab\tc\nab\td\n"), 0.1)
    train, valid = split_pairs(pairs_from("ab\tc\n"), 0.0)
    assert (len(train), valid) == (1, None)


def test_pairs_that_are_too_long_on_one_side_are_left_out_and_counted() -> None:
    pairs = pairs_from("abcd\te\nab\tcdef\nab\tcd\n")
    kept, n_left_out = fitting(pairs, 4)  # the start is read before "cdef"
    assert (len(kept), n_left_out) == (2, 1)
    with pytest.raises(TrainingError, match="the shortest needs 3 tokens"):
        fitting(pairs, 2)


def test_pairs_of_like_length_are_drawn_and_each_is_as_likely_as_any() -> None:
    pairs, generator = words(100), torch.Generator().manual_seed(1)
    counts = torch.zeros(100)
    spreads = []
    for _ in range(3000):
        places = pairs.draw(10, generator)
        counts += torch.bincount(places, minlength=100)
        spreads.append(int(np.ptp(pairs.lengths[places.numpy()])))
    expected = counts.sum() / 100
    assert (counts - expected).abs().max() < 5 * expected.sqrt()
    assert np.mean(spreads) < np.ptp(pairs.lengths) / 3


def test_the_same_generator_draws_the_same_places() -> None:
    pairs = words()
    first, again = (
        pairs.draw(8, torch.Generator().manual_seed(5)).tolist() for _ in "ab"
    )
    assert first == again


def test_spread_places_come_once_and_short_pairs_first() -> None:
    pairs = words(90)
    places = torch.cat(pairs.spread(16, 3))
    assert len(places.unique()) == 48
    lengths = pairs.lengths[places.numpy()]
    assert (np.diff(lengths) >= 0).all()
    assert [len(each) for each in pairs.spread(16, 100)] == [16] * 5 + [10]
