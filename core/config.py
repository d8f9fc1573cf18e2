"""The configuration of a model: what it is made of, before a single weight exists.

Every field has a sentence; a value that cannot work is refused with the field's name.
`steps_for(config)` turns it into the list of computations, `model_of(config)` into
weights.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.config_checks import check_config, check_counts, check_shares
from core.errors import ConfigError
from core.kinds import (
    Activation,
    AttentionKind,
    Norm,
    NormPlace,
    OutputHead,
    Position,
    RotaryScaling,
)

ROTARY_FIELDS: dict[str, tuple[str, ...]] = {
    "none": ("rotary_base",),
    "linear": ("rotary_base", "rotary_factor"),
    "llama3": (
        "rotary_base",
        "rotary_factor",
        "rotary_low",
        "rotary_high",
        "rotary_n_ctx",
    ),
}
"""What the turning of queries and keys is computed from, by `rotary_scaling`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """A transformer. Immutable; checked when it is made.

    With `n_encoder_layers` it has two sides: an encoder reads a source text, and the
    layers of the decoder look at what it made of it while they write another.
    """

    n_vocab: int = 2048
    """Tokens the model knows."""
    n_ctx: int = 256
    """Tokens it can read at once."""
    d_model: int = 192
    """Width of the residual stream."""
    n_layers: int = 4
    """Blocks of attention and feed-forward; of two sides, the decoder's."""
    n_encoder_layers: int = 0
    """Layers of an encoder, which reads a text of its own. 0 means there is none."""
    start_id: int = 0
    """Behind an encoder: the token that every text of the decoder begins with."""
    n_heads: int = 4
    """Attention heads per layer."""
    n_kv_heads: int = 0
    """Heads of keys and values; query heads share them in groups. 0 means n_heads."""
    d_head: int = 0
    """Width of one head. 0 means d_model / n_heads."""
    d_ff: int = 0
    """Width of the feed-forward network. 0 means 4 x d_model."""
    position: Position = "sinusoidal"
    """How the model knows the order.

    sinusoidal, learned: rows are added to the embeddings. rotary: queries and keys are
    turned. relative: scores are shifted by how far apart two tokens are.
    """
    position_offset: int = 0
    """Rows of a learned table before the first token's; 2 in RoBERTa."""
    sinusoid_base: float = 10000.0
    """Longest wavelength of added waves, over 2 pi; 10,000 in 2017."""
    sinusoid_halves: bool = False
    """All sines before all cosines, as in Marian, and not in turn, as in 2017."""
    count_padding: bool = False
    """Padding takes up positions, too, as in BART; or else only tokens are counted."""
    relative_buckets: int = 32
    """Rows of the table of shifts: near distances have one each, far ones share."""
    relative_distance: int = 128
    """Tokens from which on all distances share the last row."""
    rotary_base: float = 10000.0
    """Longest wavelength of rotary positions, over 2 pi."""
    rotary_scaling: RotaryScaling = "none"
    """How rotary positions were stretched after training, to read longer texts.

    linear turns everything more slowly; llama3 only what turns slowly anyway.
    """
    rotary_factor: float = 1.0
    """How much more slowly stretched rotary positions turn."""
    rotary_low: float = 1.0
    """llama3: pairs that turn less often than this in rotary_n_ctx are stretched."""
    rotary_high: float = 4.0
    """llama3: pairs that turn more often than this in rotary_n_ctx are left alone."""
    rotary_n_ctx: int = 8192
    """llama3: tokens that could be read before the stretching."""
    n_segments: int = 0
    """Parts of a text that are told apart by a learned row each; 2 in BERT."""
    norm_embeddings: bool = False
    """Norm the sum of token and position before the first layer."""
    attention: AttentionKind = "causal"
    """causal: a token looks at itself and those before it. both: at all of them."""
    window: int = 0
    """Keys that a token may look back over, its own among them. 0 means all."""
    scale_scores: bool = True
    """Divide scores by sqrt(d_head); T5 does not."""
    mix_heads: bool = True
    """Mix the heads by a matrix, W_O; without it they are laid side by side as is."""
    residual: bool = True
    """Add what a part makes to what it read; without it, that takes its place."""
    norm_qk: bool = False
    """Norm each head's queries and keys by RMS, before they are turned."""
    norm: Norm = "layer_norm"
    """Layer norm takes the mean away and divides by the deviation; RMS norm divides.

    none: rows are read as they are, which the smallest models can bear.
    """
    norm_place: NormPlace = "pre"
    """pre: each part reads a normed copy. post: the sum is normed, as in 2017."""
    feed_forward: bool = True
    """Follow attention with a feed-forward network; without it attention is all."""
    activation: Activation = "gelu"
    """The bend of the feed-forward network. gelu is exact, gelu_tanh its estimate."""
    gated: bool = False
    """Multiply the hidden layer by a second, activated one (GLU)."""
    n_experts: int = 0
    """Feed-forward networks in a layer, of which a router picks a few for each token.

    0 means one network, which reads every token (Shazeer et al. 2017 have many).
    """
    n_experts_per_token: int = 1
    """Experts that a token's row is sent to: those with its largest shares."""
    tie_embeddings: bool = True
    """Read logits off with the embedding table instead of a table of their own."""
    scale_embeddings: bool = False
    """Multiply embedding rows by sqrt(d_model) before positions are added."""
    bias: bool = True
    """Give linear maps and layer norms a bias."""
    qkv_bias: bool = False
    """Give queries, keys and values a bias, also where nothing else has one."""
    output_head: OutputHead = "unembed"
    """What follows the layers: logits, or what stands for the whole text.

    unembed: each row is compared with every token. masked: it is bent and normed
    first, as in BERT. pooled: the first row is bent by tanh. none: nothing follows.
    """
    output_bias: bool = False
    """Add a number of its own to each token's logit."""
    scale_output: bool = False
    """Divide the last rows by sqrt(d_model) before they are compared, as in T5."""
    dropout: float = 0.0
    """Share of values dropped, in training alone."""
    eps: float = 1e-5
    """Added under the root of a norm, against division by zero."""

    def __post_init__(self) -> None:
        check_counts(self)
        check_shares(self)
        for name, value in self._left_to_it().items():
            object.__setattr__(self, name, getattr(self, name) or value)
        check_config(self)

    @property
    def d_heads(self) -> int:
        """Width of all heads side by side; mostly d_model."""
        return self.n_heads * self.d_head

    @property
    def has_encoder(self) -> bool:
        """Whether it has two sides: one text is read, another is written."""
        return self.n_encoder_layers > 0

    @property
    def reads_normed(self) -> bool:
        """Whether a normed copy of the stream is read, by each part and at the end."""
        return self.norm_place == "pre" and self.norm != "none"

    @property
    def n_queries_per_key(self) -> int:
        """Query heads that share one head of keys and values."""
        return self.n_heads // self.n_kv_heads

    @property
    def has_logits(self) -> bool:
        """Whether it scores tokens: the next one, or the one that is masked."""
        return self.output_head in ("unembed", "masked")

    @property
    def writes(self) -> bool:
        """Whether it can go on with a text, a token at a time."""
        return self.output_head == "unembed" and self.attention == "causal"

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "ModelConfig":
        """Read a configuration from a file's table.

        Raises:
            ConfigError: A field is unknown or has an impossible value.
        """
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(fields) - known)
        if unknown:
            raise ConfigError(
                f"{unknown[0]} is not a field of a model; "
                f"the fields are {', '.join(sorted(known))}."
            )
        return cls(**fields)

    @property
    def rotary_settings(self) -> tuple[float, ...]:
        """The values of its `ROTARY_FIELDS`, in order."""
        return tuple(getattr(self, name) for name in ROTARY_FIELDS[self.rotary_scaling])

    def has_bias(self, name: str) -> bool:
        """Whether a linear map has a bias, by the last letter of its name: "b_Q"."""
        return self.bias or (self.qkv_bias and name[-1] in "QKV")

    def chosen(self) -> dict[str, Any]:
        """The fields as a person would write them: 0 where the others decide."""
        values = self.to_dict()
        for name, value in self._left_to_it().items():
            if values[name] == value:
                values[name] = 0
        return values

    def to_dict(self) -> dict[str, Any]:
        """The fields as a plain table, for a file."""
        return dataclasses.asdict(self)

    def _left_to_it(self) -> dict[str, int]:
        """What stands for 0."""
        return {
            "n_kv_heads": self.n_heads,
            "d_head": self.d_model // self.n_heads,
            "d_ff": 4 * self.d_model,
        }
