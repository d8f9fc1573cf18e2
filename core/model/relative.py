"""How far apart two tokens are, in buckets: near distances exactly, far ones roughly.

Raffel et al. 2020 (T5), section 2.1: half of the buckets are single distances, the
others grow by a factor up to the farthest one.
"""

import math

import torch
from torch import Tensor


def bucket_of(
    distances: Tensor, n_buckets: int, farthest: int, *, is_both: bool
) -> Tensor:
    """The bucket of each distance, key minus query.

    [...] of whole numbers -> [...] from 0 to n_buckets - 1. With `is_both` the first
    half is for keys before the query, or at it, and the second for those behind; or
    else all are for keys before, and those behind share the first with the query's own.
    """
    if is_both:
        n_buckets //= 2
        first = (distances > 0) * n_buckets
        sizes = distances.abs()
    else:
        first = torch.zeros_like(distances)
        sizes = (-distances).clamp(min=0)
    n_exact = n_buckets // 2
    # In float32, as the published models were trained: a bucket's edge may hang on it.
    steps = torch.log(sizes.clamp(min=1).float() / n_exact)
    steps = steps / math.log(farthest / n_exact) * (n_buckets - n_exact)
    far = (n_exact + steps.long()).clamp(max=n_buckets - 1)
    return first + torch.where(sizes < n_exact, sizes, far)
