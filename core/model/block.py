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
        self.sums_are_normed = config.norm_place == "post"
        self.reads_normed = not self.sums_are_normed and config.norm != "none"
        self.attn = Attention(config, layer)
        network = Experts if config.n_experts else FeedForward
        self.ffn = network(config, layer) if config.feed_forward else None
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

        x = self._normed("attn", stream, watch) if self.reads_normed else stream
        out = self.dropout(self.attn(x, positions, watch, cache, allowed))
        stream = watch(f"{path}.resid_mid", functions.add(stream, out))
        if self.sums_are_normed:
            stream = self._normed("attn", stream, watch)

        if self.ffn is None:
            return watch(f"{path}.resid_out", functions.same(stream))
        x = self._normed("ffn", stream, watch) if self.reads_normed else stream
        out = self.dropout(self.ffn(x, watch))
        stream = watch(f"{path}.resid_out", functions.add(stream, out))
        if self.sums_are_normed:
            stream = self._normed("ffn", stream, watch)
        return stream

    def _normed(self, part: str, stream: Tensor, watch: Watcher) -> Tensor:
        norm = getattr(self, part).norm
        return watch(f"{self.path}.{part}.norm", norm(stream))
