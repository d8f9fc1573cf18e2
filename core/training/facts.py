"""What there is to know of a text before a run: counts, faults, repeats, tokens.

In: sources. Out: frozen facts, for the doctor to judge. Both functions go through the
text in blocks and tell how far they are; they belong into a worker, not the window.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil
from pathlib import Path

from core.errors import TokenizerError, TrainingError
from core.tokenizers.base import Tokenizer
from core.tokenizers.bpe_training import END_OF_TEXT, LearnedMerge, train_bpe
from core.tokenizers.folder import open_tokenizer
from core.tokenizers.simple import learn_characters
from core.tokenizers.splitting import whole_words
from core.tokenizers.vocabulary import UnknownTextError
from core.training.config import CHARACTERS, TokenizerConfig
from core.training.documents import UnitCounter, Units, telling_units
from core.training.pairs.corpus import PAIR_SPECIALS, pair_characters, pair_ids
from core.training.pairs.counting import (
    PairCounter,
    PairFacts,
    PairTokens,
    pair_tokens,
)
from core.training.pairs.lines import Pair, pairs_of, sides_of
from core.training.progress import Told, told_along, untold
from core.training.reading import Fault, encoding_named, spread
from core.training.sources import (
    FileSource,
    Source,
    expanded,
    fault_of,
    holds_pairs,
    n_bytes_of,
    pair_lines,
    text_blocks,
    without_binaries,
)

EXACT_CHARACTERS = 4_000_000
"""Longer texts are not tokenized to the end before a run, but a spread part of them."""
SAMPLE_CHARACTERS = 2_000_000
COUNTING_SHARE, LEARNING_SHARE = 0.2, 0.5
"""Of the time: words are counted, then merges learned; the rest cuts into tokens."""


@dataclass(frozen=True, slots=True, eq=False)
class TextFacts:
    """Facts of the text that all sources make together; faulty ones are not in it."""

    sources: tuple[Source, ...]
    """With the text files of every folder in its place."""
    readable: tuple[Source, ...]
    """Those of them without a fault."""
    n_files: int
    """Files that could be read."""
    n_characters: int
    n_bytes: int
    """As UTF-8."""
    n_words: int
    """Parts between white space."""
    n_lines: int
    n_distinct: int
    """Different characters."""
    only_character: str
    """The one character of a text that has no other; else empty."""
    faults: tuple[Fault, ...]
    n_left_out: int
    """Files in folders that are not text."""
    encodings: tuple[tuple[Path, str], ...]
    """The files that are not UTF-8, and what they are read as."""
    units: Units
    """Documents or lines, and which of them repeat."""
    pairs: PairFacts | None = None
    """Where there are pairs among the sources; lines that are none are left out."""


@dataclass(frozen=True, slots=True)
class TokenFacts:
    """What a tokenizer makes of a text."""

    n_tokens: int
    n_vocab: int
    """Size of the tokenizer; one that is learned may become smaller than asked."""
    is_exact: bool
    """False where only a part of a long text was cut into tokens."""
    unknown: tuple[str, ...] = ()
    """What the tokenizer has no token for, as far as it was met; the number of tokens
    is then guessed."""
    pairs: PairTokens | None = None
    """Of pairs: how wide they are; `n_tokens` are then those that are read of them."""
    lacks_ends: bool = False
    """Of pairs: whether the tokenizer has no start and end token, which they need."""


def read_facts(sources: Iterable[Source], told: Told = untold) -> TextFacts:
    """Go through the text once; faults are facts too, and raise nothing."""
    sources = tuple(sources)
    kept = without_binaries(sources)
    faults = [fault_of(each) for each in kept]
    readable = tuple(
        each for each, fault in zip(kept, faults, strict=True) if not fault
    )
    counts = _Counts()
    blocks = told_along(text_blocks(readable), n_bytes_of(readable), told)
    for block in whole_words(blocks):
        counts.feed(block)
    return TextFacts(
        sources=kept,
        readable=readable,
        n_files=sum(isinstance(each, FileSource) for each in readable),
        n_characters=counts.n_characters,
        n_bytes=counts.n_bytes,
        n_words=counts.n_words,
        n_lines=counts.n_lines,
        n_distinct=len(counts.characters),
        only_character=min(counts.characters) if len(counts.characters) == 1 else "",
        faults=tuple(fault for fault in faults if fault),
        n_left_out=len(expanded(sources)) - len(kept),
        encodings=tuple(_other_encodings(readable)),
        units=telling_units(counts.documents, counts.lines),
        pairs=_pair_facts(readable),
    )


def _pair_facts(sources: tuple[Source, ...]) -> PairFacts | None:
    """Look at the lines of all pairs; None where there are none among the sources."""
    with_pairs = [each for each in sources if holds_pairs(each)]
    if not with_pairs:
        return None
    counter = PairCounter()
    for each in with_pairs:
        name = each.path.name if isinstance(each, FileSource) else "the built-in pairs"
        counter.feed(name, pair_lines(each))
    return counter.facts(has_text=len(with_pairs) < len(sources))


def measure_tokens(
    facts: TextFacts, tokenizer: TokenizerConfig, folder: Path, told: Told = untold
) -> TokenFacts:
    """Cut the text into tokens by the tokenizer of a run, learned or opened.

    Up to `EXACT_CHARACTERS` it is what the run itself will do and count; of a longer
    text it is a spread part, and the number of tokens is projected from it.

    Raises:
        CoreError: The tokenizer's file cannot be used, or no source can be read.
    """
    if not facts.n_characters:
        raise TrainingError("There is no text to count tokens of; add some.")
    is_exact = facts.n_characters <= EXACT_CHARACTERS
    share = 1.0 if is_exact else SAMPLE_CHARACTERS / facts.n_characters
    if tokenizer.file:
        opened = open_tokenizer(folder / tokenizer.file)
    else:
        opened = _learned(facts, tokenizer, share, told)
    start = 0.0 if tokenizer.file else COUNTING_SHARE + LEARNING_SHARE
    along = _from_to(told, start, 1.0)
    if facts.pairs:
        return _measured_pairs(facts, opened, share, along)
    n_tokens = n_characters = 0
    try:
        for block in _sample(facts, share, along):
            n_tokens += len(opened.encode_corpus(block, specials=True))
            n_characters += len(block)
    except UnknownTextError as error:
        return TokenFacts(facts.n_characters, opened.n_vocab, False, error.unknown)
    if not is_exact:
        n_tokens = round(n_tokens * facts.n_characters / max(n_characters, 1))
    return TokenFacts(n_tokens, opened.n_vocab, is_exact)


def _measured_pairs(
    facts: TextFacts, tokenizer: Tokenizer, share: float, told: Told
) -> TokenFacts:
    try:
        rows = pair_ids(_some_pairs(facts, share, told), tokenizer)
        counted = pair_tokens(rows, tokenizer)
    except UnknownTextError as error:
        n_guessed = facts.n_characters
        return TokenFacts(n_guessed, tokenizer.n_vocab, False, error.unknown)
    except TokenizerError:  # no start and no end
        n_guessed, lacks = facts.n_characters, True
        return TokenFacts(n_guessed, tokenizer.n_vocab, False, lacks_ends=lacks)
    assert facts.pairs is not None
    scale = facts.pairs.n_pairs / max(counted.n_pairs, 1)
    n_tokens = round(counted.n_tokens * scale)
    return TokenFacts(n_tokens, tokenizer.n_vocab, share == 1, pairs=counted)


def _some_pairs(facts: TextFacts, share: float, told: Told) -> Iterator[Pair]:
    """A share of the pairs, spread over them."""
    blocks = told_along(text_blocks(facts.readable), facts.n_characters, told)
    return islice(pairs_of(blocks), 0, None, ceil(1 / share))


def _learned(
    facts: TextFacts, asked: TokenizerConfig, share: float, told: Told
) -> Tokenizer:
    n_merges = 0
    along = _from_to(told, COUNTING_SHARE, COUNTING_SHARE + LEARNING_SHARE)

    def merged(_: LearnedMerge) -> None:
        nonlocal n_merges
        n_merges += 1
        along(n_merges / asked.n_vocab)

    counting = _from_to(told, 0.0, COUNTING_SHARE)
    if facts.pairs:
        texts = sides_of(_some_pairs(facts, share, counting))
        if asked.kind == CHARACTERS:
            return pair_characters(texts)
        n_vocab, specials = asked.n_vocab, PAIR_SPECIALS
        return train_bpe(texts, n_vocab, specials=specials, told=merged)
    blocks = _sample(facts, share, counting)
    if asked.kind == CHARACTERS:
        return learn_characters(blocks)
    return train_bpe(blocks, asked.n_vocab, told=merged)


def _sample(facts: TextFacts, share: float, told: Told) -> Iterator[str]:
    """A share of the text, in whole words, spread over it."""
    blocks = told_along(text_blocks(facts.readable), facts.n_characters, told)
    return spread(whole_words(blocks, (END_OF_TEXT,)), share)


def _from_to(told: Told, start: float, stop: float) -> Told:
    """Tell of a part of a work; not more often than it has gained a hundredth."""
    last = -1

    def part_told(share: float) -> None:
        nonlocal last
        percent = int(100 * (start + share * (stop - start)))
        if percent > last:
            last = percent
            told(percent / 100)

    return part_told


class _Counts:
    """Counts what passes, block by block."""

    def __init__(self) -> None:
        self.n_characters = self.n_bytes = self.n_words = 0
        self.n_lines = 1
        self.characters: set[str] = set()
        self.documents, self.lines = UnitCounter("documents"), UnitCounter("lines")

    def feed(self, block: str) -> None:
        """Take a block that ends between two words."""
        self.n_characters += len(block)
        self.n_bytes += len(block) if block.isascii() else len(block.encode())
        self.n_words += len(block.split())
        self.n_lines += block.count("\n")
        self.characters.update(block)
        self.documents.feed(block)
        self.lines.feed(block)


def _other_encodings(sources: Iterable[Source]) -> Iterator[tuple[Path, str]]:
    for each in sources:
        if isinstance(each, FileSource):
            name = encoding_named(each.path, each.reading)
            if name != "UTF-8":
                yield each.path, name
