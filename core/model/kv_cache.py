"""The keys and values of tokens already read, so that a new token reads only itself."""

from functools import partial

import torch
from torch import Tensor

from core.config import ModelConfig


class KeyValueCache:
    """Room for n_ctx keys and values per layer, filled from the left.

    Memory: 2 x n_batch x n_layers x n_kv_heads x n_ctx x d_head numbers.
    """

    def __init__(
        self,
        config: ModelConfig,
        *,
        n_ctx: int | None = None,
        n_batch: int = 1,
        like: Tensor,
    ) -> None:
        """Make room for `n_ctx` tokens in the type and on the device of `like`.

        `n_batch` texts are read side by side.
        """
        shape = (n_batch, config.n_kv_heads, n_ctx or config.n_ctx, config.d_head)
        kind, device = like.dtype, like.device  # of a weight that may be shared out
        empty = partial(torch.empty, shape, dtype=kind, device=device)
        self._keys = [empty() for _ in range(config.n_layers)]
        self._values = [empty() for _ in range(config.n_layers)]
        self._memory: dict[int, tuple[Tensor, Tensor]] = {}
        self.source_is_token: Tensor | None = None
        """[n_source] of bool, once an encoder has read its text."""
        self.n_read = 0
        """Tokens whose keys and values are stored in every layer."""

    def extend(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Store a layer's new keys and values; give back all of them.

        [1, n_kv_heads, n_new, d_head] -> [1, n_kv_heads, n_read + n_new, d_head]
        """
        end = self.n_read + k.shape[-2]
        self._keys[layer][:, :, self.n_read : end] = k
        self._values[layer][:, :, self.n_read : end] = v
        return self._keys[layer][:, :, :end], self._values[layer][:, :, :end]

    def remember(self, layer: int, k: Tensor, v: Tensor) -> None:
        """Keep what a layer of a decoder made of the encoder's rows."""
        self._memory[layer] = k, v

    def remembered(self, layer: int) -> tuple[Tensor, Tensor]:
        """The keys and values of the other side, [1, n_kv_heads, n_source, d_head]."""
        return self._memory[layer]

    def positions(self, n_new: int) -> Tensor:
        """Where the next `n_new` tokens stand."""
        device = self._keys[0].device
        return torch.arange(self.n_read, self.n_read + n_new, device=device)

    def all_positions(self, n_new: int) -> Tensor:
        """Where all tokens stand, the next `n_new` among them."""
        return torch.arange(self.n_read + n_new, device=self._keys[0].device)

    def advance(self, n_new: int) -> None:
        """Count the new tokens as read, once every layer has stored them."""
        self.n_read += n_new
