"""Runs on pairs; torch's generator is left as it was found."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from tests.helpers.runs import write_pairs_run


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    """Make a run's folder in the test's own; see `write_pairs_run`."""
    return lambda name="run", **fields: write_pairs_run(tmp_path / name, **fields)


@pytest.fixture(autouse=True)
def _generator_left_as_found() -> Iterator[None]:
    state = torch.get_rng_state()
    yield
    torch.set_rng_state(state)
