import random
from itertools import pairwise

import pytest
from tokenizers import Tokenizer as Oracle
from tokenizers.models import BPE

from core.tokenizers.merges import (
    MAX_RECORDED_STEPS,
    MAX_RECORDED_SYMBOLS,
    Pair,
    play_merges,
    record_merges,
)
from core.tokenizers.ways import Candidate, Merge


def as_bytes(*symbols: str) -> tuple[bytes, ...]:
    return tuple(symbol.encode() for symbol in symbols)


def ranks_of(*pairs: str) -> dict[Pair, int]:
    return {
        (left, right): rank
        for rank, (left, right) in enumerate(as_bytes(*p.split()) for p in pairs)
    }


def joined(text: str, ranks: dict[Pair, int]) -> str:
    _, symbols = play_merges(as_bytes(*text), ranks)
    return "|".join(symbol.decode() for symbol in symbols)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [("abc", "a|bc"), ("aabc", "a|a|bc"), ("abab", "ab|ab"), ("abcab", "a|bc|ab")],
)
def test_the_lowest_rank_joins_first_wherever_it_stands(text: str, pieces: str) -> None:
    assert joined(text, ranks_of("b c", "a b")) == pieces


@pytest.mark.parametrize(
    "pieces",
    [
        "a",
        "aa",
        "aa|a",
        "aaaa",
        "aaaa|a",
        "aaaa|aa",
        "aaaa|aa|a",
        "aaaa|aaaa",
        "aaaa|aaaa|a",
    ],
)
def test_runs_of_one_letter_join_from_the_left(pieces: str) -> None:
    assert joined(pieces.replace("|", ""), ranks_of("a a", "aa aa")) == pieces


def test_a_merge_is_recorded_with_its_places_and_its_losers() -> None:
    ranks = ranks_of("b c", "a b")
    history = record_merges(as_bytes(*"abcab"), ranks)
    assert history.n_steps == 2
    assert history.merges == (
        Merge(
            rank=0,
            left=b"b",
            right=b"c",
            positions=(1,),
            symbols=as_bytes("a", "bc", "a", "b"),
            losers=(Candidate(b"a", b"b", 1, 0), Candidate(b"a", b"b", 1, 3)),
        ),
        Merge(1, b"a", b"b", (2,), as_bytes("a", "bc", "ab"), ()),
    )


def test_all_places_of_a_pair_are_one_step() -> None:
    merge, *rest = record_merges(as_bytes(*"aaaaa"), ranks_of("a a", "aa aa")).merges
    assert merge.positions == (0, 2)
    assert merge.symbols == as_bytes("aa", "aa", "a")
    assert [m.symbols for m in rest] == [as_bytes("aaaa", "a")]


def test_a_better_pair_that_a_join_makes_goes_before_the_next_place() -> None:
    # "abc" has two ways to come about, so the pair (abc, ab) ranks before (ab, c).
    ranks = ranks_of("a b", "b c", "a bc", "abc ab", "ab c")
    history = record_merges(as_bytes("ab", "c", "ab", "c"), ranks)
    assert [merge.symbols for merge in history.merges] == [
        as_bytes("abc", "ab", "c"),
        as_bytes("abcab", "c"),
    ]


@pytest.mark.parametrize("seed", range(20))
def test_any_ranks_join_as_in_the_tokenizers_package(seed: int) -> None:
    choose = random.Random(seed)
    vocabulary = list("abc")
    merges: dict[tuple[str, str], None] = {}
    for _ in range(25):
        pair = choose.choice(vocabulary), choose.choice(vocabulary)
        merges[pair] = None
        if "".join(pair) not in vocabulary:
            vocabulary.append("".join(pair))
    oracle = Oracle(BPE({name: i for i, name in enumerate(vocabulary)}, list(merges)))
    ranks = ranks_of(*map(" ".join, merges))
    for _ in range(30):
        text = "".join(choose.choices("abc", k=choose.randrange(1, 40)))
        assert joined(text, ranks) == "|".join(oracle.encode(text).tokens)


@pytest.mark.parametrize("seed", range(10))
def test_each_state_follows_from_the_one_before(seed: int) -> None:
    choose = random.Random(seed)
    ranks = ranks_of("b c", "a b", "a a", "aa bc", "c ab", "bc bc", "ab aa")
    start = as_bytes(*choose.choices("abc", k=30))
    state = start
    for merge in record_merges(start, ranks).merges:
        known = [
            (ranks[pair], place)
            for place, pair in enumerate(pairwise(state))
            if pair in ranks
        ]
        assert merge.rank == min(known)[0]
        losers = {(loser.rank, loser.position) for loser in merge.losers}
        assert losers == {item for item in known if item[0] != merge.rank}
        rest = list(state)
        for place in reversed(merge.positions):
            assert (rest[place], rest[place + 1]) == (merge.left, merge.right)
            rest[place : place + 2] = [merge.joined]
        assert merge.symbols == tuple(rest)
        state = merge.symbols
    assert state == play_merges(start, ranks)[1]


def test_the_history_of_a_long_word_is_cut() -> None:
    start = tuple(bytes((byte,)) for byte in range(1, 251))
    ranks = {(start[i], start[i + 1]): i for i in range(0, 250, 2)}
    ranks |= {
        (start[i] + start[i + 1], start[i + 2] + start[i + 3]): 1000 + i
        for i in range(0, 248, 4)
    }
    ranks |= {
        (b"".join(start[i : i + 4]), b"".join(start[i + 4 : i + 8])): 2000 + i
        for i in range(0, 240, 8)
    }
    history = record_merges(start, ranks)
    assert history.n_steps > MAX_RECORDED_STEPS == len(history.merges)


def test_the_recorded_states_of_a_huge_word_stay_small() -> None:
    start = as_bytes(*("ab" * 6000), *("cd" * 6000))
    history = record_merges(
        start, ranks_of("a b", "c d", "ab ab", "cd cd", "abab abab")
    )
    assert len(history.merges) < history.n_steps == 5
    assert sum(len(merge.symbols) for merge in history.merges) <= MAX_RECORDED_SYMBOLS
