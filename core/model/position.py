"""Where order comes from: sinusoidal waves or a learned table, added to the embeddings.

In: the positions [n]. Out: [n, d_model]. Steps: embed.position. (Rotary positions act
on queries and keys instead: see `attention`.)
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions


class SinusoidalPosition(nn.Module):
    """Fixed waves; the table is computed once and sliced (paper: section 3.5)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        # Neither a weight nor a buffer: it follows from the configuration.
        self._waves: Tensor | None = None

    def forward(self, positions: Tensor) -> Tensor:
        """[n] -> [n, d_model]."""
        if self._waves is None or self._waves.device != positions.device:
            every = torch.arange(self.config.n_ctx, device="cpu")
            waves = functions.sinusoid(
                every, self.config.d_model, self.config.sinusoid_base
            )
            self._waves = waves.to(positions.device)
        return functions.lookup(positions, self._waves)


class LearnedPosition(nn.Module):
    """One learned row per position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.W_P = nn.Parameter(torch.empty(config.n_ctx, config.d_model))

    def forward(self, positions: Tensor) -> Tensor:
        """[n] -> [n, d_model]."""
        return functions.lookup(positions, self.W_P)


ADDED_POSITIONS: dict[str, Callable[[ModelConfig], nn.Module]] = {
    "sinusoidal": SinusoidalPosition,
    "learned": LearnedPosition,
}
