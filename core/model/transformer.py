"""The whole model: ids in, logits out, every step shown to whoever watches.

In: token ids [..., n]. Out: logits [..., n, n_vocab]. Weights are addressed like steps:
`layers.0.attn.W_Q`. Papers: Vaswani et al. 2017, decoder only; Devlin et al. 2018. A
model of two sides is in `encoder_decoder`; its `model_of` makes either.
"""

import math

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import masks
from core.model.block import Block, through_layers
from core.model.embed import Embed
from core.model.forward_pass import ForwardPass
from core.model.kv_cache import KeyValueCache
from core.model.output import Output
from core.model.recording import NOBODY, Watcher

TABLES = ("W_E", "W_P", "W_S", "W_B", "W_U")
TABLE_DEVIATION = 0.02
"""Of what is looked up, and of what logits are read off with; as in GPT-2."""


class Transformer(nn.Module):
    """A transformer of one stack, with freshly drawn weights."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self._make_sides()
        self.output = Output(config)
        self.dropout = nn.Dropout(config.dropout)
        self._draw_weights()

    def _make_sides(self) -> None:
        config = self.config
        self.embed = Embed(config, "embed")
        self.layers = nn.ModuleList(
            Block(config, f"layers.{i}", i) for i in range(config.n_layers)
        )

    @property
    def table(self) -> Tensor:
        """The embeddings of all tokens, [n_vocab, d_model]."""
        assert self.embed.W_E is not None
        return self.embed.W_E

    def forward(
        self,
        ids: Tensor,
        watch: Watcher = NOBODY,
        cache: KeyValueCache | None = None,
        *,
        last_only: bool = False,
        is_token: Tensor | None = None,
        segments: Tensor | None = None,
    ) -> Tensor:
        """Score every token for each place: the next one, or the one that is masked.

        [..., n] -> [..., n, n_vocab], or [..., 1, n_vocab] with `last_only`. With a
        cache, `ids` are the tokens after those it has read. `is_token` [n] of bool is
        False at padding, which no token looks at or counts; not with a cache.
        `segments` [n] says which part of the text each token is of.
        """
        n, config = ids.shape[-1], self.config
        if is_token is None and (config.attention == "both" or config.position_offset):
            is_token = torch.ones(n, dtype=torch.bool, device=ids.device)
        if is_token is not None:
            positions = masks.positions_of(is_token, config)
        elif cache is None:
            positions = torch.arange(n, device=ids.device)
        else:
            positions = cache.positions(n)
        keys = positions if cache is None else cache.all_positions(n)
        bias = self.embed.bias(positions, keys, is_both=config.attention == "both")
        allowed = self._allowed(positions, is_token, cache)
        shared = ForwardPass(watch, positions, allowed, bias, cache)
        stream = self.embed(ids, self.table, positions, watch, segments)
        stream = through_layers(self.layers, self.dropout(stream), shared)
        if cache is not None:
            cache.advance(n)
        if last_only and config.output_head != "pooled":
            stream = stream[..., -1:, :]
        logits: Tensor = self.output(stream, self.table, watch)
        return logits

    def _allowed(
        self,
        positions: Tensor,
        is_token: Tensor | None,
        cache: KeyValueCache | None,
    ) -> Tensor | None:
        """Who may look at whom, [n_query, n_key]; None for everything before."""
        window = self.config.window
        if is_token is not None:
            allowed = masks.MASKS[self.config.attention](is_token)
            return masks.windowed(allowed, positions, window)
        n_query, n_read = len(positions), 0 if cache is None else cache.n_read
        if not window or n_read + n_query <= window:
            return None
        every = torch.arange(n_read + n_query, device=positions.device)
        allowed = masks.causal_mask(n_query, len(every), positions.device)
        return masks.windowed(allowed, every, window)

    def weights(self) -> dict[str, Tensor]:
        """Every weight by its address, such as `layers.0.attn.W_Q`."""
        return dict(self.named_parameters())

    def _draw_weights(self) -> None:
        """Draw tables small, and matrices so that they keep the size of what they read.

        LeCun et al. 1998 (section 4.6): a deviation of 1 / sqrt(rows). Matrices that
        add to the stream share its growth between them, as in GPT-2.
        """
        if self.table.is_meta:
            return  # shapes alone: torch would take 0.1 s to draw nothing
        parts = 3 if self.config.has_encoder else 2
        share = 1 / math.sqrt(parts * self.config.n_layers)
        for address, weight in self.named_parameters():
            name = address.rpartition(".")[2]
            if name in TABLES:
                nn.init.normal_(weight, std=TABLE_DEVIATION)
            elif name.startswith("W_"):
                size = share if name in ("W_O", "W_2") else 1.0
                is_expert = ".ffn." in address  # its rows are the axis before the last
                n_rows = weight.shape[-2 if is_expert else 0]
                nn.init.normal_(weight, std=size / math.sqrt(n_rows))
