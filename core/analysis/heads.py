"""What a head does, as numbers: the one table of head scores, and what names a head.

In: attention patterns, of a trace or of anything else. Out: scores [n_layers, n_heads].
A score is a mean over the rows of a pattern: each row that has a choice gives one vote.
The attention views, the overview's order, the score table and the training monitor all
read this table. Layers are scored one after another, so that no more than a few million
numbers of the patterns exist at a time. Loads no torch by itself.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.analysis.reading import (
    Reading,
    Rows,
    Tokens,
    duplicate_token,
    entropy,
    first_token,
    induction,
    mean_distance,
    next_token,
    own_token,
    previous_token,
    same_token,
)
from core.trace.matrix import FloatArray
from core.trace.numbers import may_be_broken
from core.trace.trace import Trace

AT_ONCE = 2**21
"""Numbers of a layer's pattern that are scored together; above, head by head."""
OVER_HALF = 0.5
"""A head is named by what takes more than this share of its attention."""
COPIES_FROM = 0.4
"""For copying heads, which leave more on the first token where nothing is to copy."""


@dataclass(frozen=True, slots=True)
class HeadScore:
    """A row of the table: one thing that heads are asked."""

    name: str
    title: str
    """In a few words, for a column and a caption."""
    definition: str
    """How it is measured, in one sentence."""
    of: Callable[[Reading], Rows]
    named_from: float | None = None
    """A head that scores more is named by it; None: it names no head."""
    is_spare: bool = False
    """Whether it names a head only where nothing else does."""
    unit: Literal["share", "bits", "tokens"] = "share"
    least: int = 3
    """Tokens it takes; with two, the first is also the one before."""
    is_told_twice: bool = False
    """Whether it is measured on random tokens told twice, not on the sentence."""
    takes_repeats: bool = False
    """Whether the sentence must hold a token twice."""

    @property
    def noun(self) -> str:
        """What a head is called that has much of it: "previous-token head"."""
        return f"{self.title.replace(' ', '-')} head"

    def lack(self, tokens: Tokens) -> str:
        """What these tokens lack for it: "needs 3 tokens"; "" where they do."""
        if len(tokens.ids) < self.least:
            return f"needs {self.least} tokens"
        if self.takes_repeats and not tokens.same.any():
            return "needs a token that comes twice"
        return ""


HEAD_SCORES = (
    HeadScore(
        "previous",
        "previous token",
        "The mean share that rows 2 and on give to the token right before them.",
        previous_token,
        OVER_HALF,
    ),
    HeadScore(
        "next",
        "next token",
        "The mean share that rows 2 and on give to the token right behind them, which "
        "is 0 where the mask hides it.",
        next_token,
        OVER_HALF,
    ),
    HeadScore(
        "self",
        "own token",
        "The mean share that rows 2 and on give to their own token.",
        own_token,
        OVER_HALF,
    ),
    HeadScore(
        "first",
        "first token",
        "The mean share that rows 2 and on give to the first token, where spare "
        "attention goes.",
        first_token,
        OVER_HALF,
        is_spare=True,
    ),
    HeadScore(
        "same",
        "same token",
        "The mean share that rows give to other places with the same token, over the "
        "rows that can see one.",
        same_token,
        OVER_HALF,
        least=2,
        takes_repeats=True,
    ),
    HeadScore(
        "induction",
        "induction",
        "On random tokens told twice: the mean share that the second telling gives to "
        "the token that followed the same token in the first.",
        induction,
        COPIES_FROM,
        least=4,
        is_told_twice=True,
    ),
    HeadScore(
        "duplicate",
        "duplicate token",
        "On random tokens told twice: the mean share that the second telling gives to "
        "the same token in the first.",
        duplicate_token,
        COPIES_FROM,
        least=4,
        is_told_twice=True,
    ),
    HeadScore(
        "entropy",
        "entropy",
        "How widely rows 2 and on spread their attention, in bits: 0 is one key, 3 is "
        "as much as eight equal ones.",
        entropy,
        unit="bits",
        least=2,
    ),
    HeadScore(
        "distance",
        "distance",
        "How many tokens away rows 2 and on look, on the mean of their shares.",
        mean_distance,
        unit="tokens",
        least=2,
    ),
)
"""Every score, in the order of the table's columns."""

SCORES_BY_NAME = {score.name: score for score in HEAD_SCORES}
OF_SENTENCE = tuple(score for score in HEAD_SCORES if not score.is_told_twice)
OF_TELLING = tuple(score for score in HEAD_SCORES if score.is_told_twice)
NAMING = tuple(score for score in OF_SENTENCE if score.named_from is not None)
"""What a single pattern can name a head by."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What a head does enough to be named by."""

    score: HeadScore
    value: float

    @property
    def text(self) -> str:
        """For a caption: "previous token .81"."""
        return f"{self.score.title} {self.value:.2f}".replace(" 0.", " .")

    @property
    def name(self) -> str:
        """For a list: "previous-token head, 0.81"."""
        return f"{self.score.noun}, {self.value:.2f}"

    @property
    def definition(self) -> str:
        """How it was measured, in a sentence."""
        sentence = self.score.definition
        return f"{self.text}: {sentence[0].lower()}{sentence[1:]}"


