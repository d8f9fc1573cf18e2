import pytest

from app.dialogs.training.wording import (
    count_text,
    duration_text,
    plural,
    size_text,
)


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (17, "17 B"),
        (999, "999 B"),
        (1_000, "1 KB"),
        (1_234_567, "1.23 MB"),
        (12_340_000, "12.3 MB"),
        (2_500_000_000, "2.5 GB"),
    ],
)
def test_a_size_has_three_digits_and_a_unit(n_bytes, text):
    assert size_text(n_bytes) == text


@pytest.mark.parametrize(
    ("n", "text"),
    [(812, "812"), (1_000, "1 k"), (132_864, "133 k"), (124_439_808, "124 M")],
)
def test_a_count_is_told_in_few_letters(n, text):
    assert count_text(n) == text


@pytest.mark.parametrize(
    ("minutes", "text"),
    [
        (0.2, "under a minute"),
        (1.2, "1 minute"),
        (14.4, "14 minutes"),
        (90, "1.5 hours"),
        (60 * 24 * 3.5, "3.5 days"),
    ],
)
def test_a_duration_is_told_in_its_largest_unit(minutes, text):
    assert duration_text(minutes) == text


def test_one_is_not_several():
    assert plural(1, "file") == "1 file"
    assert plural(1_024, "file") == "1,024 files"
