"""Many feed-forward networks in a layer, and a router that sends tokens to a few.

In and out: [..., n, d_model]. Shazeer et al. 2017; as in Mixtral (Jiang et al. 2024),
the chosen experts' shares are made to add up to one. Every expert answers every token,
so that each answer can be looked at; the sum takes those that were chosen.
Steps: ffn.router, ffn.shares, ffn.chosen, ffn.gate, ffn.hidden, ffn.active,
ffn.experts, ffn.out.
"""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.forward_pass import ForwardPass
from core.model.norm import NORMS
from core.model.recording import Watcher


class Experts(nn.Module):
    """Score the experts, let each widen, bend and narrow, weigh their answers."""

    def __init__(self, config: ModelConfig, path: str) -> None:
        super().__init__()
        self.path = path
        self.activation = config.activation
        self.n_chosen = config.n_experts_per_token
        self.norm = NORMS[config.norm](config)
        n, d_model, d_ff = config.n_experts, config.d_model, config.d_ff
        self.W_R = nn.Parameter(torch.empty(d_model, n))
        self.W_G: nn.Parameter | None = None
        if config.gated:
            self.W_G = nn.Parameter(torch.empty(n, d_model, d_ff))
        self.W_1 = nn.Parameter(torch.empty(n, d_model, d_ff))
        self.W_2 = nn.Parameter(torch.empty(n, d_ff, d_model))
        self.b_G = self.b_1 = self.b_2 = None
        if config.bias:
            self.b_G = nn.Parameter(torch.zeros(n, d_ff)) if config.gated else None
            self.b_1 = nn.Parameter(torch.zeros(n, d_ff))
            self.b_2 = nn.Parameter(torch.zeros(n, d_model))

    def forward(self, x: Tensor, shared: ForwardPass) -> Tensor:
        """[..., n, d_model] -> [..., n, d_model]."""
        path, watch = self.path, shared.watch
        router = watch(f"{path}.router", functions.linear(x, self.W_R))
        shares = watch(f"{path}.shares", functions.softmax(router))
        chosen = watch(f"{path}.chosen", functions.choose(shares, self.n_chosen))
        answers = functions.map_experts(self._active(x, watch), self.W_2, self.b_2)
        answers = watch(f"{path}.experts", answers)
        return watch(f"{path}.out", functions.weigh_experts(chosen, answers))

    def _active(self, x: Tensor, watch: Watcher) -> Tensor:
        """The hidden layers behind the bend: [..., n_experts, n, d_ff]."""
        path, gates = self.path, None
        if self.W_G is not None:
            asked = functions.ask_experts(x, self.W_G, self.b_G)
            gates = watch(f"{path}.gate", asked)
        asked = functions.ask_experts(x, self.W_1, self.b_1)
        hidden = watch(f"{path}.hidden", asked)
        if gates is None:
            active = functions.ACTIVATIONS[self.activation](hidden)
        else:
            active = functions.gate(gates, hidden, self.activation)
        return watch(f"{path}.active", active)
