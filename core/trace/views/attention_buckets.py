"""What a shift of scores goes by: how far apart two tokens are, in buckets.

Step: attn.bias. In: a trace and the key of such a step. Out: the bucket of every pair
of tokens, and words for it. Near distances have a bucket each, farther ones share one
(Raffel et al. 2020, section 2.1). Buckets and tokens count from 1 for a reader.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.trace import Trace

Whole = NDArray[np.integer[Any]]

ABOUT = (
    "Tokens that are equally far apart share a number. Small distances have a bucket "
    "each, larger ones one together, all beyond {farthest} the last."
)


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """The rows of a table of shifts, and who falls into which."""

    n: int
    """Rows of the table."""
    distances: Whole
    """[n_query, n_key]: key minus query."""
    of_pairs: Whole
    """[n_query, n_key]: the row of the table for each pair."""
    of_distances: Whole
    """[2 x farthest + 1]: the row for each distance from -farthest on."""
    is_both: bool
    """Whether keys behind the query have buckets of their own."""
    farthest: int
    """From here on all distances share a bucket."""

    @property
    def about(self) -> str:
        """What a bucket is."""
        return ABOUT.format(farthest=self.farthest)

    def words(self, query: int, key: int) -> str:
        """The bucket of a pair: "bucket 3 of 8: keys 2 to 4 tokens before"."""
        row = int(self.of_pairs[query, key])
        within = np.flatnonzero(self.of_distances == row) - self.farthest
        reach = self._reach(within.tolist())
        return f"bucket {row + 1} of {self.n}: {reach}"

    def _reach(self, distances: list[int]) -> str:
        first, last = distances[0], distances[-1]
        if first <= 0 <= last:
            is_behind = "or behind it " * (last > 0)
            return f"the key at the query's own place {is_behind}".rstrip()
        near, far = sorted((abs(first), abs(last)))
        way = "before" if last < 0 else "behind"
        if far == self.farthest:
            return f"keys {near} or more tokens {way}"
        if near < far:
            return f"keys {near} to {far} tokens {way}"
        return f"the key {near} token{'s' * (near > 1)} {way}"


def buckets_of(trace: Trace, key: str) -> Buckets:
    """The buckets that a step attn.bias looks its numbers up in."""
    from torch import arange, from_numpy

    from core.model.relative import bucket_of

    step, farthest = trace.step(key), trace.config.relative_distance
    queries, keys = (np.asarray(trace.part(place)) for place in step.inputs[:2])
    n_buckets = trace.shape(step.inputs[2])[0]
    is_both = step.op == "relative_bias"
    distances = keys[None, :] - queries[:, None]
    every = arange(-farthest, farthest + 1)
    asked = from_numpy(distances), every
    rows, of_distances = (
        bucket_of(each, n_buckets, farthest, is_both=is_both).numpy() for each in asked
    )
    return Buckets(n_buckets, distances, rows, of_distances, is_both, farthest)
