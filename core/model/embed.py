"""Token ids become rows, and rows learn where they stand.

In: ids [..., n]. Out: the stream [..., n, d_model]. Steps: embed.token ... embed.norm.
"""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.norm import NORMS
from core.model.position import ADDED_POSITIONS
from core.model.recording import Watcher


class Table(nn.Module):
    """A row for each token, which both sides of a model read."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.W_E = nn.Parameter(torch.empty(config.n_vocab, config.d_model))


class Embed(nn.Module):
    """What one side of a model makes of token ids."""

    def __init__(self, config: ModelConfig, path: str) -> None:
        super().__init__()
        self.config = config
        self.path = path
        self.W_E: nn.Parameter | None = None
        if not config.has_encoder:
            self.W_E = nn.Parameter(torch.empty(config.n_vocab, config.d_model))
        self.position: nn.Module | None = None
        if config.position in ADDED_POSITIONS:
            self.position = ADDED_POSITIONS[config.position](config)
        self.W_S: nn.Parameter | None = None
        if config.n_segments:
            self.W_S = nn.Parameter(torch.empty(config.n_segments, config.d_model))
        self.W_B: nn.Parameter | None = None
        if config.position == "relative":
            n_buckets, n_heads = config.relative_buckets, config.n_heads
            self.W_B = nn.Parameter(torch.empty(n_buckets, n_heads))
        self.norm = NORMS[config.norm](config) if config.norm_embeddings else None

    def forward(
        self,
        ids: Tensor,
        table: Tensor,
        positions: Tensor,
        watch: Watcher,
        segments: Tensor | None = None,
    ) -> Tensor:
        """[..., n], [n_vocab, d_model] -> [..., n, d_model].

        `segments` [n]: of which part each token is; without them all are of the first.
        """
        path = self.path
        x = watch(f"{path}.token", functions.lookup(ids, table))
        if self.config.scale_embeddings:
            d_model = self.config.d_model
            x = watch(f"{path}.scaled", functions.scale_embedding(x, d_model))
        added = []
        if self.position is not None:
            added.append(watch(f"{path}.position", self.position(positions)))
        if self.W_S is not None:
            if segments is None:
                segments = torch.zeros_like(positions)
            rows = functions.lookup(segments, self.W_S)
            added.append(watch(f"{path}.segment", rows))
        if added:
            x = watch(f"{path}.sum", functions.add(x, *added))
        return x if self.norm is None else watch(f"{path}.norm", self.norm(x))

    def bias(self, queries: Tensor, keys: Tensor, *, is_both: bool) -> Tensor | None:
        """What scores are shifted by, for all layers: [n_heads, n_query, n_key]."""
        if self.W_B is None:
            return None
        op = functions.relative_bias if is_both else functions.relative_bias_back
        return op(queries, keys, self.W_B, self.config.relative_distance)
