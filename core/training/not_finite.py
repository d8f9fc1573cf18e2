"""A run that lost its numbers: which came first, and what to try instead.

In: the model as it stood before the update that was refused, and what it was reading.
Out: one sentence. The forward pass is walked once more, every step watched; where all
of it is finite, the gradients are computed once more, from the output back.
"""

from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.recording import NOBODY, Watcher
from core.model.transformer import Transformer
from core.training.batch import NOTHING_FOLLOWS, Batch
from core.training.config import TrainingConfig
from core.training.probes import evaluated

SAFE_RATE = 1e-3
"""No higher rate is proposed: models of every size here learn with it."""
SAFE_CLIP = 1.0
"""No longer gradient is proposed."""


class FirstNotFinite:
    """The watcher that notes the first step with a number that is none."""

    def __init__(self) -> None:
        self.key = ""

    def __call__(self, key: str, value: Tensor) -> Tensor:
        """Look at a step, until one was found."""
        is_masked = key.endswith(".masked")  # minus infinity on purpose
        if not self.key and not is_masked and not bool(value.isfinite().all()):
            self.key = key
        return value

    def asks_for_rows(self, path: str) -> bool:
        """Always: the scores are where it mostly begins."""
        return True


def first_not_finite(model: Transformer, batches: Iterable[Batch]) -> str:
    """Name the first tensor that is not finite, in the order of computation.

    A weight goes before the steps that it spoils. Empty if every one is finite.
    """
    for address, weight in model.weights().items():
        if not bool(weight.isfinite().all()):
            return f"the weight {address}"
    for batch in batches:
        watcher = FirstNotFinite()
        with evaluated(model):
            _logits(model, batch, watcher)
        if watcher.key:
            return watcher.key
        if address := _first_gradient(model, batch):
            return f"the gradient of {address}"
    return ""


def advice(config: TrainingConfig) -> str:
    """What to change, with numbers."""
    rate = min(config.learning_rate / 10, SAFE_RATE)
    clip = min(config.clip / 2, SAFE_CLIP)
    return f"try learning_rate = {rate:.2g} or clip = {clip:.2g}"


def _logits(model: Transformer, batch: Batch, watch: Watcher = NOBODY) -> Tensor:
    device = model.table.device
    given = {name: value.to(device) for name, value in batch.given.items()}
    logits: Tensor = model(batch.read.to(device), watch, **given)
    return logits


def _first_gradient(model: Transformer, batch: Batch) -> str:
    """The weight next to the output whose gradient is not finite."""
    following = batch.following.to(model.table.device).flatten()
    loss = F.cross_entropy(
        _logits(model, batch).flatten(0, 1).float(),
        following,
        ignore_index=NOTHING_FOLLOWS,
    )
    weights = model.weights()
    gradients = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
    found = [
        address
        for address, gradient in zip(weights, gradients, strict=True)
        if gradient is not None and not bool(gradient.isfinite().all())
    ]
    return found[-1] if found else ""
