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
Norm = Literal["layer_norm", "rms_norm"]
NormPlace = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]

CHOICES: dict[str, tuple[str, ...]] = {
    "position": get_args(Position),
    "norm": get_args(Norm),
    "norm_place": get_args(NormPlace),
    "activation": get_args(Activation),
}
AT_LEAST_ONE = ("n_vocab", "n_ctx", "d_model", "n_layers", "n_heads")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """A decoder-only transformer. Immutable; checked when it is made."""

    n_vocab: int = 2048
    """Tokens the model knows."""
    n_ctx: int = 256
    """Tokens it can read at once."""
    d_model: int = 192
    """Width of the residual stream."""
    n_layers: int = 4
    """Blocks of attention and feed-forward."""
    n_heads: int = 4
    """Attention heads per layer; d_head is d_model / n_heads."""
    n_kv_heads: int = 0
    """Heads of keys and values; query heads share them in groups. 0 means n_heads."""
    d_ff: int = 0
    """Width of the feed-forward network. 0 means 4 x d_model."""
    position: Position = "sinusoidal"
    """How the model knows the order: added waves, a learned table, rotated q and k."""
    sinusoid_base: float = 10000.0
    """Longest wavelength of added waves, over 2 pi; 10,000 in 2017."""
    rotary_base: float = 10000.0
    """Longest wavelength of rotary positions, over 2 pi."""
    norm: Norm = "layer_norm"
    """Layer norm takes the mean away and divides by the deviation; RMS norm divides."""
    norm_place: NormPlace = "pre"
    """pre: each part reads a normed copy. post: the sum is normed, as in 2017."""
    activation: Activation = "gelu"
    """The bend of the feed-forward network. gelu is exact, gelu_tanh its estimate."""
    gated: bool = False
    """Multiply the hidden layer by a second, activated one (GLU)."""
    tie_embeddings: bool = True
    """Read logits off with the embedding table instead of a table of their own."""
    scale_embeddings: bool = False
    """Multiply embedding rows by sqrt(d_model) before positions are added."""
    bias: bool = True
    """Give linear maps and layer norms a bias."""
    dropout: float = 0.0
    """Share of values dropped, in training alone."""
    eps: float = 1e-5
    """Added under the root of a norm, against division by zero."""

    def __post_init__(self) -> None:
        for name in AT_LEAST_ONE:
            _require_whole(name, getattr(self, name), 1)
        _require_whole("n_kv_heads", self.n_kv_heads, 0)
        _require_whole("d_ff", self.d_ff, 0)
        object.__setattr__(self, "n_kv_heads", self.n_kv_heads or self.n_heads)
        object.__setattr__(self, "d_ff", self.d_ff or 4 * self.d_model)
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                listed = ", ".join(choices)
                raise ConfigError(
                    f"{name} = {getattr(self, name)!r} is not known; "
                    f"choose one of {listed}."
                )
        for name in ("gated", "tie_embeddings", "scale_embeddings", "bias"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(
                    f"{name} = {getattr(self, name)!r} must be true or false."
                )
        self._check_heads()
        self._check_numbers()

    @property
    def d_head(self) -> int:
        """Width of one head."""
        return self.d_model // self.n_heads

    @property
    def n_queries_per_key(self) -> int:
        """Query heads that share one head of keys and values."""
        return self.n_heads // self.n_kv_heads

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

    def to_dict(self) -> dict[str, Any]:
        """The fields as a plain table, for a file."""
        return dataclasses.asdict(self)

    def _check_heads(self) -> None:
        if self.d_model % self.n_heads:
            near = nearest_divisors(self.d_model, self.n_heads)
            raise ConfigError(
                f"d_model = {self.d_model} cannot be shared by "
                f"n_heads = {self.n_heads}; try n_heads = {near}."
            )
        if self.n_heads % self.n_kv_heads:
            raise ConfigError(
                f"n_heads = {self.n_heads} cannot be grouped over "
                f"n_kv_heads = {self.n_kv_heads}; it must divide n_heads."
            )
        if self.position == "rotary" and self.d_head % 2:
            raise ConfigError(
                f"position = 'rotary' turns pairs of numbers, so d_head must be "
                f"even; d_model = {self.d_model} over n_heads = {self.n_heads} "
                f"gives {self.d_head}."
            )

    def _check_numbers(self) -> None:
        _require_number("dropout", self.dropout)
        if not 0 <= self.dropout < 1:
            raise ConfigError(
                f"dropout = {self.dropout} must be at least 0 and below 1."
            )
        for name in ("eps", "rotary_base", "sinusoid_base"):
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
