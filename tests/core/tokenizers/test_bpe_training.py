import random
import subprocess
import sys
from collections import Counter
from itertools import islice, pairwise

import pytest
from tokenizers import Tokenizer as Oracle
from tokenizers import models, pre_tokenizers, trainers

from core.errors import TokenizerError
from core.tokenizers.bpe import start_symbols
from core.tokenizers.bpe_training import (
    LearnedMerge,
    count_words,
    merges_of,
    train_bpe,
)

CATS = "the cat sat on the mat and the cat sat"
QWER = "qqwweerr qqwweerr"


def merges_by_recounting(
    word_counts: dict[tuple[bytes, ...], int],
) -> list[LearnedMerge]:
    """The definition: count all pairs again before every merge."""
    words = dict(enumerate(word_counts))
    weights = list(word_counts.values())
    learned: list[LearnedMerge] = []
    while True:
        counts: Counter[tuple[bytes, bytes]] = Counter()
        for index, word in words.items():
            for pair in pairwise(word):
                counts[pair] += weights[index]
        if not counts:
            return learned
        left, right = min(counts, key=lambda pair: (-counts[pair], *in_letters(pair)))
        learned.append(LearnedMerge(left, right, counts[left, right]))
        words = {i: joined(word, left, right) for i, word in words.items()}


def in_letters(pair: tuple[bytes, bytes]) -> list[str]:
    return [symbol.decode().replace(" ", "Ġ") for symbol in pair]


def joined(word: tuple[bytes, ...], left: bytes, right: bytes) -> tuple[bytes, ...]:
    result: list[bytes] = []
    rest = list(word)
    while rest:
        if rest[:2] == [left, right]:
            result.append(left + right)
            del rest[:2]
        else:
            result.append(rest.pop(0))
    return tuple(result)


@pytest.mark.parametrize("seed", range(30))
def test_merges_are_those_of_counting_everything_again(seed: int) -> None:
    choose = random.Random(seed)
    letters = " abc"[: choose.randint(1, 4)]
    words = ["".join(choose.choices(letters, k=choose.randrange(9))) for _ in range(15)]
    counts = {start_symbols(w.encode()): choose.randint(1, 4) for w in words}
    assert list(merges_of(counts)) == merges_by_recounting(counts)


def test_the_first_merges_are_those_of_the_tokenizers_package(texts: list[str]) -> None:
    """As long as no two pairs are equally frequent, there is only one answer."""
    oracle = Oracle(models.BPE())
    oracle.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=356, initial_alphabet=alphabet, show_progress=False
    )
    oracle.train_from_iterator(texts, trainer)
    names = sorted(oracle.get_vocab().items(), key=lambda item: item[1])[256:]
    learned = tuple(islice(merges_of(count_words(texts)), 100))
    counts = [merge.count for merge in learned]
    ties = [i for i, (count, after) in enumerate(pairwise(counts)) if count == after]
    n_alike = min(ties, default=len(counts))
    assert n_alike > 50
    ours = [m.joined.decode().replace(" ", "Ġ").replace("\n", "Ċ") for m in learned]
    assert ours[:n_alike] == [name for name, _ in names[:n_alike]]


def test_of_equal_counts_the_alphabetically_first_pair_joins_first() -> None:
    # Every pair occurs twice, but for the space; "e" is the first letter with a pair.
    expected = ((b"e", b"e"), (b"ee", b"r"), (b"eer", b"r"))
    for _ in range(3):
        assert train_bpe([QWER], 260).merges == expected


def test_the_order_of_the_text_does_not_matter(texts: list[str]) -> None:
    assert train_bpe(texts[::-1], 400).merges == train_bpe(texts, 400).merges


def test_another_process_learns_the_same_merges() -> None:
    program = (
        "from core.tokenizers.bpe_training import train_bpe;"
        f"print(train_bpe([{CATS!r}, {QWER!r}], 290).fingerprint)"
    )
    run = [sys.executable, "-c", program]
    found = subprocess.run(run, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == train_bpe([CATS, QWER], 290).fingerprint


def test_a_word_alone_and_after_a_space_are_two_tokens() -> None:
    tokenizer = train_bpe([CATS, CATS, CATS], 300)
    pieces = tokenizer.encode("cat cat").pieces
    assert [piece.label for piece in pieces] == ["cat", "·cat"]
    assert pieces[0].id != pieces[1].id


def test_ids_are_bytes_then_merges_then_specials() -> None:
    tokenizer = train_bpe([CATS] * 3, 300, specials=("<a>", "<b>"))
    assert [tokenizer.token_bytes(i) for i in range(256)] == [
        bytes((i,)) for i in range(256)
    ]
    made = [left + right for left, right in tokenizer.merges]
    assert [tokenizer.token_bytes(256 + i) for i in range(len(made))] == made
    n_vocab = 256 + len(made) + 2
    assert dict(tokenizer.specials) == {"<a>": n_vocab - 2, "<b>": n_vocab - 1}
    assert tokenizer.n_vocab == n_vocab <= 300


def test_the_vocabulary_has_the_size_asked_for(texts: list[str]) -> None:
    tokenizer = train_bpe(texts, 1000)
    assert tokenizer.n_vocab == len(tokenizer.vocabulary) + 1 == 1000


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["<|endoftext|>"]])
def test_an_empty_text_is_refused_in_a_sentence(texts: list[str]) -> None:
    with pytest.raises(TokenizerError, match="cannot be trained on an empty text"):
        train_bpe(texts, 300)


@pytest.mark.parametrize(("text", "n_merges"), [("x", 0), ("\n\n\n", 1), ("   ", 1)])
def test_tiny_texts_are_enough(text: str, n_merges: int) -> None:
    tokenizer = train_bpe([text], 300)
    assert len(tokenizer.merges) == n_merges
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_a_vocabulary_smaller_than_the_bytes_is_refused() -> None:
    with pytest.raises(TokenizerError, match=r"too small.* need 257"):
        train_bpe(["text"], 256)
    assert train_bpe(["text text"], 257).merges == ()


def test_a_marker_in_the_training_text_separates_and_teaches_nothing() -> None:
    marked = train_bpe(["ab ab<|endoftext|>ab ab"], 300)
    assert marked.merges == train_bpe(["ab ab", "ab ab"], 300).merges
    assert not any(b"<" in left + right for left, right in marked.merges)


def test_rare_pairs_are_not_learned() -> None:
    assert train_bpe(["abab xy"], 300).merges == ((b"a", b"b"),)
    assert len(train_bpe(["abab xy"], 300, min_count=1).merges) == 4
    assert train_bpe(["abab xy"], 300, min_count=3).merges == ()
