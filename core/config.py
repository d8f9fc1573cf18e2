"""The configuration of a model: what it is made of, before a single weight exists.

Every field has a sentence; a value that cannot work is refused with the field's name.
`steps_for(config)` turns it into the list of computations, `Transformer(config)` into
weights.
"""

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.errors import ConfigError

LARGEST = 10**12
"""Of a whole number; far above what can be made, and products of some stay numbers."""
LARGEST_SIZE = 2**30
"""Of a model's size: torch can count the bytes of a matrix of two such sides."""
MOST_TRIED = 10_000
"""Head counts on either side, in the search for one that divides."""

Position = Literal["sinusoidal", "learned", "rotary", "none"]
Norm = Literal["layer_norm", "rms_norm", "none"]
NormPlace = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
RotaryScaling = Literal["none", "linear", "llama3"]
AttentionKind = Literal["causal", "both"]
OutputHead = Literal["unembed", "masked", "pooled", "none"]

CHOICES: dict[str, tuple[str, ...]] = {
    "position": get_args(Position),
    "norm": get_args(Norm),
    "norm_place": get_args(NormPlace),
    "activation": get_args(Activation),
    "rotary_scaling": get_args(RotaryScaling),
    "attention": get_args(AttentionKind),
    "output_head": get_args(OutputHead),
}
AT_LEAST_ONE = (
    "n_vocab",
    "n_ctx",
    "d_model",
    "n_layers",
    "n_heads",
    "rotary_n_ctx",
    "n_experts_per_token",
)
AT_LEAST_ZERO = (
    "n_kv_heads",
    "d_head",
    "d_ff",
    "position_offset",
    "n_segments",
    "window",
    "n_experts",
)
SWITCHES = (
    "feed_forward",
    "gated",
    "tie_embeddings",
    "scale_embeddings",
    "bias",
    "qkv_bias",
    "norm_qk",
    "norm_embeddings",
)
ABOVE_ZERO = (
    "eps",
    "rotary_base",
    "rotary_factor",
    "rotary_low",
    "rotary_high",
    "sinusoid_base",
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
    """A transformer of one stack. Immutable; checked when it is made."""

    n_vocab: int = 2048
    """Tokens the model knows."""
    n_ctx: int = 256
    """Tokens it can read at once."""
    d_model: int = 192
    """Width of the residual stream."""
    n_layers: int = 4
    """Blocks of attention and feed-forward."""
    n_heads: int = 4
    """Attention heads per layer."""
    n_kv_heads: int = 0
    """Heads of keys and values; query heads share them in groups. 0 means n_heads."""
    d_head: int = 0
    """Width of one head. 0 means d_model / n_heads."""
    d_ff: int = 0
    """Width of the feed-forward network. 0 means 4 x d_model."""
    position: Position = "sinusoidal"
    """How the model knows the order: added waves, a learned table, rotated q and k."""
    position_offset: int = 0
    """Rows of a learned table before the first token's; 2 in RoBERTa."""
    sinusoid_base: float = 10000.0
    """Longest wavelength of added waves, over 2 pi; 10,000 in 2017."""
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
    dropout: float = 0.0
    """Share of values dropped, in training alone."""
    eps: float = 1e-5
    """Added under the root of a norm, against division by zero."""

    def __post_init__(self) -> None:
        for name in AT_LEAST_ONE:
            _require_whole(name, getattr(self, name), 1)
        for name in AT_LEAST_ZERO:
            _require_whole(name, getattr(self, name), 0)
        self._check_shares()
        for name, value in self._left_to_it().items():
            object.__setattr__(self, name, getattr(self, name) or value)
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                listed = ", ".join(choices)
                raise ConfigError(
                    f"{name} = {getattr(self, name)!r} is not known; "
                    f"choose one of {listed}."
                )
        for name in SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(
                    f"{name} = {getattr(self, name)!r} must be true or false."
                )
        self._check_heads()
        self._check_places()
        self._check_left_out()
        self._check_experts()
        self._check_numbers()

    @property
    def d_heads(self) -> int:
        """Width of all heads side by side; mostly d_model."""
        return self.n_heads * self.d_head

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

    def _check_shares(self) -> None:
        if not self.d_head and self.d_model % self.n_heads:
            near = nearest_divisors(self.d_model, self.n_heads)
            raise ConfigError(
                f"d_model = {self.d_model} cannot be shared by "
                f"n_heads = {self.n_heads}; try n_heads = {near}."
            )

    def _check_heads(self) -> None:
        if self.n_heads % self.n_kv_heads:
            raise ConfigError(
                f"n_heads = {self.n_heads} cannot be grouped over "
                f"n_kv_heads = {self.n_kv_heads}; it must divide n_heads."
            )
        if self.position == "rotary" and self.d_head % 2:
            raise ConfigError(
                f"position = 'rotary' turns pairs of numbers, so d_head must be "
                f"even; it is {self.d_head}: d_model = {self.d_model} over n_heads = "
                f"{self.n_heads}, or what was chosen."
            )
        if self.rotary_scaling == "llama3" and self.rotary_high <= self.rotary_low:
            raise ConfigError(
                f"rotary_high = {self.rotary_high} must be above rotary_low = "
                f"{self.rotary_low}."
            )

    def _check_places(self) -> None:
        if self.window and self.attention != "causal":
            raise ConfigError(
                f"window = {self.window} looks back alone, so attention must be "
                "'causal'."
            )
        if self.position_offset and self.position != "learned":
            raise ConfigError(
                f"position_offset = {self.position_offset} leaves rows of a table "
                f"out, but position = {self.position!r} has no table."
            )
        if self.output_head != "unembed" and self.norm_place != "post":
            raise ConfigError(
                f"output_head = {self.output_head!r} follows no last norm, so "
                "norm_place must be 'post'."
            )

    def _check_left_out(self) -> None:
        """What is left out can neither follow anything nor be asked for."""
        if self.norm == "none" and self.norm_embeddings:
            raise ConfigError("norm = 'none', so norm_embeddings must be false.")
        if self.norm_place == "post" and self.norm == "none":
            raise ConfigError("norm = 'none', so norm_place must be 'pre'.")
        if self.norm_place == "post" and not self.feed_forward:
            raise ConfigError("feed_forward = false, so norm_place must be 'pre'.")

    def _check_experts(self) -> None:
        if self.n_experts and not self.feed_forward:
            raise ConfigError(
                f"n_experts = {self.n_experts} are feed-forward networks, so "
                "feed_forward must be true."
            )
        if self.n_experts_per_token > max(self.n_experts, 1):
            raise ConfigError(
                f"n_experts_per_token = {self.n_experts_per_token} must be at most "
                f"n_experts = {self.n_experts}."
            )

    def _check_numbers(self) -> None:
        _require_number("dropout", self.dropout)
        if not 0 <= self.dropout < 1:
            raise ConfigError(
                f"dropout = {self.dropout} must be at least 0 and below 1."
            )
        for name in ABOVE_ZERO:
            _require_number(name, getattr(self, name))
            value = float(getattr(self, name))  # torch has no whole numbers so large
            if not 0 < value < float("inf"):
                raise ConfigError(f"{name} = {value} must be above 0.")
            object.__setattr__(self, name, value)


def nearest_divisors(width: int, n_heads: int) -> str:
    """The head counts nearest to `n_heads` that divide `width`: "4 or 6".

    Looked for nearby only; a width of a billion is refused as fast as one of 48.
    """
    top = min(n_heads - 1, width)
    below = range(top, max(top - MOST_TRIED, 0), -1)
    above = range(n_heads + 1, min(width, n_heads + MOST_TRIED) + 1)
    near = [next((n for n in tried if width % n == 0), 0) for tried in (below, above)]
    return " or ".join(str(n) for n in near if n) or "1"


def _require_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigError(f"{name} = {value!r} must be a whole number.")
    if value < least:
        raise ConfigError(f"{name} = {value} must be at least {least}.")
    if value > LARGEST_SIZE:
        raise ConfigError(f"{name} = {value} must be at most {LARGEST_SIZE:,}.")


def _require_number(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"{name} = {value!r} must be a number.")
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        raise ConfigError(f"{name} is a larger number than a model can hold.")
