"""Who may look at whom: no mask computes anything of a text but where its tokens are.

Out: [..., n_query, n_key] of bool, True where a query may look at a key.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from core.config import ModelConfig


def over_heads(allowed: Tensor) -> Tensor:
    """The same for all heads of a batch.

    [n_query, n_key] -> the same; [n_batch, n_query, n_key] -> [n_batch, 1, ...].
    """
    return allowed if allowed.ndim <= 2 else allowed.unsqueeze(-3)


def causal_mask(n_query: int, n_key: int, device: torch.device | None = None) -> Tensor:
    """Say which keys each query may look at: its own place and those before it.

    -> [n_query, n_key] of bool; the last query stands at the last key.
    """
    ones = torch.ones(n_query, n_key, dtype=torch.bool, device=device)
    return ones.tril(n_key - n_query)


def padded_mask(is_token: Tensor) -> Tensor:
    """Say which keys each query of a padded sentence may look at: no padding.

    [..., n] of bool -> [..., n, n] of bool; a row before the first token has no key.
    """
    n = is_token.shape[-1]
    return causal_mask(n, n, is_token.device) & is_token.unsqueeze(-2)


def unpadded_mask(is_token: Tensor) -> Tensor:
    """Say which keys may be looked at from both sides: every token, no padding.

    [..., n] of bool -> [..., n, n] of bool; padding looks at the tokens, too.
    """
    return crossed_mask(is_token.shape[-1], is_token)


def crossed_mask(n_query: int, is_token: Tensor) -> Tensor:
    """Say which keys of another text may be looked at: every token, no padding.

    [..., n_key] of bool -> [..., n_query, n_key] of bool
    """
    row = is_token.unsqueeze(-2)
    return row.expand(*row.shape[:-2], n_query, -1)


MASKS: dict[str, Callable[[Tensor], Tensor]] = {
    "causal": padded_mask,
    "both": unpadded_mask,
}
"""By `attention`: which keys each query may look at, [..., n] -> [..., n, n]."""


def windowed(allowed: Tensor, positions: Tensor, window: int) -> Tensor:
    """Let each query look at its last `window` tokens alone, itself among them.

    [n_query, n_key] of bool, [n_key] -> the first shape; the last query stands at the
    last key. A window of 0 is none (Beltagy et al. 2020; Jiang et al. 2023).
    """
    if not window:
        return allowed
    distances = positions[-allowed.shape[0] :, None] - positions
    return allowed & (distances < window)


def positions_of(is_token: Tensor, config: ModelConfig) -> Tensor:
    """Where each token stands. [n] of bool -> [n]."""
    offset = config.position_offset
    if config.count_padding:
        return torch.arange(offset, offset + len(is_token), device=is_token.device)
    return padded_positions(is_token, offset)


def padded_positions(is_token: Tensor, offset: int = 0) -> Tensor:
    """Count the tokens of a padded sentence from 0, as if no padding were there.

    [n] of bool -> [n], never falling: padding stands where the token before it does.
    With an offset, tokens count from there, and padding stands just before (RoBERTa).
    """
    places = is_token.cumsum(dim=0) - 1
    if not offset:
        return places.clamp(min=0)
    return torch.where(is_token, places + offset, offset - 1)
