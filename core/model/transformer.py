"""The whole model: ids in, logits out, every step shown to whoever watches.

In: token ids [..., n]. Out: logits [..., n, n_vocab]. Weights are addressed like steps:
`layers.0.attn.W_Q`. Papers: Vaswani et al. 2017, decoder only; Devlin et al. 2018.
"""

import math

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import functions
from core.model.block import Block
from core.model.kv_cache import KeyValueCache
from core.model.norm import NORMS
from core.model.position import ADDED_POSITIONS
from core.model.recording import NOBODY, Watcher

TABLES = ("W_E", "W_P", "W_S", "W_U")
TABLE_DEVIATION = 0.02
"""Of what is looked up, and of what logits are read off with; as in GPT-2."""


class Embed(nn.Module):
    """Token ids become rows, and rows learn where they stand."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.W_E = nn.Parameter(torch.empty(config.n_vocab, config.d_model))
        self.position: nn.Module | None = None
        if config.position in ADDED_POSITIONS:
            self.position = ADDED_POSITIONS[config.position](config)
        self.W_S: nn.Parameter | None = None
        if config.n_segments:
            self.W_S = nn.Parameter(torch.empty(config.n_segments, config.d_model))
        self.norm = NORMS[config.norm](config) if config.norm_embeddings else None

    def forward(
        self, ids: Tensor, positions: Tensor, segments: Tensor | None, watch: Watcher
    ) -> Tensor:
        """[..., n] -> [..., n, d_model]; `segments` [n], without them all the first."""
        x = watch("embed.token", functions.lookup(ids, self.W_E))
        if self.config.scale_embeddings:
            d_model = self.config.d_model
            x = watch("embed.scaled", functions.scale_embedding(x, d_model))
        added = []
        if self.position is not None:
            added.append(watch("embed.position", self.position(positions)))
        if self.W_S is not None:
            if segments is None:
                segments = torch.zeros_like(positions)
            rows = functions.lookup(segments, self.W_S)
            added.append(watch("embed.segment", rows))
        if added:
            x = watch("embed.sum", functions.add(x, *added))
        return x if self.norm is None else watch("embed.norm", self.norm(x))


class Output(nn.Module):
    """The stream becomes a score for every token of the vocabulary."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.W_T = self.b_T = self.b_U = None
        is_masked = config.output_head == "masked"
        if is_masked or config.output_head == "pooled":
            self.W_T = nn.Parameter(torch.empty(config.d_model, config.d_model))
            self.b_T = nn.Parameter(torch.zeros(config.d_model))
        if is_masked:
            self.b_U = nn.Parameter(torch.zeros(config.n_vocab))
        has_norm = is_masked or (config.norm_place == "pre" and config.norm != "none")
        self.norm = NORMS[config.norm](config) if has_norm else None
        self.W_U: nn.Parameter | None = None
        if not config.tie_embeddings:
            self.W_U = nn.Parameter(torch.empty(config.d_model, config.n_vocab))

    def forward(self, stream: Tensor, W_E: Tensor, watch: Watcher) -> Tensor:
        """[..., n, d_model] -> [..., n, n_vocab]; without logits, what follows."""
        if self.config.output_head == "none":
            return stream
        if self.config.output_head == "pooled":
            stream = watch("output.first", functions.first_row(stream))
        if self.W_T is not None:
            dense = functions.linear(stream, self.W_T, self.b_T)
            stream = watch("output.dense", dense)
        if self.config.output_head == "pooled":
            return watch("output.pooled", functions.tanh(stream))
        if self.config.output_head == "masked":
            bend = functions.ACTIVATIONS[self.config.activation]
            stream = watch("output.active", bend(stream))
        if self.norm is not None:
            stream = watch("output.norm", self.norm(stream))
        if self.W_U is None:
            logits = functions.unembed(stream, W_E, self.b_U)
        else:
            logits = functions.linear(stream, self.W_U, self.b_U)
        return watch("output.logits", logits)


class Transformer(nn.Module):
    """A transformer of one stack, with freshly drawn weights."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embed = Embed(config)
        self.layers = nn.ModuleList(Block(config, i) for i in range(config.n_layers))
        self.output = Output(config)
        self.dropout = nn.Dropout(config.dropout)
        self._draw_weights()

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
            offset = config.position_offset
            positions = functions.padded_positions(is_token, offset)
        elif cache is None:
            positions = torch.arange(n, device=ids.device)
        else:
            positions = cache.positions(n)
        allowed = self._allowed(positions, is_token, cache)
        stream = self.dropout(self.embed(ids, positions, segments, watch))
        for block in self.layers:
            stream = block(stream, positions, watch, cache, allowed)
        if cache is not None:
            cache.advance(n)
        if last_only and config.output_head != "pooled":
            stream = stream[..., -1:, :]
        logits: Tensor = self.output(stream, self.embed.W_E, watch)
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
            allowed = functions.MASKS[self.config.attention](is_token)
            return functions.windowed(allowed, positions, window)
        n_query, n_read = len(positions), 0 if cache is None else cache.n_read
        if not window or n_read + n_query <= window:
            return None
        every = torch.arange(n_read + n_query, device=positions.device)
        allowed = functions.causal_mask(n_query, len(every), positions.device)
        return functions.windowed(allowed, every, window)

    def weights(self) -> dict[str, Tensor]:
        """Every weight by its address, such as `layers.0.attn.W_Q`."""
        return dict(self.named_parameters())

    def _draw_weights(self) -> None:
        """Draw tables small, and matrices so that they keep the size of what they read.

        LeCun et al. 1998 (section 4.6): a deviation of 1 / sqrt(rows). Matrices that
        add to the stream share its growth between them, as in GPT-2.
        """
        if self.embed.W_E.is_meta:
            return  # shapes alone: torch would take 0.1 s to draw nothing
        share = 1 / math.sqrt(2 * self.config.n_layers)
        for address, weight in self.named_parameters():
            name = address.rpartition(".")[2]
            if name in TABLES:
                nn.init.normal_(weight, std=TABLE_DEVIATION)
            elif name.startswith("W_"):
                size = share if name in ("W_O", "W_2") else 1.0
                is_expert = ".ffn." in address  # its rows are the axis before the last
                n_rows = weight.shape[-2 if is_expert else 0]
                nn.init.normal_(weight, std=size / math.sqrt(n_rows))


def n_parameters(config: ModelConfig) -> int:
    """Count the weights of a configuration without making them; tied ones once."""
    with torch.device("meta"):
        return sum(weight.numel() for weight in Transformer(config).parameters())
