"""From the last logits to one token: penalty, temperature, cuts, a random number.

In: the logits of one position [n_vocab]. Out: a `Distribution` that keeps every stage,
and a `Draw` from it. Plain numpy in float64, so the window can use it as it is.

The order is that of `transformers`: repetition penalty (Keskar et al. 2019, section
4.1), temperature, top-k (Fan et al. 2018, section 5), top-p over what top-k left
(Holtzman et al. 2019, section 3.1). Random numbers come from a counter, not a stream
(Philox, Salmon et al. 2011): one depends on the seed and its place alone.
"""

import math
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import ConfigError, TraceError

Numbers = NDArray[np.float64]
Ids = NDArray[np.intp]

SEED_LIMIT = 2**63
"""Seeds lie below it: what a file of settings can hold."""
DRAWN_SEED_LIMIT = 2**31
"""Seeds drawn for a person are short enough for any number field."""
ROUNDING = 1e-12
"""A sum of probabilities this close to top_p has reached it."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is picked. Immutable; checked when it is made."""

    temperature: float = 1.0
    """Logits are divided by it; 0 takes the likeliest token (greedy)."""
    top_k: int = 0
    """Keep this many likeliest tokens; 0 keeps all."""
    top_p: float = 1.0
    """Keep the fewest tokens whose probabilities reach this sum; 1 keeps all."""
    repetition_penalty: float = 1.0
    """Makes tokens already in the text less likely; 1 changes nothing."""
    seed: int = 0
    """The same seed picks the same tokens again."""

    def __post_init__(self) -> None:
        for name, (kinds, is_usable, demand) in _DEMANDS.items():
            value = getattr(self, name)
            fits = isinstance(value, kinds) and not isinstance(value, bool)
            if not (fits and is_usable(value)):
                raise ConfigError(f"{name} = {value!r} must be {demand}.")

    @property
    def is_greedy(self) -> bool:
        """Whether the likeliest token is always taken."""
        return self.temperature == 0

    def effective_top_k(self, n_vocab: int) -> int:
        """How many tokens top-k lets through in a vocabulary of this size."""
        return min(self.top_k or n_vocab, n_vocab)


_Demand = tuple[tuple[type, ...], Callable[[float], bool], str]
_DEMANDS: dict[str, _Demand] = {
    "temperature": ((int, float), lambda t: 0 <= t < math.inf, "a number, at least 0"),
    "top_k": ((int,), lambda k: k >= 0, "a whole number, at least 0 (0 is off)"),
    "top_p": ((int, float), lambda p: 0 < p <= 1, "above 0, at most 1 (1 is off)"),
    "repetition_penalty": (
        (int, float),
        lambda r: 0 < r < math.inf,
        "a number above 0 (1 is off)",
    ),
    "seed": (
        (int,),
        lambda s: 0 <= s < SEED_LIMIT,
        f"a whole number from 0 to {SEED_LIMIT - 1}",
    ),
}
"""What each field must be: its types, a test of its value, and the two in words."""


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Every stage between logits and a draw.

    Arrays are [n_vocab], read-only and indexed by token id.
    """

    order: Ids
    """Token ids by falling probability; equal ones by id. `order[:n_kept]` are kept."""
    logits: Numbers
    """As the model gave them."""
    penalised: Numbers
    """After the repetition penalty."""
    scaled: Numbers
    """Divided by the temperature; where greedy, not divided."""
    probs_before_cuts: Numbers
    """Their softmax; where greedy, 1 for the likeliest."""
    kept: NDArray[np.bool_]
    """Which tokens both cuts let through."""
    probs: Numbers
    """Of the kept tokens, sharing 1 among themselves; 0 for the others."""
    effective_top_k: int
    """What top_k means in this vocabulary."""
    n_kept_by_top_k: int
    """Tokens after top-k; 1 where greedy."""
    n_kept_by_top_p: int
    """Tokens after top-p as well: all that are kept."""
    is_greedy: bool
    """Whether there is no chance in it."""

    @property
    def n_kept(self) -> int:
        """Tokens that can be drawn."""
        return self.n_kept_by_top_p


@dataclass(frozen=True, slots=True)
class Draw:
    """One pick: where a random number fell on the probabilities laid end to end."""

    token_id: int
    u: float
    """The random number, from 0 up to but not including 1."""
    lower: float
    """Where the token's segment begins: the sum of all likelier ones."""
    upper: float
    """Where it ends; upper - lower is the token's probability."""


