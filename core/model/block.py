"""One layer: attention, then feed-forward, each added to the residual stream.

In and out: the stream [..., n, d_model]. With norm_place "pre" each part reads a normed
copy (GPT-2, Llama); with "post" the sum is normed before it goes on (2017). In a
decoder that has an encoder beside it, cross attention stands between the two.
Steps: resid_in ... resid_out.
"""

from collections.abc import Iterable

from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.attention import Attention
from core.model.experts import Experts
from core.model.feed_forward import FeedForward
from core.model.forward_pass import ForwardPass


class Block(nn.Module):
    """One layer of the model, such as "layers.0"."""

    def __init__(
        self, config: ModelConfig, path: str, layer: int, *, has_cross: bool = False
    ) -> None:
        super().__init__()
        self.path = path
        self.is_added = config.residual
        self.sums_are_normed = config.norm_place == "post"
        self.reads_normed = config.reads_normed
        self.attn = Attention(config, f"{path}.attn", layer)
        self.cross: Attention | None = None
        if has_cross:
            self.cross = Attention(config, f"{path}.cross", layer, is_cross=True)
        network = Experts if config.n_experts else FeedForward
        self.ffn = network(config, f"{path}.ffn") if config.feed_forward else None
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, stream: Tensor, shared: ForwardPass) -> Tensor:
        """[..., n, d_model] -> [..., n, d_model]."""
        watch, path = shared.watch, self.path
        stream = watch(f"{path}.resid_in", stream)
        stream = self._through("attn", "resid_mid", stream, shared)
        if self.cross is not None:
            stream = self._through("cross", "resid_cross", stream, shared)
        if self.ffn is None:
            return watch(f"{path}.resid_out", functions.same(stream))
        return self._through("ffn", "resid_out", stream, shared)

    def _through(
        self, name: str, total: str, stream: Tensor, shared: ForwardPass
    ) -> Tensor:
        """Let one part read the stream, and add what it makes of it."""
        watch, part = shared.watch, getattr(self, name)
        norm = f"{self.path}.{name}.norm"
        x = watch(norm, part.norm(stream)) if self.reads_normed else stream
        out = self.dropout(part(x, shared))
        stream = functions.add(stream, out) if self.is_added else functions.same(out)
        stream = watch(f"{self.path}.{total}", stream)
        return watch(norm, part.norm(stream)) if self.sums_are_normed else stream


def through_layers(
    layers: Iterable[nn.Module], stream: Tensor, shared: ForwardPass
) -> Tensor:
    """All layers of a side, one after the other. [..., n, d_model] -> the same."""
    for block in layers:
        stream = block(stream, shared)
    return stream
