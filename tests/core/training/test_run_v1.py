"""A run folder that this program wrote before its checkpoints had a second version."""

import shutil
from pathlib import Path

import pytest

from core.bundle import open_bundle
from core.training.checkpoint import (
    Counters,
    best_step,
    checkpoints,
    newest_step,
    read_counters,
)
from core.training.events import Finished, Started, Stepped
from tests.helpers.runs import carry_out

FOLDER = Path(__file__).parents[2] / "data" / "run_v1"
LOSSES_FROM_STEP_7 = (5.519896, 5.524653, 5.508226, 5.515672, 5.506360, 5.514247)
"""Of the run when it was not interrupted, with dropout."""


@pytest.fixture
def old_run(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "run_v1"))


def test_an_old_checkpoint_opens_as_a_model(old_run: Path) -> None:
    bundle = open_bundle(checkpoints(old_run)[-1], device="cpu")
    assert (bundle.config.d_model, bundle.config.n_vocab) == (8, 257)


def test_old_counters_do_not_know_the_best_checkpoint(old_run: Path) -> None:
    counters = read_counters(checkpoints(old_run)[-1])
    assert counters == Counters(
        step=6, loss=pytest.approx(5.507294), best_loss=pytest.approx(5.507294)
    )
    assert counters.best_step is None
    assert best_step(old_run) == 6


def test_an_old_run_goes_on_with_the_losses_it_would_have_had(old_run: Path) -> None:
    events = carry_out(old_run)
    assert [e.step for e in events if isinstance(e, Started)] == [0, 6]
    losses = [e.loss for e in events if isinstance(e, Stepped) and e.step > 6]
    assert losses == pytest.approx(LOSSES_FROM_STEP_7, abs=1e-4)
    assert isinstance(events[-1], Finished)
    assert newest_step(old_run) == 12
    assert read_counters(checkpoints(old_run)[-1]).best_step == 12
