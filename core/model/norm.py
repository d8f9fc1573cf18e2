"""Norms: bring each token's row back to a common size.

In and out: [..., n, d_model]. Steps: attn.norm, ffn.norm, output.norm; of each head,
[..., n_heads, n, d_head]: attn.q_normed, attn.k_normed.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions


class LayerNorm(nn.Module):
    """Mean away, divided by the deviation, scaled by gamma, shifted by beta."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.eps = config.eps
        self.gamma = nn.Parameter(torch.ones(config.d_model))
        self.beta = nn.Parameter(torch.zeros(config.d_model)) if config.bias else None

    def forward(self, x: Tensor) -> Tensor:
        """[..., n, d_model] -> the same."""
        return functions.layer_norm(x, self.eps, self.gamma, self.beta)


class RMSNorm(nn.Module):
    """Divided by the root mean square, scaled by gamma."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.eps = config.eps
        self.gamma = nn.Parameter(torch.ones(config.d_model))

    def forward(self, x: Tensor) -> Tensor:
        """[..., n, d_model] -> the same."""
        return functions.rms_norm(x, self.eps, self.gamma)


class HeadNorm(nn.Module):
    """Each head's row by itself: divided by its root mean square, scaled by gamma."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.eps = config.eps
        self.gamma = nn.Parameter(torch.ones(config.d_head))

    def forward(self, x: Tensor) -> Tensor:
        """[..., n_heads, n, d_head] -> the same."""
        return functions.norm_heads(x, self.eps, self.gamma)


NORMS: dict[str, Callable[[ModelConfig], nn.Module]] = {
    "layer_norm": LayerNorm,
    "rms_norm": RMSNorm,
    "none": nn.Identity,
}
