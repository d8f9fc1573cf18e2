"""The vocabulary as one token sees it: logits, probabilities, and how one is picked.

Last station of the pipeline. In: a trace, a row of it, the sampling. Out: the whole
vocabulary in order and the few numbers that sum it up; a panel takes from it as many
entries as it has room for, so nothing here runs over the vocabulary in Python.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.errors import TraceError
from core.generation.sampling import (
    Distribution,
    Draw,
    Ids,
    Sampling,
    distribution,
    draw,
    uniform,
)
from core.trace.matrix import Cell, FloatArray, Matrix
from core.trace.needs import Index
from core.trace.numbers import may_be_broken, short
from core.trace.statistics import entropies, statistic_cell
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, row_axis, signed_scale

LOGITS, PROBS, NORM = "output.logits", "output.probs", "output.norm"
PICK = "output.pick"
N_BINS = 64
"""Bars of the histogram of a row of logits."""
LEAST_SHARE = 0.004
"""A smaller part of the cumulative bar is no wider than two pixels."""

CutBy = Literal["", "greedy", "top_k", "top_p"]


@dataclass(frozen=True, eq=False)
class Ranking:
    """What may follow one token: the whole vocabulary, likeliest first.

    Arrays are [n_vocab] and read-only; ranks count from 0.
    """

    query: int
    """The token of the sentence after which one is to come."""
    logits: FloatArray
    """By token id."""
    probs: FloatArray
    """By token id."""

    @property
    def n_vocab(self) -> int:
        """Tokens that may follow."""
        return len(self.logits)

    @cached_property
    def is_finite(self) -> bool:
        """Whether every logit is a number; otherwise there is no order in them."""
        return bool(np.isfinite(self.logits).all())

    @cached_property
    def order(self) -> Ids:
        """Token ids by falling logit; equal ones by id."""
        return np.argsort(-self.logits, kind="stable")

    @cached_property
    def sums(self) -> NDArray[np.float64]:
        """`sums[k]` is the probability of the k likeliest together; [n_vocab + 1]."""
        sums = np.zeros(self.n_vocab + 1)
        np.cumsum(self.probs[self.order], dtype=np.float64, out=sums[1:])
        return sums

    def rank(self, token_id: int) -> int:
        """How many tokens stand before this one."""
        return int(np.flatnonzero(self.order == token_id)[0])

    def n_holding(self, share: float) -> int:
        """How many of the likeliest it takes to hold this much probability."""
        return min(int(np.searchsorted(self.sums, share)), self.n_vocab)

    @cached_property
    def log_total(self) -> float:
        """The logarithm of the sum of all e^logit, from which softmax divides."""
        raw = self.logits.astype(np.float64)
        top = float(raw.max())
        return top + math.log(float(np.exp(raw - top).sum()))

    def surprisal(self, token_id: int) -> float:
        """-log2 of a token's probability, in bits; also where that rounds to 0."""
        return (self.log_total - float(self.logits[token_id])) / math.log(2)

    @cached_property
    def entropy(self) -> float:
        """The surprisal to be expected, in bits. 2 to its power is the perplexity."""
        return float(entropies(self.probs.astype(np.float64)))

    @property
    def perplexity(self) -> float:
        """As many equally likely tokens would be as hard to guess."""
        return float(2.0**self.entropy)


def ranking(trace: Trace, query: int) -> Ranking:
    """What may follow the token at a place of the sentence; the last one is kept."""
    known = _RANKINGS.get(trace)
    if known is None or known.query != query:
        logits, probs = (trace.part(key, (query,)) for key in (LOGITS, PROBS))
        known = _RANKINGS[trace] = Ranking(query, logits, probs)
    return known


_RANKINGS: "WeakKeyDictionary[Trace, Ranking]" = WeakKeyDictionary()
"""It takes a while to sort a vocabulary, and several steps look at the same row."""


def entropy_cell(query: int) -> Cell:
    """The address of the entropy of what may follow a token."""
    return statistic_cell("entropy", (PROBS, query))


def row_parts(query: int) -> tuple[tuple[str, Index], ...]:
    """The parts of the trace that `ranking` asks for."""
    return (LOGITS, (query, None)), (PROBS, (query, None))


