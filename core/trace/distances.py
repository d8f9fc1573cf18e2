"""Which distances share a row of the table of shifts, in words.

In: a row of W_B, as in T5. Out: where the keys stand whose scores it shifts.
"""

from typing import NamedTuple

BEFORE, BEHIND = "before", "behind"


class Reach(NamedTuple):
    """Distances that share a row."""

    nearest: int
    """In tokens; 0 is the query itself."""
    farthest: int | None
    """None where all that are farther share the row, too."""
    way: str
    """Where the key stands: before the query, or behind it."""


def reach_of(row: int, n_buckets: int, farthest: int, *, is_both: bool) -> Reach | None:
    """The distances of a row; None where no distance has it.

    `is_both`: the table is of tokens that look to both sides. In others every key
    behind the query shares the row of the query itself, and is hidden anyway.
    """
    import torch

    from core.model.relative import bucket_of

    edge = farthest + 1
    distances = torch.arange(-edge, edge + 1 if is_both else 1)
    rows = bucket_of(distances, n_buckets, farthest, is_both=is_both)
    found = distances[rows == row].tolist()
    if not found:
        return None
    sizes = sorted(abs(distance) for distance in found)
    last = None if sizes[-1] == edge else sizes[-1]
    return Reach(sizes[0], last, BEHIND if found[-1] > 0 else BEFORE)


def reach_words(reach: Reach) -> str:
    """Where a key stands: "3 tokens before the query", "the query itself"."""
    nearest, farthest, way = reach
    if farthest == 0:
        return "the query itself"
    if farthest is None:
        return f"{nearest} or more tokens {way} the query"
    if nearest == farthest:
        return f"{nearest} token{'s' * (nearest > 1)} {way} the query"
    return f"{nearest} to {farthest} tokens {way} the query"