def distribution(
    logits: ArrayLike, sampling: Sampling, used_ids: Iterable[int] = ()
) -> Distribution:
    """Turn logits [n_vocab] into the probabilities a token is drawn from.

    Raises:
        TraceError: A logit is not finite, or a used id is not in the vocabulary.
    """
    raw = _checked(logits)
    n_vocab = len(raw)
    effective_top_k = sampling.effective_top_k(n_vocab)
    penalised = penalise(raw, used_ids, sampling.repetition_penalty)
    order = np.argsort(-penalised, kind="stable")
    if sampling.is_greedy:
        scaled, before = penalised, np.zeros(n_vocab)
        before[order[0]] = 1.0
        n_after_k = n_kept = 1
    else:
        scaled = _divide(penalised, sampling.temperature)
        before = softmax(_divide(penalised - penalised.max(), sampling.temperature))
        n_after_k = effective_top_k
        n_kept = nucleus_size(before[order[:n_after_k]], sampling.top_p)
    kept = np.zeros(n_vocab, dtype=np.bool_)
    kept[order[:n_kept]] = True
    probs = np.where(kept, before, 0.0)
    probs /= probs.sum()
    for array in (order, raw, penalised, scaled, before, kept, probs):
        array.flags.writeable = False
    return Distribution(
        order=order,
        logits=raw,
        penalised=penalised,
        scaled=scaled,
        probs_before_cuts=before,
        kept=kept,
        probs=probs,
        effective_top_k=effective_top_k,
        n_kept_by_top_k=n_after_k,
        n_kept_by_top_p=n_kept,
        is_greedy=sampling.is_greedy,
    )


def draw(distribution: Distribution, u: float) -> Draw:
    """Pick the token in whose segment `u` falls, the likeliest token's first.

    Raises:
        TraceError: `u` is not from 0 up to but not including 1.
    """
    if not 0 <= u < 1:
        raise TraceError(f"u = {u} cannot pick a token; draw it from 0 to below 1.")
    kept = distribution.order[: distribution.n_kept]
    ends = np.cumsum(distribution.probs[kept])
    last = np.searchsorted(ends, ends[-1])  # rounding may leave the sum below u
    rank = int(min(np.searchsorted(ends, u, side="right"), last))
    lower = float(ends[rank - 1]) if rank else 0.0
    return Draw(int(kept[rank]), u, lower, float(ends[rank]))


def pick(
    logits: ArrayLike, sampling: Sampling, used_ids: Iterable[int], u: float
) -> Draw:
    """The same as `draw(distribution(...), u)`; greedy, it need not sort the words.

    Raises:
        TraceError: As `distribution` and `draw` do.
    """
    if not sampling.is_greedy:
        return draw(distribution(logits, sampling, used_ids), u)
    penalised = penalise(_checked(logits), used_ids, sampling.repetition_penalty)
    return Draw(int(penalised.argmax()), u, 0.0, 1.0)


def penalise(logits: Numbers, used_ids: Iterable[int], penalty: float) -> Numbers:
    """Make used tokens less likely: divide what is above 0, multiply what is below.

    [n_vocab] -> [n_vocab]. Keskar et al. divide always, which would make a token with a
    negative logit likelier.
    """
    used = np.unique(np.fromiter(used_ids, dtype=np.int64))
    if used.size and not 0 <= used[0] <= used[-1] < len(logits):
        raise TraceError(
            f"The used tokens {used[0]} to {used[-1]} go beyond the vocabulary of "
            f"{len(logits)}; use ids of this model's tokenizer."
        )
    penalised = logits.copy()
    values = logits[used]
    penalised[used] = np.where(values > 0, values / penalty, values * penalty)
    return penalised


def softmax(x: Numbers) -> Numbers:
    """Turn numbers into shares that add up to one. [n_vocab] -> [n_vocab]."""
    shares: Numbers = np.exp(x - x.max())
    shares /= shares.sum()
    return shares


def nucleus_size(falling: Numbers, top_p: float) -> int:
    """How many of these falling probabilities it takes to reach `top_p` of their sum.

    The token that crosses the threshold is kept, so it is at least one.
    """
    if top_p == 1:
        return len(falling)
    sums = np.cumsum(falling)
    return 1 + int(np.searchsorted(sums, top_p * sums[-1] - ROUNDING))


def uniform(seed: int, position: int) -> float:
    """The random number, in [0, 1), for the token at a place in the text.

    It needs no number before it: a token appended by hand and the same token in a long
    generation are drawn with the same one.
    """
    bits = np.random.Philox(key=seed, counter=position).random_raw()
    return (int(bits) >> 11) * 2.0**-53  # the 53 bits that a float holds


def random_seed() -> int:
    """A fresh seed, to be shown so that the text can be had again."""
    return secrets.randbelow(DRAWN_SEED_LIMIT)


def _checked(logits: ArrayLike) -> Numbers:
    raw = np.array(logits, dtype=np.float64)
    if raw.ndim != 1 or not raw.size:
        raise TraceError(
            f"A token is sampled from logits (n_vocab), not {raw.shape}; "
            f"take one position of the trace."
        )
    if not np.isfinite(raw).all():
        first = int(np.argmin(np.isfinite(raw)))
        what = "not a number" if np.isnan(raw[first]) else "infinite"
        raise TraceError(
            f"Sampling is off: the logit of token {first} is {what}; "
            f"look in the trace for the first step with such a value."
        )
    return raw


def _divide(logits: Numbers, temperature: float) -> Numbers:
    with np.errstate(over="ignore"):  # a tiny temperature may end at infinity
        return logits / temperature
