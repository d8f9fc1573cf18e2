"""How far the reading of weights is, told on the way to whoever waits for it."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Tell = Callable[[int, int], None]
"""Takes how many tensors are read, and of how many. It may raise to end the reading."""


def tell_nobody(_n_done: int, _n: int) -> None:
    """Nobody waits."""


def told(tensors: Sequence[T], tell: Tell) -> Iterator[T]:
    """Each of them; before each it is told how many were read."""
    for n_done, tensor in enumerate(tensors):
        tell(n_done, len(tensors))
        yield tensor
