"""Where order comes from: sinusoidal waves or a learned table, added to the embeddings.

In: the positions [n]. Out: [n, d_model]. Steps: embed.position. (Rotary positions act
on queries and keys instead, and relative ones on scores: see `attention`.)
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions

FIRST_ROWS = 8192
"""Of the table of waves; most models are read to their end with these."""


class SinusoidalPosition(nn.Module):
    """Fixed waves; a table of them grows with what is read (paper: section 3.5)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        # Neither a weight nor a buffer: it follows from the configuration.
        self._waves: Tensor | None = None

    def forward(self, positions: Tensor) -> Tensor:
        """Ascending [n] -> [n, d_model]."""
        return functions.lookup(positions, self._table(positions))

    def _table(self, positions: Tensor) -> Tensor:
        """Rows up to the last position at least; they double until they suffice.

        The last position is only looked at where the table is not whole: a GPU would be
        waited for.
        """
        n_ctx, device = self.config.n_ctx, positions.device
        waves = self._waves
        if waves is None or waves.device != device:
            waves = self._first_waves(min(FIRST_ROWS, n_ctx), device)
        while len(waves) < n_ctx and len(waves) <= int(positions[-1]):
            waves = self._first_waves(min(2 * len(waves), n_ctx), device)
        self._waves = waves
        return waves

    def _first_waves(self, n: int, device: torch.device) -> Tensor:
        every = torch.arange(n, device="cpu")
        config = self.config
        write = (
            functions.sinusoid_halves if config.sinusoid_halves else functions.sinusoid
        )
        waves = write(every, config.d_model, config.sinusoid_base)
        return waves.to(device)


class LearnedPosition(nn.Module):
    """One learned row per position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        n_rows = config.n_ctx + config.position_offset
        self.W_P = nn.Parameter(torch.empty(n_rows, config.d_model))

    def forward(self, positions: Tensor) -> Tensor:
        """[n] -> [n, d_model]."""
        return functions.lookup(positions, self.W_P)


ADDED_POSITIONS: dict[str, Callable[[ModelConfig], nn.Module]] = {
    "sinusoidal": SinusoidalPosition,
    "learned": LearnedPosition,
}
