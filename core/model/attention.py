"""Multi-head attention: what each token takes from the tokens it looks at.

In: the residual stream (normed, or plain where the norm comes after) [..., n, d_model].
Out: the same shape, to be added to it. Paper: section 3.2. In a decoder's cross
attention the keys and values are of the encoder's rows.
Steps: attn.q ... attn.out.
"""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.forward_pass import ForwardPass
from core.model.masks import causal_mask
from core.model.norm import NORMS, HeadNorm


class Attention(nn.Module):
    """All heads of one attention, such as "layers.0.attn"."""

    def __init__(
        self, config: ModelConfig, path: str, layer: int, *, is_cross: bool = False
    ) -> None:
        super().__init__()
        self.config = config
        self.path = path
        self.layer = layer
        self.is_cross = is_cross
        self.is_turned = config.position == "rotary" and not is_cross
        self.norm = NORMS[config.norm](config)
        d_model, d_head = config.d_model, config.d_head
        self.W_Q = nn.Parameter(torch.empty(d_model, config.n_heads, d_head))
        self.W_K = nn.Parameter(torch.empty(d_model, config.n_kv_heads, d_head))
        self.W_V = nn.Parameter(torch.empty(d_model, config.n_kv_heads, d_head))
        self.W_O: nn.Parameter | None = None
        if config.mix_heads:
            self.W_O = nn.Parameter(torch.empty(config.d_heads, d_model))
        self.q_normed = HeadNorm(config) if config.norm_qk else None
        self.k_normed = HeadNorm(config) if config.norm_qk else None
        self.b_Q = self.b_K = self.b_V = self.b_O = None
        if config.has_bias("b_Q"):
            self.b_Q = nn.Parameter(torch.zeros(config.n_heads, d_head))
            self.b_K = nn.Parameter(torch.zeros(config.n_kv_heads, d_head))
            self.b_V = nn.Parameter(torch.zeros(config.n_kv_heads, d_head))
        if config.bias and config.mix_heads:
            self.b_O = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor, shared: ForwardPass) -> Tensor:
        """[..., n, d_model] -> [..., n, d_model]."""
        path, watch = self.path, shared.watch
        q = watch(f"{path}.q", functions.project_heads(x, self.W_Q, self.b_Q))
        if self.is_cross and shared.memory is None and shared.cache is not None:
            k, v = shared.cache.remembered(self.layer)
        else:
            seen = shared.memory if self.is_cross else x
            assert seen is not None, f"{path} has nothing to look at"
            k = watch(f"{path}.k", functions.project_heads(seen, self.W_K, self.b_K))
            v = watch(f"{path}.v", functions.project_heads(seen, self.W_V, self.b_V))
        q, k = self._prepared(q, k, shared)
        if shared.cache is not None and self.is_cross:
            shared.cache.remember(self.layer, k, v)
        elif shared.cache is not None:
            k, v = shared.cache.extend(self.layer, k, v)
        heads = watch(f"{path}.heads", self._mixed(q, k, v, shared))
        joined = watch(f"{path}.concat", functions.concat(heads))
        if self.W_O is None:
            return watch(f"{path}.out", functions.same(joined))
        return watch(f"{path}.out", functions.linear(joined, self.W_O, self.b_O))

    def _prepared(
        self, q: Tensor, k: Tensor, shared: ForwardPass
    ) -> tuple[Tensor, Tensor]:
        """Queries and keys, normed and turned where the model does so."""
        path, watch = self.path, shared.watch
        if self.q_normed is not None and self.k_normed is not None:
            q = watch(f"{path}.q_normed", self.q_normed(q))
            k = watch(f"{path}.k_normed", self.k_normed(k))
        if self.is_turned:
            q = watch(f"{path}.q_rotated", self._turned(q, shared.positions))
            k = watch(f"{path}.k_rotated", self._turned(k, shared.positions))
        return q, k

    def _turned(self, x: Tensor, positions: Tensor) -> Tensor:
        turn = functions.ROTATIONS[self.config.rotary_scaling]
        return turn(x, positions, *self.config.rotary_settings)

    def _mixed(self, q: Tensor, k: Tensor, v: Tensor, shared: ForwardPass) -> Tensor:
        """The heads' outputs, fused, or step by step for who asks for its rows."""
        allowed = shared.memory_allowed if self.is_cross else shared.allowed
        bias = None if self.is_cross else shared.bias
        if shared.watch.asks_for_rows(self.path):
            if allowed is None:
                allowed = causal_mask(q.shape[-2], k.shape[-2], q.device)
            pattern = self._pattern(q, k, allowed, bias, shared)
            return functions.mix(pattern, v)
        dropout = self.config.dropout if self.training else 0.0
        is_scaled = self.config.scale_scores
        return functions.attend(q, k, v, dropout, allowed, bias, is_scaled=is_scaled)

    def _pattern(
        self,
        q: Tensor,
        k: Tensor,
        allowed: Tensor,
        bias: Tensor | None,
        shared: ForwardPass,
    ) -> Tensor:
        """The n x n road; `attend` is the fused one."""
        path, watch = self.path, shared.watch
        scores = watch(f"{path}.scores", functions.dot_products(q, k))
        if self.config.scale_scores:
            scaled = functions.scale(scores, self.config.d_head)
            scores = watch(f"{path}.scaled", scaled)
        if bias is not None:
            bias = watch(f"{path}.bias", bias)
            scores = watch(f"{path}.biased", functions.add(scores, bias))
        masked = watch(f"{path}.masked", functions.mask(scores, allowed))
        return watch(f"{path}.pattern", functions.softmax(masked))
