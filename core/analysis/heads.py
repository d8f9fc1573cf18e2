"""What a head does, as numbers: its scores, and what it is named by.

In: attention patterns, of a trace or of anything else. Out: scores [n_layers, n_heads]
of one kind of attention: a text that looks at itself, or at another one. A score is a
mean over the rows of a pattern: each row that has a choice gives one vote. The
attention views, the overview's order, the score table and the training monitor all read
the one table of `core.analysis.head_questions`. Layers are scored one after another, so
that no more than a few million numbers of the patterns exist at a time. Loads no torch
by itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.analysis.head_questions import (
    CROSS_SCORES,
    HEAD_SCORES,
    NAMING,
    OF_SENTENCE,
    OF_TELLING,
    SCORES_BY_NAME,
    HeadScore,
    scores_for,
)
from core.analysis.reading import Reading, Tokens
from core.trace.attentions import Kind, kind_named
from core.trace.matrix import FloatArray
from core.trace.numbers import may_be_broken
from core.trace.trace import Trace

__all__ = [
    "CROSS_SCORES",
    "HEAD_SCORES",
    "NAMING",
    "OF_SENTENCE",
    "OF_TELLING",
    "SCORES_BY_NAME",
    "Habit",
    "HeadScore",
    "HeadScores",
    "habit_among",
    "habits_of",
    "head_scores",
    "patterns",
    "scored",
    "scores_for",
    "scores_of",
    "tokens_of",
    "without_padding",
]

AT_ONCE = 2**21
"""Numbers of a layer's pattern that are scored together; above, head by head."""


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
    table: tuple[HeadScore, ...] = HEAD_SCORES
    """What is scored."""

    def habit_of(self, layer: int, head: int) -> Habit | None:
        """What a head does most, measured by what it takes to be named; None if none.

        The two counted from 0.
        """
        values = {name: values[layer, head] for name, values in self.by_name.items()}
        return habit_among(values, self.table)

    def name_of(self, layer: int, head: int) -> str:
        """The name of a head, "previous-token head, 0.92"; "" where it has none."""
        habit = self.habit_of(layer, head)
        return habit.name if habit else ""

    def lack(self, name: str) -> str:
        """Why a score is NaN."""
        return self.lacks.get(name, "not a number")


def habit_among(
    values: Mapping[str, float], table: tuple[HeadScore, ...] = HEAD_SCORES
) -> Habit | None:
    """What a head of these scores is named by; None if nothing stands out.

    It is the score that is furthest above what it takes, as a ratio. Spare attention
    comes last: a head that copies leaves much on the first token, too.
    """
    ranked = []
    for place, score in enumerate(table):
        if score.named_from is not None and score.name in values:
            ratio = float(values[score.name]) / score.named_from
            if ratio > 1:
                ranked.append((not score.is_spare, ratio, place))
    if not ranked:
        return None
    score = table[max(ranked)[2]]
    return Habit(score, float(values[score.name]))


def habits_of(trace: Trace, pattern: FloatArray) -> tuple[Habit | None, ...]:
    """What each head of a layer is named by, as far as this sentence alone tells.

    `pattern` is the layer's, [n_heads, n_query, n_key].
    """
    kind = kind_named(trace.config, "")
    reading = Reading(without_padding(trace, kind, pattern), tokens_of(trace, kind))
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


def tokens_of(trace: Trace, kind: Kind, period: int = 0) -> Tokens:
    """The tokens of a trace, and where they may look; padding is none of them."""
    key = kind.key("pattern")
    looking, seen = trace.rows_of(key), trace.keys_of(key)
    allowed = without_padding(trace, kind, trace.mask_of(key))
    ids = np.array(seen.encoding.ids)[~seen.padding]
    if not kind.is_cross:
        return Tokens(ids, allowed, period)
    return Tokens(ids, allowed, 0, np.array(looking.encoding.ids)[~looking.padding])


def head_scores(trace: Trace, of_model: HeadScores, kind: str = "") -> HeadScores:
    """All scores of every head of a kind: of the sentence, and of its model.

    `of_model` are those of `core.analysis.telling`, or all scores of another sentence
    in the same model: what no sentence changes is taken over from them.
    """
    table = scores_for(kind_named(trace.config, kind))
    asked = tuple(score for score in table if not score.is_told_twice)
    sentence = scores_of(trace, asked, kind=kind)
    told = [score.name for score in table if score.is_told_twice]
    both = {**sentence.by_name, **{name: of_model.by_name[name] for name in told}}
    by_name = {score.name: both[score.name] for score in table}
    lacks = {name: why for name, why in of_model.lacks.items() if name in told}
    return HeadScores(by_name, {**sentence.lacks, **lacks}, table)


def scores_of(
    trace: Trace, scores: tuple[HeadScore, ...], period: int = 0, kind: str = ""
) -> HeadScores:
    """Some scores of every head of a kind, layer by layer.

    Nothing enters the trace's cache.
    """
    heads_of = kind_named(trace.config, kind)
    tokens = tokens_of(trace, heads_of, period)
    shape = heads_of.n_layers, trace.config.n_heads
    # Made beforehand: small arrays between large ones would break the memory up.
    by_name = {score.name: np.empty(shape, np.float32) for score in scores}
    for layer in range(heads_of.n_layers):
        first = 0
        for pattern in patterns(trace, heads_of, layer):
            reading = Reading(without_padding(trace, heads_of, pattern), tokens)
            heads = slice(first, first + len(pattern))
            for score in scores:
                by_name[score.name][layer, heads] = scored(score, reading)
            first = heads.stop
    for values in by_name.values():
        values.flags.writeable = False
    reasons = {score.name: score.lack(tokens) for score in scores}
    lacks = {name: why for name, why in reasons.items() if why}
    return HeadScores(by_name, lacks, scores_for(heads_of))


def without_padding(trace: Trace, kind: Kind, maps: NDArray[Any]) -> NDArray[Any]:
    """Maps [..., n_query, n_key] of the tokens alone; itself where no padding is.

    Where a text looks at itself, the last query stands at the last key.
    """
    key = kind.key("pattern")
    looking, seen = trace.rows_of(key).padding, trace.keys_of(key).padding
    if not (looking.any() or seen.any()):
        return maps
    keys, queries = np.flatnonzero(~seen), np.flatnonzero(~looking)
    if not kind.is_cross:
        queries = keys - (len(seen) - maps.shape[-2])
    return maps[..., queries[queries >= 0], :][..., keys]


def patterns(trace: Trace, kind: Kind, layer: int) -> Iterator[FloatArray]:
    """The patterns of a layer's heads, as many at a time as `AT_ONCE` lets.

    -> [some heads, n_query, n_key], all heads in order.
    """
    key = kind.key("pattern", layer)
    n_heads, n_query, n_key = trace.shape(key)
    if n_heads * n_query * n_key <= AT_ONCE:
        yield trace.fresh(key)
        return
    for head in range(n_heads):
        yield trace.fresh(key, (head,))[None]
