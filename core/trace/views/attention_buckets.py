"""What a shift of scores goes by: how far apart two tokens are, in buckets.

Step: attn.bias. In: a trace and the key of such a step. Out: the bucket of every pair
of tokens, and words for it. Near distances have a bucket each, farther ones share one
(Raffel et al. 2020, section 2.1). Buckets and tokens count from 1 for a reader.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.distances import reach_of, reach_words
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
    of_pairs: Whole
    """[n_query, n_key]: the row of the table for each pair."""
    is_both: bool
    """Whether keys behind the query have buckets of their own."""
    farthest: int
    """From here on all distances share a bucket."""

    @property
    def about(self) -> str:
        """What a bucket is."""
        return ABOUT.format(farthest=self.farthest)

    def words(self, query: int, key: int) -> str:
        """The bucket of a pair: "bucket 3 of 8: 2 to 4 tokens before the query"."""
        row = int(self.of_pairs[query, key])
        reach = reach_of(row, self.n, self.farthest, is_both=self.is_both)
        assert reach is not None, "the pair itself is at such a distance"
        return f"bucket {row + 1} of {self.n}: {reach_words(reach)}"


def buckets_of(trace: Trace, key: str) -> Buckets:
    """The buckets that a step attn.bias looks its numbers up in."""
    from torch import from_numpy

    from core.model.relative import bucket_of

    step, farthest = trace.step(key), trace.config.relative_distance
    queries, keys = (np.asarray(trace.part(place)) for place in step.inputs[:2])
    n_buckets = trace.shape(step.inputs[2])[0]
    is_both = step.op == "relative_bias"
    distances = from_numpy(keys[None, :] - queries[:, None])
    rows = bucket_of(distances, n_buckets, farthest, is_both=is_both).numpy()
    return Buckets(n_buckets, rows, is_both, farthest)
