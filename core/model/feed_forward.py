"""The feed-forward network: what each token thinks by itself.

In and out: [..., n, d_model]. Paper: section 3.3; gated: Shazeer 2020.
Steps: ffn.gate, ffn.hidden, ffn.active, ffn.out.
"""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.forward_pass import ForwardPass
from core.model.norm import NORMS


class FeedForward(nn.Module):
    """Widen to d_ff, bend, narrow back to d_model."""

    def __init__(self, config: ModelConfig, path: str) -> None:
        super().__init__()
        self.path = path
        self.activation = config.activation
        self.norm = NORMS[config.norm](config)
        d_model, d_ff = config.d_model, config.d_ff
        self.W_G = nn.Parameter(torch.empty(d_model, d_ff)) if config.gated else None
        self.W_1 = nn.Parameter(torch.empty(d_model, d_ff))
        self.W_2 = nn.Parameter(torch.empty(d_ff, d_model))
        self.b_G = self.b_1 = self.b_2 = None
        if config.bias:
            self.b_G = nn.Parameter(torch.zeros(d_ff)) if config.gated else None
            self.b_1 = nn.Parameter(torch.zeros(d_ff))
            self.b_2 = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor, shared: ForwardPass) -> Tensor:
        """[..., n, d_model] -> [..., n, d_model]."""
        path, watch = self.path, shared.watch
        if self.W_G is not None:
            gates = watch(f"{path}.gate", functions.linear(x, self.W_G, self.b_G))
            hidden = watch(f"{path}.hidden", functions.linear(x, self.W_1, self.b_1))
            active = functions.gate(gates, hidden, self.activation)
        else:
            hidden = watch(f"{path}.hidden", functions.linear(x, self.W_1, self.b_1))
            active = functions.ACTIVATIONS[self.activation](hidden)
        active = watch(f"{path}.active", active)
        return watch(f"{path}.out", functions.linear(active, self.W_2, self.b_2))
