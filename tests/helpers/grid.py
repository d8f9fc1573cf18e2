"""Every kind of model: each configuration that has steps or arithmetic of its own."""

import itertools
from collections.abc import Iterator

from core.config import ModelConfig


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
            eps=1e-5 if tied else 0.5,  # so large that an eps of its own shows
            sinusoid_base=10000.0 if tied else 64.0,
        )


def thin_grid() -> tuple[ModelConfig, ...]:
    """A few of the grid, so that every value of every field is among them."""
    every = tuple(grid())
    return tuple(every[place] for place in range(0, len(every), 37))
