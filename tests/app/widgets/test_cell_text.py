"""Numbers in cells are short, and true to their last digit."""

import numpy as np
import pytest

from app.widgets.cell_text import cell_text, range_text
from core.trace.matrix import Scale

SHARE = Scale("share", 1.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0205, ".02"),
        (0.965, ".96"),
        (0.999, "1.0"),
        (1.0, "1.0"),
        (0.0, ".00"),
        (np.nan, ""),
        (np.inf, ""),
    ],
)
def test_a_share_has_two_digits(value, text):
    assert cell_text(value, SHARE) == text


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (-1.427, 5.9, "−1.4"),
        (5.876, 5.9, "5.9"),
        (-0.01, 5.9, "0.0"),
        (-0.143, 0.8, "−.14"),
        (0.004, 0.05, ".004"),
        (-12.4, 31.0, "−12.4"),
        (0.2, 31.0, "0.2"),
        (-123.4, 500.0, "−123.4"),
    ],
)
def test_a_signed_number_is_as_fine_as_its_scale(value, limit, text):
    assert cell_text(value, Scale("signed", limit)) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (4.234, "4.23"), (0.0312, "0.0312"), (-2.0, "−2")]
)
def test_an_end_of_a_scale_has_three_digits_that_matter(value, text):
    assert range_text(value) == text


def test_what_has_no_colour_has_no_number():
    scale = Scale("share", 1.0, threshold=0.1)
    assert [cell_text(value, scale) for value in (0.05, 0.1)] == ["", ".10"]
