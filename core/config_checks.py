"""What a configuration refuses: values that cannot work, each by the field's name.

In: a `ModelConfig` that is being made. Out: nothing, or one sentence.
"""

import sys
from typing import TYPE_CHECKING, get_args

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

if TYPE_CHECKING:
    from core.config import ModelConfig

LEAST_BUCKETS = 4
LARGEST = 10**12
"""Of a whole number; far above what can be made, and products of some stay numbers."""
LARGEST_SIZE = 2**30
"""Of a model's size: torch can count the bytes of a matrix of two such sides."""
MOST_TRIED = 10_000
"""Head counts on either side, in the search for one that divides."""

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
    "relative_buckets",
    "relative_distance",
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
    "n_encoder_layers",
    "start_id",
)
SWITCHES = (
    "feed_forward",
    "mix_heads",
    "residual",
    "scale_scores",
    "sinusoid_halves",
    "count_padding",
    "output_bias",
    "scale_output",
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


def check_config(config: "ModelConfig") -> None:
    """Refuse what cannot work; `check_shares` and `check_counts` come before.

    Raises:
        ConfigError: Names the field, and what it must be.
    """
    for name, choices in CHOICES.items():
        if getattr(config, name) not in choices:
            listed = ", ".join(choices)
            raise ConfigError(
                f"{name} = {getattr(config, name)!r} is not known; "
                f"choose one of {listed}."
            )
    for name in SWITCHES:
        if not isinstance(getattr(config, name), bool):
            raise ConfigError(
                f"{name} = {getattr(config, name)!r} must be true or false."
            )
    for check in (
        _check_heads,
        _check_places,
        _check_sides,
        _check_left_out,
        _check_experts,
        _check_numbers,
    ):
        check(config)


def check_counts(config: "ModelConfig") -> None:
    """Refuse sizes that are no whole numbers, or too small or large.

    Raises:
        ConfigError: Names the field, and what it must be.
    """
    for name in AT_LEAST_ONE:
        _require_whole(name, getattr(config, name), 1)
    for name in AT_LEAST_ZERO:
        _require_whole(name, getattr(config, name), 0)


def check_shares(config: "ModelConfig") -> None:
    """Refuse heads that cannot share the width, where nothing says how wide they are.

    Raises:
        ConfigError: Names head counts that can.
    """
    if not config.d_head and config.d_model % config.n_heads:
        near = nearest_divisors(config.d_model, config.n_heads)
        raise ConfigError(
            f"d_model = {config.d_model} cannot be shared by "
            f"n_heads = {config.n_heads}; try n_heads = {near}."
        )


def _check_heads(config: "ModelConfig") -> None:
    if config.n_heads % config.n_kv_heads:
        raise ConfigError(
            f"n_heads = {config.n_heads} cannot be grouped over "
            f"n_kv_heads = {config.n_kv_heads}; it must divide n_heads."
        )
    if config.position == "rotary" and config.d_head % 2:
        raise ConfigError(
            f"position = 'rotary' turns pairs of numbers, so d_head must be "
            f"even; it is {config.d_head}: d_model = {config.d_model} over n_heads = "
            f"{config.n_heads}, or what was chosen."
        )
    if config.rotary_scaling == "llama3" and config.rotary_high <= config.rotary_low:
        raise ConfigError(
            f"rotary_high = {config.rotary_high} must be above rotary_low = "
            f"{config.rotary_low}."
        )


def _check_places(config: "ModelConfig") -> None:
    if config.window and config.attention != "causal":
        raise ConfigError(
            f"window = {config.window} looks back alone, so attention must be 'causal'."
        )
    if config.position_offset and config.position != "learned":
        raise ConfigError(
            f"position_offset = {config.position_offset} leaves rows of a table "
            f"out, but position = {config.position!r} has no table."
        )
    if config.output_head != "unembed" and config.norm_place != "post":
        raise ConfigError(
            f"output_head = {config.output_head!r} follows no last norm, so "
            "norm_place must be 'post'."
        )


def _check_sides(config: "ModelConfig") -> None:
    """A decoder writes from left to right, and reads no parts of a text."""
    if not config.has_encoder:
        return
    wanted = {"attention": "causal", "output_head": "unembed"}
    for name, value in wanted.items():
        if getattr(config, name) != value:
            raise ConfigError(
                f"{name} = {getattr(config, name)!r}, but n_encoder_layers = "
                f"{config.n_encoder_layers} needs {value!r}."
            )
    for name in ("window", "n_segments"):
        if getattr(config, name):
            raise ConfigError(
                f"{name} = {getattr(config, name)} is not for a model of two sides; "
                f"it must be 0 where n_encoder_layers is {config.n_encoder_layers}."
            )
    if config.start_id >= config.n_vocab:
        raise ConfigError(
            f"start_id = {config.start_id} must be below n_vocab = {config.n_vocab}."
        )


def _check_left_out(config: "ModelConfig") -> None:
    """What is left out can neither follow anything nor be asked for."""
    if not config.mix_heads and config.d_heads != config.d_model:
        raise ConfigError(
            f"mix_heads = false lays n_heads = {config.n_heads} x d_head = "
            f"{config.d_head} side by side; they must fill d_model = {config.d_model}."
        )
    if config.relative_buckets < LEAST_BUCKETS or config.relative_buckets % 4:
        raise ConfigError(
            f"relative_buckets = {config.relative_buckets} must be a multiple of 4: "
            "near and far, before and behind."
        )
    if config.relative_distance <= config.relative_buckets // 2:
        raise ConfigError(
            f"relative_distance = {config.relative_distance} must be above half of "
            f"relative_buckets = {config.relative_buckets}."
        )
    if config.norm == "none" and config.norm_embeddings:
        raise ConfigError("norm = 'none', so norm_embeddings must be false.")
    if config.norm_place == "post" and config.norm == "none":
        raise ConfigError("norm = 'none', so norm_place must be 'pre'.")
    if config.norm_place == "post" and not config.feed_forward:
        raise ConfigError("feed_forward = false, so norm_place must be 'pre'.")


def _check_experts(config: "ModelConfig") -> None:
    if config.n_experts and not config.feed_forward:
        raise ConfigError(
            f"n_experts = {config.n_experts} are feed-forward networks, so "
            "feed_forward must be true."
        )
    if config.n_experts_per_token > max(config.n_experts, 1):
        raise ConfigError(
            f"n_experts_per_token = {config.n_experts_per_token} must be at most "
            f"n_experts = {config.n_experts}."
        )


def _check_numbers(config: "ModelConfig") -> None:
    _require_number("dropout", config.dropout)
    if not 0 <= config.dropout < 1:
        raise ConfigError(f"dropout = {config.dropout} must be at least 0 and below 1.")
    for name in ABOVE_ZERO:
        _require_number(name, getattr(config, name))
        value = float(getattr(config, name))  # torch has no whole numbers so large
        if not 0 < value < float("inf"):
            raise ConfigError(f"{name} = {value} must be above 0.")
        object.__setattr__(config, name, value)


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
