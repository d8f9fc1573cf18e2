"""A model whose weights are shared out between processes, because none can hold it.

In: the plain model. Out: the same model, each weight a `DTensor` of which this process
has its rows. They come together layer by layer while they are needed: FSDP2,
`fully_shard` (Zhao et al. 2023).
"""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from core.model.block import Block
from core.model.transformer import Transformer
from core.training.config import TrainingConfig
from core.training.distributed import Processes
from core.training.spread import Forward, compiled


class Shards:
    """Each process has a share of each weight."""

    is_shared_out = True

    def __init__(
        self,
        model: Transformer,
        config: TrainingConfig,
        device: torch.device,
        processes: Processes,
    ) -> None:
        mesh = init_device_mesh(device.type, (processes.n,))
        for part in model.modules():
            if isinstance(part, Block):  # of the encoder, too, where there is one
                fully_shard(part, mesh=mesh, reshard_after_forward=True)
        fully_shard(model, mesh=mesh, reshard_after_forward=True)
        model.to(device)
        self._model = model
        self._forward = compiled(model) if config.compile else model

    @property
    def forward(self) -> Forward:
        """The model; it gathers and scatters by itself."""
        return self._forward

    def part(self, *, is_last: bool) -> AbstractContextManager[None]:
        """Let gradients add up here until the last part."""
        if isinstance(self._model, FSDPModule):
            self._model.set_requires_gradient_sync(is_last)
        return nullcontext()

    def whole(self, value: Tensor) -> Tensor:
        """Gather the shares of all processes."""
        return value.full_tensor() if isinstance(value, DTensor) else value

    def put(self, place: Tensor, value: Tensor) -> None:
        """Keep this process's share."""
        if isinstance(place, DTensor):
            moved = value.to(place.device)
            value = distribute_tensor(moved, place.device_mesh, place.placements)
        place.copy_(value)
