"""Where two sentences agree, token by token, so that their maps can be subtracted.

In: the labels of two axes. Out: pairs of places, in order in both. What one sentence
alone has is in no pair.
"""

from difflib import SequenceMatcher
from functools import lru_cache

Pair = tuple[int, int]


@lru_cache(maxsize=16)
def aligned(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[Pair, ...]:
    """Places of equal labels, as many as the longest common stretches give.

    By `difflib.SequenceMatcher` (Ratcliff and Obershelp): first the longest stretch
    that both have, then the same left and right of it.
    """
    if one == other:
        return tuple((place, place) for place in range(len(one)))
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return tuple(
        (block.a + step, block.b + step)
        for block in blocks
        for step in range(block.size)
    )
