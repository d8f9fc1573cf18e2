"""The textbook corpus low, lower, newest, widest, computed by hand in `bpe.json`.

Its ties may be settled by reading order, as there, or by the alphabet, as in the
product: the merges are the same.
"""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.bpe_training import LearnedMerge, merges_of
from core.tokenizers.merges import Pair, play_merges, record_merges

GOLDEN = json.loads(Path(__file__).with_name("bpe.json").read_text(encoding="utf-8"))
TRAINING: dict[str, Any] = GOLDEN["bpe_training"]
ENCODING: dict[str, Any] = GOLDEN["bpe_encoding"]


def symbols_of(word: str) -> tuple[bytes, ...]:
    return tuple(letter.encode() for letter in (*word, TRAINING["end_of_word"]))


def names(symbols: tuple[bytes, ...]) -> list[str]:
    return [symbol.decode() for symbol in symbols]


@pytest.fixture(scope="module")
def learned() -> tuple[LearnedMerge, ...]:
    counts = {symbols_of(word): n for word, n in TRAINING["word_counts"].items()}
    return tuple(islice(merges_of(counts), len(TRAINING["merges"])))


@pytest.fixture(scope="module")
def ranks(learned: tuple[LearnedMerge, ...]) -> dict[Pair, int]:
    return {(merge.left, merge.right): rank for rank, merge in enumerate(learned)}


def test_the_five_merges_and_their_counts(learned: tuple[LearnedMerge, ...]) -> None:
    found = [[*names((merge.left, merge.right)), merge.count] for merge in learned]
    assert found == TRAINING["merges"]


@pytest.mark.parametrize("word", TRAINING["words_after_5_merges"])
def test_the_words_after_five_merges(word: str, ranks: dict[Pair, int]) -> None:
    _, symbols = play_merges(symbols_of(word), ranks)
    assert names(symbols) == TRAINING["words_after_5_merges"][word]


def test_lowest_joins_step_by_step(ranks: dict[Pair, int]) -> None:
    start = symbols_of("lowest")
    merges = record_merges(start, ranks).merges
    assert names(start) == ENCODING["lowest"]["start"]
    assert [names(m.symbols) for m in merges] == ENCODING["lowest"]["after_each_merge"]
    text = b"".join(merges[-1].symbols).decode()
    decoded = text.replace(TRAINING["end_of_word"], " ")
    assert decoded == ENCODING["lowest"]["decoded"]


def test_newer_has_no_pair_that_was_learned(ranks: dict[Pair, int]) -> None:
    history = record_merges(symbols_of("newer"), ranks)
    assert history.n_steps == ENCODING["newer"]["merges_applied"]
    assert (
        names(play_merges(symbols_of("newer"), ranks)[1])
        == (ENCODING["newer"]["pieces"])
    )


@pytest.mark.parametrize(("text", "n_bytes"), GOLDEN["utf8_bytes"].items())
def test_a_text_has_as_many_bytes_as_utf8_gives_it(text: str, n_bytes: int) -> None:
    encoding = BpeTokenizer.from_merges(()).encode(text)
    assert len(encoding.ids) == encoding.n_bytes == n_bytes
