"""Does a model agree with itself? What is computed in two ways, held side by side.

In: an open model. Out: `SelfCheck`, a row for each pair of ways, on a short sequence of
tokens drawn from a seed. No other library is asked; `reference` does that. A weight
that is wrong in the file passes here, for both ways read it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.bundle import Bundle
from core.model.kv_cache import KeyValueCache
from core.model.recording import NOBODY
from core.pipeline import trace_encoding, written_so_far
from core.trace.needs import Index
from core.trace.proof import CLOSE
from core.trace.recorder import Recorder
from core.trace.steps import TOKEN_OPS, Step, step_shape, steps_for
from core.trace.trace import Trace

SEED = 20170612
N_TOKENS = 8
"""Of the sequence, where the model can read so many."""
MOST_SAMPLED = 120
"""Steps that are computed again, spread over the layers."""
MOST_FIGURES = 400_000_000
"""Weights beyond which one pass takes most of a second on two cores."""
Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """Two ways to compute the same numbers."""

    what: str
    """The two ways: "fused against explicit attention"."""
    step: str
    """Key of the first step beyond the limit; where none is, of the largest share."""
    difference: float
    """The largest there, of two numbers."""
    limit: float
    """What rounding explains there."""

    @property
    def passed(self) -> bool:
        """Whether the two ways agree."""
        return self.difference <= self.limit


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """What holding a model to itself gave."""

    rows: tuple[CheckRow, ...]
    skipped: tuple[str, ...] = ()
    """What would have taken too long."""

    @property
    def warning(self) -> str:
        """The failures in one sentence; "" where all agree."""
        failed = [row for row in self.rows if not row.passed]
        if not failed:
            return ""
        told = "; ".join(
            f"{row.what} differ by {row.difference:.0e} from {row.step} on, where "
            f"{row.limit:.0e} is rounding"
            for row in failed
        )
        return f"The self-check failed: {told}."

    @property
    def note(self) -> str:
        """What was checked, and what was not; "" where something failed."""
        if self.warning:
            return ""
        left_out = f"{', '.join(self.skipped)}: left out, the model is large"
        if not self.rows:
            return f"Self-check: {left_out}."
        largest = max(row.difference for row in self.rows)
        told = ", ".join(row.what for row in self.rows)
        rest = f"; {left_out}" * bool(self.skipped)
        return f"Self-check passed: {told}; largest difference {largest:.0e}{rest}."


@torch.inference_mode()
def self_check(bundle: Bundle, most_figures: int = MOST_FIGURES) -> SelfCheck:
    """Hold a model to itself; what reads over `most_figures` weights is left out."""
    n_weights = sum(weight.numel() for weight in bundle.weights.values())
    ids = drawn_ids(bundle)
    rows, skipped = [], []
    for check in CHECKS:
        if check.is_of_writers and not bundle.config.writes:
            continue
        if n_weights * check.n_passes > most_figures:
            skipped.append(check.what)
        else:
            rows.append(first_beyond(check.what, check.pairs(bundle, ids)))
    return SelfCheck(tuple(rows), tuple(skipped))


def drawn_ids(bundle: Bundle) -> tuple[int, ...]:
    """A short sequence of tokens that the model knows, the same each time."""
    n = min(N_TOKENS, bundle.config.n_ctx)
    n_known = max(1, min(bundle.config.n_vocab, bundle.tokenizer.n_vocab))
    drawn = np.random.default_rng(SEED).integers(n_known, size=n)
    return tuple(int(token_id) for token_id in drawn)


Pairs = list[tuple[str, Float, Float]]
"""Step keys and two values of each, in the order of computation."""


def first_beyond(what: str, pairs: Pairs) -> CheckRow:
    """The first step that differs by more than rounding, or the nearest to it."""
    rows = [CheckRow(what, key, *distance(one, other)) for key, one, other in pairs]
    failed = next((row for row in rows if not row.passed), None)
    return failed or max(rows, key=lambda row: row.difference / row.limit)


def distance(one: Float, other: Float) -> tuple[float, float]:
    """The largest difference of two arrays, and how much of it is rounding.

    Rounding grows with the numbers that are added up, so the limit is `CLOSE` times
    the root of their mean square, and at least `CLOSE`. Two NaN are the same.
    """
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(one - other))
    finite = other[np.isfinite(other)]
    size = float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
    largest = float(apart.max(initial=0.0))
    return (np.inf if np.isnan(largest) else largest), CLOSE * max(1.0, size)


def _attention_pairs(bundle: Bundle, ids: tuple[int, ...]) -> Pairs:
    """Every stream and the heads, by the fused kernel and step by step."""
    names = ("attn.heads", "resid_mid", "resid_cross", "resid_out")
    keys = [step.key for step in steps_for(bundle.config) if step.name in names]
    fused = _pass(bundle, ids, frozenset(keys), is_explicit=False)
    explicit = _pass(bundle, ids, frozenset(keys), is_explicit=True)
    return [(key, _plain(fused[key]), _plain(explicit[key])) for key in keys]


def _cache_pairs(bundle: Bundle, ids: tuple[int, ...]) -> Pairs:
    """The logits of each place, read at once and one token after the other."""
    tokens, source = _reading(bundle, ids)
    whole = bundle.model(tokens, **source)
    table = bundle.model.table
    cache = KeyValueCache(bundle.config, n_ctx=len(ids), like=table)
    first = bundle.model(tokens[:, [0]], NOBODY, cache, **source)
    rest = (tokens[:, [i]] for i in range(1, len(ids)))
    single = [first, *(bundle.model(token, NOBODY, cache) for token in rest)]
    joined = torch.cat(single, dim=-2)
    return [("output.logits", _plain(joined), _plain(whole))]


def _sample_pairs(bundle: Bundle, ids: tuple[int, ...]) -> Pairs:
    """A row of steps as a pass announces them, and as the trace works them out."""
    tokens, source = _reading(bundle, ids)
    written = written_so_far(bundle, tokens[0, 1:].tolist()) if source else None
    read = bundle.tokenizer.encoding_of(ids)
    trace = trace_encoding(bundle, read, target=written)
    steps = [s for s in trace.steps if s.axes and s.op not in TOKEN_OPS]
    announced = _pass(bundle, ids, frozenset(s.key for s in steps), is_explicit=True)
    chosen = np.unique(np.linspace(0, len(steps) - 1, MOST_SAMPLED).round().astype(int))
    draw = np.random.default_rng(SEED)
    pairs: Pairs = []
    for step in (steps[i] for i in chosen):
        index = _row_of(step, trace, draw)
        if step.key in announced:
            places = tuple(slice(None) if i is None else i for i in index)
            seen = announced[step.key][places]
            again = np.asarray(trace.recomputed(step.key, index), dtype=np.float64)
            pairs.append((step.key, again, _plain(seen)))
    return pairs


def _row_of(step: Step, trace: Trace, draw: np.random.Generator) -> Index:
    """A drawn row: of a drawn head, where the step has heads."""
    shape = trace.shape(step.key)
    return (*(int(draw.integers(size)) for size in shape[:-1]), None)


class _Explicit(Recorder):
    """Keeps steps of a pass that goes step by step."""

    def asks_for_rows(self, path: str) -> bool:
        """Always."""
        return True


def _pass(
    bundle: Bundle, ids: tuple[int, ...], keep: frozenset[str], *, is_explicit: bool
) -> dict[str, Tensor]:
    """The chosen steps of one pass, without a batch axis."""
    config, n = bundle.config, len(ids)
    shape_of = partial(step_shape, config=config, n=n, n_source=n)
    kind = _Explicit if is_explicit else Recorder
    recorder = kind(steps_for(config), shape_of, keep)
    tokens, source = _reading(bundle, ids)
    bundle.model(tokens, recorder, **source)
    return recorder.kept


def _reading(bundle: Bundle, ids: tuple[int, ...]) -> tuple[Tensor, dict[str, Tensor]]:
    """What a model reads: tokens [1, n]; behind an encoder the same as a source, too.

    There the text that is written begins with the start token.
    """
    tokens = torch.tensor([ids], device=bundle.device)
    if not bundle.config.has_encoder:
        return tokens, {}
    written = tokens.clone()
    written[0, 0] = bundle.config.start_id
    return written, {"source": tokens}


def _plain(values: Tensor) -> Float:
    """As an array of the CPU, in double."""
    return values.double().cpu().numpy()


@dataclass(frozen=True, slots=True)
class _Check:
    """A pair of ways."""

    what: str
    pairs: Callable[[Bundle, tuple[int, ...]], Pairs]
    n_passes: int
    """How often it reads every weight, about."""
    is_of_writers: bool = False


CHECKS = (
    _Check("fused against explicit attention", _attention_pairs, 2),
    _Check("cached against uncached", _cache_pairs, 1 + N_TOKENS, is_of_writers=True),
    _Check("steps computed again", _sample_pairs, 2),
)
"""What a model is held to."""
