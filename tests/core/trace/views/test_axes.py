"""The range of a map is the largest finite size, whatever else the numbers hold."""

import numpy as np
import pytest

from core.trace.views.axes import feature_axis, largest_size, signed_scale

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("numbers", "size"),
    [
        ([1.0, -3.0, 2.0], 3.0),
        ([1.0, -INF, 2.0], 2.0),
        ([-1.0, NAN], 1.0),
        ([-INF, NAN], 0.0),
        ([], 0.0),
    ],
)
def test_the_largest_size_passes_over_what_is_not_finite(numbers, size):
    assert largest_size(np.array(numbers, np.float32)) == size


def test_a_signed_scale_covers_every_array():
    scale = signed_scale(np.float32([1.0]), np.float32([-4.0]))
    assert (scale.kind, scale.limit) == ("signed", 4.0)


def test_features_count_from_one():
    assert feature_axis(3).labels == ("1", "2", "3")
