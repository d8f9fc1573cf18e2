"""A run as time: its checkpoints in order, and what changed between two of them.

In: the folder of a checkpoint, for the `Timeline` of its run; two traces of one
sentence, for how far apart the two models are: per head, and per token of the logits.
Loads no torch.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import ConfigError, TraceError
from core.trace.attentions import kinds_of_attention
from core.trace.matrix import FloatArray, Matrix, Scale
from core.trace.trace import Trace
from core.trace.views.axes import signed_scale, step_axis
from core.training.config import read_config
from core.training.events import EVENTS_FILE
from core.training.runs import milestones, run_of

COUNTERS_FILE = "training.json"
"""As in `core.training.checkpoint`, which loads torch."""
STEP_START = "step-"
N_CHANGES = 12
"""Tokens told at either end: the most raised and the most lowered."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Moment:
    """One checkpoint of a run."""

    step: int
    """Updates of the weights before it."""
    loss: float | None
    """The evaluation after just this step; None where there was none."""
    folder: Path


@dataclass(frozen=True, slots=True)
class Timeline:
    """All checkpoints of a run that are on the disk, the oldest first."""

    run: Path
    n_steps: int
    """Steps in the whole run, done or not."""
    moments: tuple[Moment, ...]

    @property
    def name(self) -> str:
        """The run's, as people know it."""
        return self.run.name

    def place_of(self, folder: Path | None) -> int | None:
        """Which moment a checkpoint's folder is; None where it is none of these."""
        if folder is None:
            return None
        folder = folder.resolve()
        places = (i for i, each in enumerate(self.moments) if each.folder == folder)
        return next(places, None)


def timeline_of(model_folder: Path) -> Timeline | None:
    """The run that a model folder is a checkpoint of; None where it is of no run."""
    run = run_of(model_folder)
    return None if run is None else timeline(run)


def timeline(run: Path) -> Timeline:
    """The checkpoints of a run, as they are on the disk now."""
    run = run.resolve()
    tests = milestones(run / EVENTS_FILE).losses
    folders = sorted((run / "checkpoints").glob(f"{STEP_START}????????"))
    moments = tuple(
        Moment(
            int(folder.name.removeprefix(STEP_START)), _loss_in(folder, tests), folder
        )
        for folder in folders
        if folder.name.removeprefix(STEP_START).isdigit()
    )
    last = moments[-1].step if moments else 0
    return Timeline(run, max(_n_steps(run), last), moments)


def _loss_in(folder: Path, tests: Mapping[int, float]) -> float | None:
    """A checkpoint's own loss, not an earlier one's; None does not keep it shut.

    Before version 3 it did not say when it was tested; the run's events do.
    """
    try:
        about: Any = json.loads((folder / COUNTERS_FILE).read_text(encoding="utf-8"))
        loss, step = about["loss"], about["step"]
        if "tested_step" not in about:
            return tests.get(step)
        is_own = about["tested_step"] == step
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        log.info("%s says no loss: %s", folder, error)
        return None
    return float(loss) if is_own and isinstance(loss, int | float) else None


def _n_steps(run: Path) -> int:
    try:
        return read_config(run).training.n_steps
    except ConfigError as error:
        log.info("%s", error)
        return 0


@dataclass(frozen=True, slots=True)
class LogitChange:
    """What two models say of one token as the next."""

    token_id: int
    before: float
    """Its logit in the first model."""
    after: float
    """Its logit in the second."""
    share_before: float
    share_after: float

    @property
    def difference(self) -> float:
        """How much the logit was raised, or lowered where negative."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """How far apart two models are on one sentence."""

    heads: FloatArray
    """[n_layers, n_heads]: how much of its attention a head gives elsewhere, 0 to 1:
    half the sum of the differences of a row, in the mean over all rows but the first,
    which has no choice. Layers and heads that both models have. Of two sides, it is the
    decoder's cross attention, in which every row has a choice."""
    raised: tuple[LogitChange, ...]
    """After the last token; the most raised first."""
    lowered: tuple[LogitChange, ...]
    """After the last token; the most lowered first."""


def differences(before: Trace, after: Trace) -> Differences:
    """Compare what two models did with the same tokens.

    Raises:
        TraceError: The traces are of other tokens, or of other vocabularies.
    """
    _check_comparable(before, after)
    n_layers = min(each.config.n_layers for each in (before, after))
    heads = [head_distances(before, after, layer) for layer in range(n_layers)]
    raised, lowered = _logit_changes(before, after)
    return Differences(np.stack(heads), raised, lowered)


def head_distances(before: Trace, after: Trace, layer: int) -> FloatArray:
    """How much of its attention each head of a layer gives elsewhere. -> [n_heads]."""
    n_heads = min(each.config.n_heads for each in (before, after))
    key = pattern_key(before, layer)
    first = 0 if before.config.has_encoder else 1
    one, other = (each.part(key)[:n_heads, first:] for each in (before, after))
    if not one.shape[1]:
        return np.zeros(n_heads, np.float32)
    moved: FloatArray = (np.abs(other - one).sum(-1) / 2).mean(-1)
    return moved


def pattern_key(trace: Trace, layer: int) -> str:
    """The attention by which checkpoints are compared; of two sides, the cross one."""
    return kinds_of_attention(trace.config)[-1].key("pattern", layer)


def pattern_maps(
    before: Trace, after: Trace, layer: int, head: int
) -> tuple[Matrix, Matrix, Matrix]:
    """A head's pattern in both models, and the second less the first, to look at.

    Each [n_query, n_key]; NaN where the mask forbids to look.
    """
    _check_comparable(before, after)
    key = pattern_key(before, layer)
    step = before.step(key)
    axes = step_axis(before, step, "n_query"), step_axis(before, step, "n_key")
    hidden = ~before.mask_of(key)
    one, other = (
        np.where(hidden, np.float32(np.nan), each.part(key, (head,)))
        for each in (before, after)
    )
    whole, moved = Scale("share", 1.0), _fixed(other - one)
    first, second = (
        Matrix(_fixed(values), *axes, whole, "pattern", key, (head,))
        for values in (one, other)
    )
    return first, second, Matrix(moved, *axes, signed_scale(moved), "pattern")


def _fixed(values: NDArray[np.float32]) -> FloatArray:
    values.flags.writeable = False
    return values


def _logit_changes(
    before: Trace, after: Trace
) -> tuple[tuple[LogitChange, ...], tuple[LogitChange, ...]]:
    last = (before.n - 1,)
    logits = [each.part("output.logits", last) for each in (before, after)]
    shares = [each.part("output.probs", last) for each in (before, after)]
    order = np.argsort(logits[0] - logits[1], kind="stable")  # most raised first

    def change(token: int) -> LogitChange:
        return LogitChange(token, *(float(e[token]) for e in (*logits, *shares)))

    changes = [change(int(token)) for token in order[:N_CHANGES]]
    falls = [change(int(token)) for token in order[::-1][:N_CHANGES]]
    return (
        tuple(each for each in changes if each.difference > 0),
        tuple(each for each in falls if each.difference < 0),
    )


def _check_comparable(before: Trace, after: Trace) -> None:
    sources = [each.source.ids if each.source else () for each in (before, after)]
    if before.ids != after.ids or sources[0] != sources[1]:
        raise TraceError(
            "The two models cut the sentence into other tokens; "
            "compare models with one tokenizer."
        )
    sizes = [each.config.n_vocab for each in (before, after)]
    if sizes[0] != sizes[1]:
        raise TraceError(
            f"The two models know {sizes[0]:,} and {sizes[1]:,} tokens; "
            "compare models with one tokenizer."
        )
