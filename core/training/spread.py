"""How a model lies on its processes: a copy in each, or its weights shared out.

In: the plain model. Out: what is called in training, and the ways in and out of its
weights. One process is one copy; several copies keep equal by averaging their gradients
(DistributedDataParallel). Weights that are shared out are in `core.training.shards`.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from core.model.transformer import Transformer
from core.training.config import TrainingConfig
from core.training.distributed import Processes

Forward = Callable[..., Tensor]


class Layout(Protocol):
    """Where the weights of a model are, and how to get at them."""

    @property
    def forward(self) -> Forward:
        """What is called in training: ids to logits."""

    @property
    def is_shared_out(self) -> bool:
        """Whether no process has the whole model."""

    def part(self, *, is_last: bool) -> AbstractContextManager[None]:
        """Surround a part of a batch: gradients are exchanged in the last one only."""

    def whole(self, value: Tensor) -> Tensor:
        """Put a weight or moment together; every process must ask."""

    def put(self, place: Tensor, value: Tensor) -> None:
        """Copy a whole tensor into a weight or moment."""


class Copies:
    """Each process has all weights."""

    is_shared_out = False

    def __init__(
        self,
        model: Transformer,
        config: TrainingConfig,
        device: torch.device,
        processes: Processes,
    ) -> None:
        model.to(device)
        self._model = compiled(model) if config.compile else model
        self._exchange: DistributedDataParallel | None = None
        if processes.n > 1:
            cards = [device] if device.type == "cuda" else None
            self._exchange = DistributedDataParallel(
                self._model, device_ids=cards, gradient_as_bucket_view=True
            )

    @property
    def forward(self) -> Forward:
        """The model, or what exchanges its gradients."""
        return self._exchange or self._model

    def part(self, *, is_last: bool) -> AbstractContextManager[None]:
        """Let gradients add up here until the last part."""
        if self._exchange is None or is_last:
            return nullcontext()
        return self._exchange.no_sync()

    def whole(self, value: Tensor) -> Tensor:
        """Hand it back: it is whole."""
        return value

    def put(self, place: Tensor, value: Tensor) -> None:
        """Copy it."""
        place.copy_(value)


def lay_out(
    model: Transformer,
    config: TrainingConfig,
    device: torch.device,
    processes: Processes,
) -> Layout:
    """Move a model to where it is trained, as [training] asks."""
    if config.shard and processes.n > 1:
        from core.training.shards import Shards  # loads for a second

        return Shards(model, config, device, processes)
    return Copies(model, config, device, processes)


def compiled(model: Transformer) -> Transformer:
    """Let torch compile a model when it is first called; its weights stay its own."""
    forward: Transformer = torch.compile(model)  # type: ignore[assignment]
    return forward