@dataclass(frozen=True, slots=True, eq=False)
class HeadScores:
    """The scores of every head of a model."""

    by_name: Mapping[str, FloatArray]
    """Score -> [n_layers, n_heads], read-only; NaN where a head has none."""
    lacks: Mapping[str, str]
    """Score -> why no head has it: "needs 3 tokens"."""

    def habit_of(self, layer: int, head: int) -> Habit | None:
        """What a head does most, measured by what it takes to be named; None if none.

        The two counted from 0.
        """
        values = {name: values[layer, head] for name, values in self.by_name.items()}
        return habit_among(values)

    def name_of(self, layer: int, head: int) -> str:
        """The name of a head, "previous-token head, 0.92"; "" where it has none."""
        habit = self.habit_of(layer, head)
        return habit.name if habit else ""

    def lack(self, name: str) -> str:
        """Why a score is NaN."""
        return self.lacks.get(name, "not a number")


def habit_among(values: Mapping[str, float]) -> Habit | None:
    """What a head of these scores is named by; None if nothing stands out.

    It is the score that is furthest above what it takes, as a ratio. Spare attention
    comes last: a head that copies leaves much on the first token, too.
    """
    ranked = []
    for place, score in enumerate(HEAD_SCORES):
        if score.named_from is not None and score.name in values:
            ratio = float(values[score.name]) / score.named_from
            if ratio > 1:
                ranked.append((not score.is_spare, ratio, place))
    if not ranked:
        return None
    score = HEAD_SCORES[max(ranked)[2]]
    return Habit(score, float(values[score.name]))


def habits_of(trace: Trace, pattern: FloatArray) -> tuple[Habit | None, ...]:
    """What each head of a layer is named by, as far as this sentence alone tells.

    `pattern` is the layer's, [n_heads, n_query, n_key].
    """
    reading = Reading(without_padding(trace, pattern), tokens_of(trace))
    values = {score.name: scored(score, reading) for score in NAMING}
    return tuple(
        habit_among({name: each[head] for name, each in values.items()})
        for head in range(len(pattern))
    )


@may_be_broken
def scored(score: HeadScore, reading: Reading) -> FloatArray:
    """One score of some heads: the mean over the rows that vote.

    -> [n_heads]. A row that is masked altogether, or holds no numbers, has no vote;
    without votes, or where the tokens lack something, the score is NaN.
    """
    n_heads = len(reading.pattern)
    if score.lack(reading.tokens):
        return np.full(n_heads, np.nan, np.float32)
    rows = score.of(reading)
    counts = reading.tokens.votes & np.isfinite(rows)
    sums = np.where(counts, rows, 0).sum(axis=1, dtype=np.float64)
    n_votes = counts.sum(axis=1)
    means = np.full(n_heads, np.nan, np.float32)
    np.divide(sums, n_votes, out=means, where=n_votes > 0, casting="same_kind")
    return means


def tokens_of(trace: Trace, period: int = 0) -> Tokens:
    """The tokens of a trace, and where they may look; padding is none of them."""
    ids, allowed = trace["tokens.ids"], trace.part("mask")
    if trace.padding.any():
        ids, allowed = ids[~trace.padding], without_padding(trace, allowed)
    return Tokens(ids, allowed, period)


def head_scores(trace: Trace, of_model: HeadScores) -> HeadScores:
    """All scores of every head: of the sentence, and of its model.

    `of_model` are those of `core.analysis.telling`, or all scores of another sentence
    in the same model: what no sentence changes is taken over from them.
    """
    sentence = scores_of(trace, OF_SENTENCE)
    telling = {score.name: of_model.by_name[score.name] for score in OF_TELLING}
    both = {**sentence.by_name, **telling}
    by_name = {score.name: both[score.name] for score in HEAD_SCORES}
    lacks = {name: why for name, why in of_model.lacks.items() if name in telling}
    return HeadScores(by_name, {**sentence.lacks, **lacks})


def scores_of(
    trace: Trace, scores: tuple[HeadScore, ...], period: int = 0
) -> HeadScores:
    """Some scores of every head, layer by layer; nothing enters the trace's cache."""
    tokens = tokens_of(trace, period)
    shape = trace.config.n_layers, trace.config.n_heads
    # Made beforehand: small arrays between large ones would break the memory up.
    by_name = {score.name: np.empty(shape, np.float32) for score in scores}
    for layer in range(trace.config.n_layers):
        first = 0
        for reading in readings(trace, layer, tokens):
            heads = slice(first, first + len(reading.pattern))
            for score in scores:
                by_name[score.name][layer, heads] = scored(score, reading)
            first = heads.stop
    for values in by_name.values():
        values.flags.writeable = False
    reasons = {score.name: score.lack(tokens) for score in scores}
    return HeadScores(by_name, {name: why for name, why in reasons.items() if why})


def readings(trace: Trace, layer: int, tokens: Tokens) -> Iterator[Reading]:
    """The heads of a layer, some at a time."""
    return (
        Reading(without_padding(trace, pattern), tokens)
        for pattern in patterns(trace, layer)
    )


def without_padding(trace: Trace, maps: NDArray[Any]) -> NDArray[Any]:
    """Maps [..., n_query, n_key] of the tokens alone; itself where no padding is."""
    if not trace.padding.any():
        return maps
    keys = np.flatnonzero(~trace.padding)
    queries = keys - (len(trace.padding) - maps.shape[-2])
    return maps[..., queries[queries >= 0], :][..., keys]


def patterns(trace: Trace, layer: int) -> Iterator[FloatArray]:
    """The patterns of a layer's heads, as many at a time as `AT_ONCE` lets.

    -> [some heads, n_query, n_key], all heads in order.
    """
    key = f"layers.{layer}.attn.pattern"
    n_heads, n_query, n_key = trace.shape(key)
    if n_heads * n_query * n_key <= AT_ONCE:
        yield trace.fresh(key)
        return
    for head in range(n_heads):
        yield trace.fresh(key, (head,))[None]
