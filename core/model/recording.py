"""How the forward pass lets somebody watch: every step is handed to a `Watcher`.

The pass says `x = watch("layers.0.attn.q", x)` and goes on with what comes back, so a
watcher can keep a value, change it, or do nothing at all, as in training.
"""

from typing import Protocol

from torch import Tensor


class Watcher(Protocol):
    """Whoever looks at the steps of a forward pass."""

    def __call__(self, key: str, value: Tensor) -> Tensor:
        """See the value of a step; the pass goes on with what is returned."""

    def asks_for_rows(self, path: str) -> bool:
        """Whether the attention at `path` must go step by step, not fused."""


class Nobody:
    """Looks at nothing and changes nothing: training and plain inference."""

    def __call__(self, key: str, value: Tensor) -> Tensor:
        """Hand the value back."""
        return value

    def asks_for_rows(self, path: str) -> bool:
        """Never: the fused kernel will do."""
        return False


NOBODY = Nobody()
