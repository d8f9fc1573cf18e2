"""Which thing each step is about, and so which colour it wears everywhere.

Roles are names of theme colours. The table holds patterns of step names and weights;
the first that fits counts.
"""

from functools import lru_cache
from re import compile

from core.trace.step import name_of

ROLES = (
    (r"attn\.(q|q_normed(\.gamma)?|q_rotated|W_Q|b_Q)", "query"),
    (r"attn\.(k|k_normed(\.gamma)?|k_rotated|W_K|b_K)", "key"),
    (r"attn\.(v|heads|concat|W_V|b_V)", "value"),
    (r"attn\.(scores|scaled|bias|biased|masked|pattern)", "pattern"),
    (r"attn\.(out|W_O|b_O)", "value"),
    (r"attn\.norm.*", "residual"),
    (r"ffn\.norm.*", "residual"),
    (r"ffn\..*", "feed_forward"),
    (r"resid_.*", "residual"),
    (r"output\.(norm|scaled|first).*", "residual"),
    (r"output\..*", "accent"),
    (r"tokens\..*", "accent"),
    (r"embed\..*", "residual"),
)
"""A pattern of names without side and layer, and the theme colour."""

_COMPILED = tuple((compile(pattern), role) for pattern, role in ROLES)


@lru_cache(maxsize=4096)
def role_of(address: str) -> str:
    """The colour name of a step or weight; "text" for what is none of the things."""
    name = name_of(address)
    found = (role for pattern, role in _COMPILED if pattern.fullmatch(name))
    return next(found, "text")
