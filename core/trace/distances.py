"""Which distances share a row of the table of shifts, in words.

In: a row of W_B, as in T5. Out: where the keys stand whose scores it shifts.
"""

from typing import NamedTuple


class Reach(NamedTuple):
    """Distances that share a row: key minus query, both ends among them."""

    first: int | None
    """None where all keys farther before the query share the row, too."""
    last: int | None
    """None where all keys farther behind it do."""


def reach_of(row: int, n_buckets: int, farthest: int, *, is_both: bool) -> Reach | None:
    """The distances of a row; None where no distance has it.

    `is_both`: the table is of tokens that look to both sides. In others every key
    behind the query shares the row of the query itself, and is hidden anyway.
    """
    import torch

    from core.model.relative import bucket_of

    edge = farthest + 1
    distances = torch.arange(-edge, edge + 1)
    rows = bucket_of(distances, n_buckets, farthest, is_both=is_both)
    found = distances[rows == row].tolist()
    if not found:
        return None
    first, last = found[0], found[-1]
    return Reach(None if first == -edge else first, None if last == edge else last)


def reach_words(reach: Reach) -> str:
    """Where a key stands: "3 tokens before the query", "the query itself"."""
    first, last = reach
    if first == 0:
        return "the query itself" + (last != 0) * ", or any token behind it"
    is_behind = first is not None and first > 0
    nearest, farthest = reach if is_behind else (_size(last), _size(first))
    where = f"{'behind' if is_behind else 'before'} the query"
    if farthest is None:
        return f"{nearest} or more tokens {where}"
    if nearest == farthest:
        return f"{nearest} token{'s' * (nearest > 1)} {where}"
    return f"{nearest} to {farthest} tokens {where}"


def _size(distance: int | None) -> int | None:
    return None if distance is None else -distance
