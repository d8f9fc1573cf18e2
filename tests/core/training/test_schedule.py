import pytest

from core.training.config import TrainingConfig
from core.training.schedule import learning_rate

COSINE = TrainingConfig(n_steps=100, learning_rate=1e-3)
WARM = TrainingConfig(
    n_steps=110, learning_rate=1e-3, min_learning_rate=1e-4, warmup_steps=10
)


@pytest.mark.parametrize(
    ("step", "rate"), [(0, 1e-3), (50, 5.000e-4), (51, 4.843e-4), (100, 0.0)]
)
def test_without_warm_up_the_rate_is_half_a_cosine(step: int, rate: float) -> None:
    assert learning_rate(step, COSINE) == pytest.approx(rate, abs=5e-8)


@pytest.mark.parametrize(
    ("step", "rate"), [(1, 1e-4), (5, 5e-4), (10, 1e-3), (60, 5.5e-4), (110, 1e-4)]
)
def test_the_rate_rises_in_a_line_and_falls_to_its_least(
    step: int, rate: float
) -> None:
    assert learning_rate(step, WARM) == pytest.approx(rate)


def test_the_first_step_already_learns() -> None:
    assert learning_rate(1, WARM) > 0


def test_a_warm_up_longer_than_the_run_only_rises() -> None:
    config = TrainingConfig(n_steps=5, learning_rate=1.0, warmup_steps=10)
    rates = [learning_rate(step, config) for step in range(1, 6)]
    assert rates == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
