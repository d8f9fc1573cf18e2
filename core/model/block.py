"""One layer: attention, then feed-forward, each added to the residual stream.

In and out: the stream [..., n, d_model]. With norm_place "pre" each part reads a normed
copy (GPT-2, Llama); with "post" the sum is normed before it goes on (2017).
Steps: resid_in ... resid_out.
"""

from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.attention import Attention
from core.model.experts import Experts
from core.model.feed_forward import FeedForward
from core.model.kv_cache import KeyValueCache
from core.model.recording import Watcher


class Block(nn.Module):
    """One layer of the model."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.path = f"layers.{layer}"
        self.norm_is_first = config.norm_place == "pre"
        self.attn = Attention(config, layer)
        self.ffn = (Experts if config.n_experts else FeedForward)(config, layer)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        stream: Tensor,
        positions: Tensor,
        watch: Watcher,
        cache: KeyValueCache | None = None,
        allowed: Tensor | None = None,
    ) -> Tensor:
        """[..., n, d_model] -> [..., n, d_model]."""
        path = self.path
        stream = watch(f"{path}.resid_in", stream)

        x = self._normed("attn", stream, watch) if self.norm_is_first else stream
        out = self.dropout(self.attn(x, positions, watch, cache, allowed))
        stream = watch(f"{path}.resid_mid", functions.add(stream, out))
        if not self.norm_is_first:
            stream = self._normed("attn", stream, watch)

        x = self._normed("ffn", stream, watch) if self.norm_is_first else stream
        out = self.dropout(self.ffn(x, watch))
        stream = watch(f"{path}.resid_out", functions.add(stream, out))
        if not self.norm_is_first:
            stream = self._normed("ffn", stream, watch)
        return stream

    def _normed(self, part: str, stream: Tensor, watch: Watcher) -> Tensor:
        norm = self.attn.norm if part == "attn" else self.ffn.norm
        return watch(f"{self.path}.{part}.norm", norm(stream))
