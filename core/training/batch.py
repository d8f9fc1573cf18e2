"""What one step reads: a batch, and where batches come from.

Place: between the texts of a run and its trainer, which knows nothing of windows or
pairs. Whoever has examples says how many tokens they are, so that every token of a
batch counts alike however the batch is shared out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch
    from torch import Tensor

NOTHING_FOLLOWS = -100
"""In `following`, where nothing is to be said: padding. torch's losses pass over it."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some examples side by side."""

    read: "Tensor"
    """[n_batch, n]: ids."""
    following: "Tensor"
    """[n_batch, n]: the id that follows each, or `NOTHING_FOLLOWS`."""
    given: "Mapping[str, Tensor]" = field(default_factory=dict)
    """What a model of two sides reads besides: "source" [n_batch, n_source] of ids, and
    "source_is_token" of bool, False at padding."""

    def __len__(self) -> int:
        return len(self.read)


class Examples(Protocol):
    """A text to learn from or to be tested on."""

    def __len__(self) -> int:
        """How many there are to choose from."""

    @property
    def n_tokens(self) -> int:
        """Tokens of the whole text."""

    @property
    def tokens_per_example(self) -> float:
        """Tokens that are read of one, on average."""

    def n_read(self, places: "Tensor") -> int:
        """Tokens that are read of some examples."""

    def n_said(self, places: "Tensor") -> int:
        """Tokens of some examples that the model must say, and that its loss is of."""

    def draw(self, n_batch: int, generator: "torch.Generator") -> "Tensor":
        """Places of a batch, [n_batch]; any may come again."""

    def batch(self, places: "Tensor") -> Batch:
        """The examples at some places."""

    def spread(self, n_batch: int, n_batches: int) -> "list[Tensor]":
        """Places of batches that lie evenly over the text, none of them twice."""
