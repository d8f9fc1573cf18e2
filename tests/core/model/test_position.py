"""Waves are the same numbers however many of them were ever asked for."""

import pytest
import torch

from core.config import ModelConfig
from core.model import functions
from core.model.position import FIRST_ROWS, SinusoidalPosition

LONG = 3 * FIRST_ROWS + 5


def position(n_ctx: int, d_model: int = 6) -> SinusoidalPosition:
    config = ModelConfig(n_ctx=n_ctx, d_model=d_model, n_heads=2, position="sinusoidal")
    return SinusoidalPosition(config)


@pytest.mark.parametrize("d_model", [2, 6, 64])
def test_a_grown_table_has_the_bits_of_a_whole_one(d_model: int) -> None:
    module = position(LONG, d_model)
    whole = functions.sinusoid(torch.arange(LONG), d_model, module.config.sinusoid_base)
    for start, stop in ((0, 3), (3, 4), (0, FIRST_ROWS + 1), (LONG - 2, LONG), (0, 5)):
        rows = torch.arange(start, stop)
        assert torch.equal(module(rows), whole[start:stop])


def test_a_context_of_millions_takes_the_memory_of_what_is_read() -> None:
    module = position(50_000_000)
    module(torch.arange(10))
    assert module._waves is not None
    assert len(module._waves) == FIRST_ROWS
    module(torch.tensor([FIRST_ROWS]))
    assert len(module._waves) == 2 * FIRST_ROWS


def test_a_position_beyond_the_context_is_refused() -> None:
    with pytest.raises(IndexError):
        position(4)(torch.tensor([4]))
