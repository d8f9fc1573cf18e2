"""Multi-head attention: what each token takes from the tokens before it.

In: the residual stream (normed, or plain where the norm comes after) [..., n, d_model].
Out: the same shape, to be added to it. Paper: section 3.2.
Steps: attn.q ... attn.out.
"""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.kv_cache import KeyValueCache
from core.model.norm import NORMS, HeadNorm
from core.model.recording import Watcher


class Attention(nn.Module):
    """All heads of one layer."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.config = config
        self.layer = layer
        self.path = f"layers.{layer}.attn"
        self.norm = NORMS[config.norm](config)
        d_model, d_head = config.d_model, config.d_head
        self.W_Q = nn.Parameter(torch.empty(d_model, config.n_heads, d_head))
        self.W_K = nn.Parameter(torch.empty(d_model, config.n_kv_heads, d_head))
        self.W_V = nn.Parameter(torch.empty(d_model, config.n_kv_heads, d_head))
        self.W_O = nn.Parameter(torch.empty(config.d_heads, d_model))
        self.q_normed = HeadNorm(config) if config.norm_qk else None
        self.k_normed = HeadNorm(config) if config.norm_qk else None
        self.b_Q = self.b_K = self.b_V = self.b_O = None
        if config.has_bias("b_Q"):
            self.b_Q = nn.Parameter(torch.zeros(config.n_heads, d_head))
            self.b_K = nn.Parameter(torch.zeros(config.n_kv_heads, d_head))
            self.b_V = nn.Parameter(torch.zeros(config.n_kv_heads, d_head))
        if config.bias:
            self.b_O = nn.Parameter(torch.zeros(d_model))

    def forward(
        self,
        x: Tensor,
        positions: Tensor,
        watch: Watcher,
        cache: KeyValueCache | None = None,
        allowed: Tensor | None = None,
    ) -> Tensor:
        """[..., n, d_model] -> [..., n, d_model].

        `allowed` is [n_query, n_key] of bool; None is the causal mask.
        """
        path = self.path
        q = watch(f"{path}.q", functions.project_heads(x, self.W_Q, self.b_Q))
        k = watch(f"{path}.k", functions.project_heads(x, self.W_K, self.b_K))
        v = watch(f"{path}.v", functions.project_heads(x, self.W_V, self.b_V))
        if self.q_normed is not None and self.k_normed is not None:
            q = watch(f"{path}.q_normed", self.q_normed(q))
            k = watch(f"{path}.k_normed", self.k_normed(k))
        if self.config.position == "rotary":
            q = watch(f"{path}.q_rotated", self._turned(q, positions))
            k = watch(f"{path}.k_rotated", self._turned(k, positions))
        if cache is not None:
            k, v = cache.extend(self.layer, k, v)
        if watch.asks_for_rows(path):
            if allowed is None:
                allowed = functions.causal_mask(q.shape[-2], k.shape[-2], q.device)
            heads = self._step_by_step(q, k, v, allowed, watch)
        else:
            dropout = self.config.dropout if self.training else 0.0
            heads = functions.attend(q, k, v, dropout, allowed)
        heads = watch(f"{path}.heads", heads)
        joined = watch(f"{path}.concat", functions.concat(heads))
        return watch(f"{path}.out", functions.linear(joined, self.W_O, self.b_O))

    def _turned(self, x: Tensor, positions: Tensor) -> Tensor:
        turn = functions.ROTATIONS[self.config.rotary_scaling]
        return turn(x, positions, *self.config.rotary_settings)

    def _step_by_step(
        self, q: Tensor, k: Tensor, v: Tensor, allowed: Tensor, watch: Watcher
    ) -> Tensor:
        """The n x n road, for who asks for its rows; `attend` is the fused one."""
        path = self.path
        scores = watch(f"{path}.scores", functions.dot_products(q, k))
        scaled = watch(f"{path}.scaled", functions.scale(scores, self.config.d_head))
        masked = watch(f"{path}.masked", functions.mask(scaled, allowed))
        pattern = watch(f"{path}.pattern", functions.softmax(masked))
        return functions.mix(pattern, v)
