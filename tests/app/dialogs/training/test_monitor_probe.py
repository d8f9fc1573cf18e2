"""What the monitor reads of a look inside: patterns of heads, and their names."""

import numpy as np
import pytest

from app.dialogs.training.monitor_heads import RisenHead, part_words
from app.dialogs.training.monitor_probe import pattern_matrix, read_patterns

TOKENS = ["The", " cat", " sat"]


def test_what_a_token_may_not_see_is_empty():
    matrix = pattern_matrix(np.tril(np.ones((3, 3), np.float32)), TOKENS)
    assert np.isnan(matrix.values[0, 1])
    assert matrix.values[1, 0] == 1
    assert pattern_matrix(np.ones((2, 2), np.float32), TOKENS) is None


@pytest.mark.parametrize("content", [b"", b"no array", None])
def test_patterns_that_cannot_be_read_are_missing(tmp_path, content):
    path = tmp_path / "step.npy"
    if content is not None:
        path.write_bytes(content)
    assert read_patterns(path) is None


def test_patterns_of_another_shape_are_missing(tmp_path):
    np.save(tmp_path / "step.npy", np.zeros((2, 3, 3), np.float16))
    assert read_patterns(tmp_path / "step.npy") is None


def test_heads_are_named_and_counted():
    heads = [RisenHead(0, n, 0.9, 0.0, 10) for n in range(5)]
    assert part_words("induction", heads).endswith("(0.90, since step 10) and 2 more.")
