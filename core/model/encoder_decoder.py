"""A model of two sides: the encoder reads one text, the decoder writes another.

In: the source's ids [..., n_source], the ids of the text so far [..., n]. Out: logits
[..., n, n_vocab]. Weights are addressed like steps: `decoder.layers.0.cross.W_Q`; both
sides share the table of embeddings, `embed.W_E`. Paper: Vaswani et al. 2017.
"""

import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model import masks
from core.model.block import Block, through_layers
from core.model.embed import Embed, Table
from core.model.forward_pass import ForwardPass
from core.model.kv_cache import KeyValueCache
from core.model.norm import NORMS
from core.model.recording import NOBODY, Watcher
from core.model.transformer import Transformer


class LastNorm(nn.Module):
    """What follows the encoder's last layer: `encoder.output.norm`."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = NORMS[config.norm](config)


class Side(nn.Module):
    """Embedding and layers of the encoder, or of the decoder."""

    def __init__(self, config: ModelConfig, name: str, n_layers: int) -> None:
        super().__init__()
        is_decoder = name == "decoder"
        self.embed = Embed(config, f"{name}.embed")
        self.layers = nn.ModuleList(
            Block(config, f"{name}.layers.{i}", i, has_cross=is_decoder)
            for i in range(n_layers)
        )
        self.dropout = nn.Dropout(config.dropout)
        self.output: LastNorm | None = None
        if not is_decoder and config.reads_normed:
            self.output = LastNorm(config)

    def forward(self, ids: Tensor, table: Tensor, shared: ForwardPass) -> Tensor:
        """[..., n] -> [..., n, d_model]."""
        stream = self.embed(ids, table, shared.positions, shared.watch)
        stream = through_layers(self.layers, self.dropout(stream), shared)
        if self.output is None:
            return stream
        return shared.watch("encoder.output.norm", self.output.norm(stream))


class EncoderDecoder(Transformer):
    """An encoder, a decoder that looks at it, and one output."""

    def _make_sides(self) -> None:
        config = self.config
        self.embed = Table(config)  # type: ignore[assignment]  # for both sides
        self.encoder = Side(config, "encoder", config.n_encoder_layers)
        self.decoder = Side(config, "decoder", config.n_layers)

    def forward(  # type: ignore[override]  # a source comes in addition
        self,
        ids: Tensor,
        watch: Watcher = NOBODY,
        cache: KeyValueCache | None = None,
        *,
        source: Tensor | None = None,
        source_is_token: Tensor | None = None,
        last_only: bool = False,
    ) -> Tensor:
        """Score every token for the place behind each token of the text so far.

        [..., n], source [..., n_source] -> [..., n, n_vocab], or [..., 1, n_vocab] with
        `last_only`. With a cache, `ids` are the tokens after those it has read, and the
        source is given with the first of them alone. `source_is_token` [..., n_source]
        of bool is False at padding, which no token looks at.
        """
        n = ids.shape[-1]
        memory = None
        if source is not None:
            if source_is_token is None:
                n_source = source.shape[-1]
                source_is_token = torch.ones(n_source, device=ids.device).bool()
            memory = self._read(source, source_is_token, watch)
            if cache is not None:
                cache.source_is_token = source_is_token
        elif cache is not None:
            source_is_token = cache.source_is_token
        if source_is_token is None:
            raise ValueError("a model of two sides needs a source to look at")
        shared = self._of_decoder(n, watch, cache, memory, source_is_token)
        stream = self.decoder(ids, self.table, shared)
        if cache is not None:
            cache.advance(n)
        if last_only:
            stream = stream[..., -1:, :]
        logits: Tensor = self.output(stream, self.table, watch)
        return logits

    def _read(self, source: Tensor, is_token: Tensor, watch: Watcher) -> Tensor:
        """The encoder's last rows. [..., n_source] -> [..., n_source, d_model]."""
        one = is_token if is_token.ndim == 1 else torch.ones_like(is_token[0])
        positions = masks.positions_of(one, self.config)
        allowed = masks.unpadded_mask(is_token)
        bias = self.encoder.embed.bias(positions, positions, is_both=True)
        shared = ForwardPass(watch, positions, allowed, bias)
        rows: Tensor = self.encoder(source, self.table, shared)
        return rows

    def _of_decoder(
        self,
        n: int,
        watch: Watcher,
        cache: KeyValueCache | None,
        memory: Tensor | None,
        source_is_token: Tensor,
    ) -> ForwardPass:
        n_read = 0 if cache is None else cache.n_read
        every = torch.arange(n_read + n, device=source_is_token.device)
        every = every + self.config.position_offset
        positions = every[n_read:]
        return ForwardPass(
            watch,
            positions,
            bias=self.decoder.embed.bias(positions, every, is_both=False),
            cache=cache,
            memory=memory,
            memory_allowed=masks.crossed_mask(n, source_is_token),
        )


def model_of(config: ModelConfig) -> Transformer:
    """The model that a configuration tells of, with freshly drawn weights."""
    return EncoderDecoder(config) if config.has_encoder else Transformer(config)


def n_parameters(config: ModelConfig) -> int:
    """Count the weights of a configuration without making them; tied ones once."""
    with torch.device("meta"):
        return sum(weight.numel() for weight in model_of(config).parameters())
