"""A run folder that this program wrote before its checkpoints had a second version."""

import shutil
from pathlib import Path

import pytest

from core.bundle import open_bundle
from core.errors import CoreError
from core.training.checkpoint import (
    Counters,
    best_step,
    checkpoints,
    newest_step,
    read_counters,
)
from core.training.events import Evaluated, Finished, Started, Stepped, line_of
from core.training.timeline import timeline
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


def test_an_old_checkpoint_has_the_loss_of_a_test_after_its_own_step(
    old_run: Path,
) -> None:
    """Its file says only the last test's loss, which may be an earlier step's."""
    events = old_run / "events.jsonl"
    lines = events.read_text(encoding="utf-8").splitlines()
    others = [line for line in lines if '"evaluated"' not in line]
    events.write_text("\n".join([*others, ""]), encoding="utf-8")
    assert [moment.loss for moment in timeline(old_run).moments] == [None]
    own = Evaluated(step=6, train_loss=5.25, valid_loss=5.5, perplexity=1.0)
    events.write_text("\n".join([*others, line_of(own), ""]), encoding="utf-8")
    assert [moment.loss for moment in timeline(old_run).moments] == [5.5]


def replace_in(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "before", "after", "words"),
    [
        ("training.json", '"version": 1', '"version": 9', "glassformer-training 9 and"),
        ("config.json", '"version": 1', '"version": 9', "has version 9 and this"),
        ("config.json", '"n_heads": 2', '"n_heads": 3', "n_heads = 3"),
        ("training.json", '"step": 6', '"steps": 6', r"damaged .*'steps'"),
    ],
)
def test_a_checkpoint_of_a_later_program_or_of_nonsense_is_named(
    old_run: Path, name: str, before: str, after: str, words: str
) -> None:
    replace_in(checkpoints(old_run)[-1] / name, before, after)
    with pytest.raises(CoreError, match=rf"{name}.*{words}"):
        carry_out(old_run)
    assert newest_step(old_run) == 6


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("n_layers = 1", "n_layers = 2", "n_layers = 1, the run's config says 2"),
        ("n_layers = 1", "n_layers = -1", "n_layers = -1 must be at least 1"),
        ("n_steps = 12", 'n_steps = "many"', "n_steps = 'many' must be a whole number"),
        ("[training]", "[trainning]", "trainning is not a table of a run"),
        ("[training]", "[training", "is not TOML"),
        ('"text.txt"', '"lost.txt"', r"lost\.txt"),
    ],
)
def test_a_config_edited_into_nonsense_is_named_and_changes_nothing(
    old_run: Path, before: str, after: str, words: str
) -> None:
    replace_in(old_run / "config.toml", before, after)
    with pytest.raises(CoreError, match=words):
        carry_out(old_run)
    assert [folder.name for folder in checkpoints(old_run)] == ["step-00000006"]
