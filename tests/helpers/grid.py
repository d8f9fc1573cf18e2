"""Every kind of model: each configuration that has steps or arithmetic of its own."""

import itertools
from collections.abc import Iterator
from typing import Any

from core.config import ModelConfig
from core.kinds import OutputHead

SCALINGS: dict[str, Any] = {
    "relu": "none",
    "gelu": "linear",
    "gelu_tanh": "llama3",
    "silu": "llama3",
}
"""A stretching of rotary positions for each activation: each is there, no more runs."""


def grid() -> Iterator[ModelConfig]:
    """positions x norms x places x activations x gated x grouped heads x tied."""
    for position, norm, place, activation, gated, n_kv_heads, tied in itertools.product(
        ("sinusoidal", "learned", "rotary", "none"),
        ("layer_norm", "rms_norm"),
        ("pre", "post"),
        ("relu", "gelu", "gelu_tanh", "silu"),
        (False, True),
        (4, 2),
        (True, False),
    ):
        yield ModelConfig(
            n_vocab=16,
            n_ctx=8,
            d_model=16,
            n_layers=2,
            n_heads=4,
            n_kv_heads=n_kv_heads,
            d_ff=12,
            position=position,
            norm=norm,
            norm_place=place,
            activation=activation,
            gated=gated,
            tie_embeddings=tied,
            scale_embeddings=gated,
            bias=norm == "layer_norm",
            qkv_bias=gated,
            d_head=0 if activation in ("relu", "silu") else 6,
            window=3 if n_kv_heads == 2 else 0,
            norm_qk=activation in ("gelu", "silu"),
            rotary_scaling=SCALINGS[activation],
            rotary_factor=8.0 if gated else 1.5,
            rotary_low=0.25,
            rotary_high=1.0,
            rotary_n_ctx=8 if gated else 20,
            eps=1e-5 if tied else 0.5,  # so large that an eps of its own shows
            sinusoid_base=10000.0 if tied else 64.0,
        )


def both_sided() -> tuple[ModelConfig, ...]:
    """Models that look to both sides: with a head for masked words, a pooler, none."""
    heads: tuple[OutputHead, ...] = ("masked", "masked", "pooled", "none")
    return tuple(
        ModelConfig(
            n_vocab=16,
            n_ctx=8,
            d_model=16,
            n_layers=2,
            n_heads=4,
            d_ff=12,
            position="learned",
            position_offset=offset,
            n_segments=n_segments,
            norm_embeddings=True,
            norm_place="post",
            attention="both",
            output_head=head,
            tie_embeddings=bool(n_segments),
            eps=1e-12,
        )
        for head, n_segments, offset in zip(
            heads, (2, 0, 2, 1), (0, 0, 0, 2), strict=True
        )
    )


def with_experts() -> tuple[ModelConfig, ...]:
    """Models of many networks: gated and plain, with biases and without, before a norm
    and behind it; one expert asked, some, all.
    """
    return tuple(
        ModelConfig(
            n_vocab=16,
            n_ctx=8,
            d_model=16,
            n_layers=2,
            n_heads=4,
            d_ff=12,
            position="rotary" if gated else "learned",
            norm="rms_norm" if gated else "layer_norm",
            norm_place=place,
            activation="silu" if gated else "relu",
            gated=gated,
            bias=not gated,
            n_experts=n_experts,
            n_experts_per_token=n_chosen,
            tie_embeddings=not gated,
        )
        for gated, place, n_experts, n_chosen in (
            (True, "pre", 4, 2),
            (False, "post", 3, 1),
            (False, "pre", 2, 2),
        )
    )


def smallest() -> tuple[ModelConfig, ...]:
    """Models that leave parts out: norms, the feed-forward network, both; sums, W_O."""
    return tuple(
        ModelConfig(
            n_vocab=16,
            n_ctx=8,
            d_model=16,
            n_layers=1 if norm == "none" else 2,
            n_heads=1 if norm == "none" else 2,
            d_ff=12,
            position="learned",
            norm=norm,
            feed_forward=feed_forward,
            tie_embeddings=False,
            bias=feed_forward,
        )
        for norm, feed_forward in (
            ("none", False),
            ("none", True),
            ("layer_norm", False),
        )
    ) + tuple(
        ModelConfig(
            n_vocab=16,
            n_ctx=8,
            d_model=16,
            n_layers=n_layers,
            n_heads=n_layers,
            d_ff=12,
            position="learned",
            norm="none",
            feed_forward=n_layers > 1,
            residual=False,
            mix_heads=False,
            tie_embeddings=False,
            bias=False,
        )
        for n_layers in (1, 2)
    )


def thin_grid() -> tuple[ModelConfig, ...]:
    """A few of the grid, so that every value of every field is among them."""
    every = tuple(grid())
    return tuple(every[place] for place in range(0, len(every), 37))
