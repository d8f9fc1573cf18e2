"""What a row of the table of shifts is for, held to the buckets themselves."""

import pytest
import torch

from core.model.relative import bucket_of
from core.trace.distances import reach_of, reach_words


@pytest.mark.parametrize("is_both", [True, False], ids=("both ways", "back"))
@pytest.mark.parametrize(("n_buckets", "farthest"), [(8, 12), (32, 128)])
def test_every_distance_lies_in_the_reach_of_its_row(n_buckets, farthest, is_both):
    reaches = [
        reach_of(row, n_buckets, farthest, is_both=is_both) for row in range(n_buckets)
    ]
    for distance in range(-3 * farthest, 3 * farthest):
        at = torch.tensor(distance)
        row = int(bucket_of(at, n_buckets, farthest, is_both=is_both))
        holding = [
            place
            for place, reach in enumerate(reaches)
            if reach is not None
            and (reach.first is None or reach.first <= distance)
            and (reach.last is None or distance <= reach.last)
        ]
        assert holding == [row]


def test_a_row_says_where_its_keys_stand():
    said = [
        reach_words(reach_of(row, 32, 128, is_both=False)) for row in (0, 1, 15, 31)
    ]
    assert said == [
        "the query itself, or any token behind it",
        "1 token before the query",
        "15 tokens before the query",
        "113 or more tokens before the query",
    ]
    assert reach_of(16, 32, 128, is_both=True) is None