def follower(trace: Trace, query: int) -> int | None:
    """The id that the row is about in the text; None after the last token.

    It is the one that follows, or that of the place itself in a model that fills gaps.
    """
    if trace.config.output_head == "masked":
        return trace.ids[query]
    return trace.ids[query + 1] if query + 1 < trace.n else None


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often values fall between neighbouring edges."""

    edges: NDArray[np.float64]
    """[n_bins + 1], rising."""
    counts: NDArray[np.int64]
    """[n_bins]; they add up to the number of values."""


def histogram(values: FloatArray, n_bins: int = N_BINS) -> Histogram:
    """Count every value; the values must be finite."""
    counts, edges = np.histogram(values.astype(np.float64), bins=n_bins)
    return Histogram(edges, counts.astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class NormView:
    """The residual stream before and after the last norm."""

    before: Matrix
    """[n, d_model]"""
    after: Matrix
    """[n, d_model]"""
    centre: float
    """What is taken from each number of the chosen row: its mean, 0 for an RMS norm."""
    size: float
    """What they are then divided by: deviation or root mean square, with epsilon."""
    is_rms: bool


@may_be_broken
def norm_view(trace: Trace, key: str, query: int) -> NormView:
    """Both sides of a last norm, and what it does to one row."""
    step = trace.step(key)
    before, after = step.inputs[0], step.key
    row = trace.part(before, (query,)).astype(np.float64)
    is_rms = step.op == "rms_norm"
    centre = 0.0 if is_rms else float(row.mean())
    size = math.sqrt(float(((row - centre) ** 2).mean()) + trace.config.eps)
    return NormView(_stream(trace, before), _stream(trace, after), centre, size, is_rms)


def _stream(trace: Trace, key: str) -> Matrix:
    values = trace[key]
    return Matrix(
        values=values,
        rows=row_axis(trace, key),
        columns=feature_axis(trace.config.d_model),
        scale=signed_scale(values),
        colour="residual",
        key=key,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PickView:
    """How the token after the sentence is picked: the very one Append will put."""

    distribution: Distribution
    draw: Draw
    sampling: Sampling
    position: int
    """Where the new token will stand; with the seed it decides the random number."""

    @property
    def rank(self) -> int:
        """The place of the picked token in the order, from 0."""
        return self.rank_of(self.draw.token_id)

    def rank_of(self, token_id: int) -> int:
        """How many tokens stand before this one."""
        return int(np.flatnonzero(self.distribution.order == token_id)[0])

    @property
    def falling(self) -> NDArray[np.float64]:
        """What the kept tokens are drawn with, likeliest first; [n_kept]."""
        spread = self.distribution
        return spread.probs[spread.order[: spread.n_kept]]

    def cut_by(self, rank: int) -> CutBy:
        """What keeps a token from being picked; "" where nothing does."""
        if rank < self.distribution.n_kept:
            return ""
        if self.distribution.is_greedy:
            return "greedy"
        return "top_k" if rank >= self.distribution.n_kept_by_top_k else "top_p"


def pick_view(trace: Trace, sampling: Sampling) -> PickView:
    """The pick after the last token of the sentence.

    Panel and inspector show the same one: of each trace the newest is remembered.

    Raises:
        TraceError: A logit is not finite.
    """
    known = _PICKS.get(trace)
    if known is not None and known.sampling == sampling:
        return known
    logits = trace.part(LOGITS, (trace.n - 1,))
    spread = distribution(logits, sampling, trace.ids)
    choice = draw(spread, uniform(sampling.seed, trace.n))
    view = _PICKS[trace] = PickView(spread, choice, sampling, trace.n)
    return view


_PICKS: "WeakKeyDictionary[Trace, PickView]" = WeakKeyDictionary()


def pick_formula(sampling: Sampling) -> str:
    r"""How the next token is picked, in LaTeX: "t \sim \text{softmax}(L / 0.8)"."""
    penalty = sampling.repetition_penalty
    logits = "L" if penalty == 1 else r"\tilde L"
    if sampling.temperature == 0:
        return rf"t_{{next}} = \text{{argmax}}_t \; {logits}_t"
    if sampling.temperature != 1:
        logits = rf"{logits} / {sampling.temperature:g}"
    cuts = (
        (sampling.top_k > 0, f"top-k {sampling.top_k}"),
        (sampling.top_p < 1, f"top-p {sampling.top_p:g}"),
    )
    named = ", ".join(text for is_on, text in cuts if is_on)
    below = rf"_{{\text{{{named}}}}}" if named else ""
    return rf"t_{{next}} \sim \text{{softmax}}({logits}){below}"


def pick_note(trace: Trace, sampling: Sampling, label_of: Callable[[int], str]) -> str:
    """What the recorded pick is, and which token is really drawn; "" without logits."""
    try:
        view = pick_view(trace, sampling)
    except TraceError:
        return ""
    own = "The trace keeps the likeliest token."
    label, chosen = label_of(view.draw.token_id), view.draw
    if view.distribution.is_greedy:
        return f"{own} Temperature 0 puts {label} to the end."
    return (
        f"{own} What is put to the end is drawn, with temperature, cuts and u: {label} "
        f"has p = {short(chosen.upper - chosen.lower, 4)} after cuts, and u = "
        f"{chosen.u:.4f} falls between its {chosen.lower:.4f} and {chosen.upper:.4f}."
    )


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbours in the order that share one piece of the cumulative bar."""

    start: int
    """Rank of the first."""
    stop: int
    """One beyond the last."""
    share: float
    """What they hold together, 0 to 1."""


def stretches(
    falling: NDArray[np.floating], n_most: int, singled: int | None = None
) -> tuple[Stretch, ...]:
    """Falling shares laid end to end: the largest singly, the others in groups.

    The one at rank `singled` has a piece of its own. At most `n_most` + 3 pieces.
    """
    ends = np.concatenate([[0.0], np.cumsum(falling, dtype=np.float64)])
    n_single = min(n_most, int((falling >= LEAST_SHARE).sum()))
    edges = {*range(n_single + 1), len(falling)}
    if singled is not None:
        edges |= {singled, singled + 1}
    return tuple(
        Stretch(start, stop, float(ends[stop] - ends[start]))
        for start, stop in pairwise(sorted(edges))
    )
