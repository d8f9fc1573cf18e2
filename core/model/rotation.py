"""How far pairs of features are turned: speeds of rotary positions, and the turning.

The ops that use this are in `functions`. Papers: Su et al. 2021; linear stretching,
Chen et al. 2023; Llama 3.1's, Grattafiori et al. 2024.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor


def speeds(half: int, base: float, device: torch.device | None = None) -> Tensor:
    """How far each of `half` pairs turns from one position to the next, in radians.

    -> [half]   base^(-i / half)
    """
    return 1 / base ** (torch.arange(half, device=device) / half)


def speeds_unchanged(plain: Tensor) -> Tensor:
    """All speeds as they are. [half]."""
    return plain


def speeds_linear(plain: Tensor, factor: float) -> Tensor:
    """All speeds, `factor` times lower. [half]."""
    return plain / factor


def speeds_llama3(
    plain: Tensor, factor: float, low: float, high: float, n_ctx: float
) -> Tensor:
    """Lower speeds for pairs that turn fewer than `high` times in `n_ctx` tokens.

    Of those, the ones under `low` turns become `factor` times lower; between the two
    the share that is kept grows with the turns. [half].
    """
    turns = n_ctx * plain / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return plain * kept + plain * (1 - kept) / factor


SLOWED: dict[str, Callable[..., Tensor]] = {
    "none": speeds_unchanged,
    "linear": speeds_linear,
    "llama3": speeds_llama3,
}
"""By `rotary_scaling`: from the plain speeds, and the settings after the base."""


def turn_pairs(x: Tensor, positions: Tensor, speed: Tensor) -> Tensor:
    """Turn feature d together with d + d_head / 2, by position x speed.

    [..., n_heads, n, d_head], [n], [d_head / 2] -> the first shape
    """
    angles = positions[:, None] * speed
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    low, high = x.chunk(2, dim=-1)
    return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1)
