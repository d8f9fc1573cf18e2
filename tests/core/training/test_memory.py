import pytest

from core.config import ModelConfig
from core.errors import TrainingError
from core.model.encoder_decoder import n_parameters
from core.training.memory import available_memory, check_memory

SMALL = ModelConfig(n_vocab=16, n_ctx=8, d_model=8, n_heads=2, n_layers=2)


def test_a_parameter_takes_sixteen_bytes() -> None:
    needed = 16 * n_parameters(SMALL)
    check_memory(SMALL, available=needed)
    with pytest.raises(TrainingError, match=r"needs about 0\.0 GB"):
        check_memory(SMALL, available=needed - 1)


def test_a_huge_model_is_refused_with_its_gigabytes() -> None:
    huge = ModelConfig(d_model=65_536, n_layers=96, n_heads=64)
    with pytest.raises(TrainingError, match=r"about 79,[\d]+\.\d GB and 8\.0 GB"):
        check_memory(huge, available=8e9)


def test_this_machine_says_what_it_has() -> None:
    room = available_memory()
    assert room is None or room > 1e6
