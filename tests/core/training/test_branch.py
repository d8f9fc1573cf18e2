import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints.native import read_model
from core.errors import ConfigError, TrainingError
from core.training.branch import branch
from core.training.checkpoint import checkpoints
from core.training.config import read_config
from core.training.events import Evaluated, Finished, Started
from tests.helpers.runs import TEXT, carry_out

MakeRun = Callable[..., Path]


@pytest.fixture
def run(make_run: MakeRun) -> Path:
    """A finished run with checkpoints of steps 0, 2 and 4."""
    folder = make_run(n_steps=4, checkpoint_every=2)
    carry_out(folder)
    return folder


def test_a_branch_begins_with_the_weights_and_learns_on(run: Path) -> None:
    folder = branch(run, 2, run.with_name("new"), {"training": {"n_steps": 3}})
    start = read_model(folder / "start")
    before = read_model(run / "checkpoints/step-00000002")
    for address, weight in before.weights.items():
        assert torch.equal(weight, start.weights[address]), address
    events = carry_out(folder)
    kept = read_model(checkpoints(folder)[0])
    assert kept.name == "new, step 0"
    assert all(torch.equal(kept.weights[a], start.weights[a]) for a in start.weights)
    tested = [event for event in events if isinstance(event, Evaluated)]
    first_run = [e for e in carry_out(run) if isinstance(e, Evaluated)]
    assert [event.step for event in tested] == [0, 3]
    assert tested[0].train_loss < first_run[0].train_loss
    assert events[-1] == Finished(step=3, message="All 3 steps are done.")


def test_a_branch_has_its_own_steps_and_moments(run: Path) -> None:
    rates = {"learning_rate": 1e-5, "min_learning_rate": 1e-5}
    changes = {"training": {"n_steps": 1, **rates}}
    folder = branch(run, 4, run.with_name("new"), changes)
    events = carry_out(folder)
    (started,) = (event for event in events if isinstance(event, Started))
    assert started.step == 0
    old = read_model(run / "checkpoints/step-00000004").weights
    new = read_model(checkpoints(folder)[-1]).weights
    moved = (new["embed.W_E"] - old["embed.W_E"]).abs().max()
    # AdamW's first step from moments of zero is one learning rate long.
    assert float(moved) == pytest.approx(1e-5, rel=0.02)


def test_text_and_tokenizer_are_taken_along(run: Path) -> None:
    folder = branch(run, 4, run.with_name("new"), {})
    shutil.rmtree(run)
    assert (folder / "text.txt").read_text(encoding="utf-8") == TEXT
    assert read_config(folder).tokenizer.file == "tokenizer.json"
    assert isinstance(carry_out(folder)[-1], Finished)


def test_a_text_outside_the_run_keeps_its_place(make_run: MakeRun) -> None:
    folder = make_run(n_steps=1, data={"train": ["../outside.txt"]})
    outside = folder.with_name("outside.txt")
    outside.write_text(TEXT, encoding="utf-8")
    carry_out(folder)
    new = branch(folder, 1, folder.parent / "deep" / "new", {})
    assert read_config(new).data.train == (str(outside.resolve()),)
    assert isinstance(carry_out(new)[-1], Finished)


def test_another_text_can_be_learned(run: Path) -> None:
    other = run.with_name("other.txt")
    other.write_text("a dog sat. " * 40, encoding="utf-8")
    changes = {"data": {"train": [str(other)]}, "model": {"dropout": 0.1, "n_ctx": 16}}
    folder = branch(run, 4, run.with_name("new"), changes)
    assert not (folder / "text.txt").exists()
    config = read_config(folder)
    assert (config.model.dropout, config.model.n_ctx) == (0.1, 16)
    assert isinstance(carry_out(folder)[-1], Finished)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"model": {"n_layers": 2}}, TrainingError, r"n_layers cannot become 2.*= 1;"),
        ({"model": {"n_heads": 4}}, TrainingError, r"n_heads cannot become 4"),
        (
            {"model": {"position": "none"}},
            TrainingError,
            r"position cannot become none",
        ),
        ({"tokenizer": {"n_vocab": 300}}, TrainingError, "keeps its tokenizer"),
        ({"training": {"n_steps": 0}}, ConfigError, "n_steps = 0 must be at least 1"),
        ({"training": {"steps": 5}}, ConfigError, "steps is not a field here"),
        ({"model": {"dropout": 1.5}}, ConfigError, r"dropout = 1\.5"),
        ({"data": {"train": ["gone.txt"]}}, TrainingError, r"gone\.txt is gone"),
    ],
)
def test_what_cannot_be_changed_is_named_and_nothing_is_made(
    run: Path, changes: dict[str, dict[str, Any]], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        branch(run, 4, run.with_name("new"), changes)
    assert [each.name for each in run.parent.iterdir()] == ["run"]


def test_a_learned_table_of_positions_keeps_its_length(make_run: MakeRun) -> None:
    folder = make_run(n_steps=1, model={"position": "learned"})
    carry_out(folder)
    with pytest.raises(TrainingError, match="n_ctx cannot become 16"):
        branch(folder, 1, folder.with_name("new"), {"model": {"n_ctx": 16}})


def test_a_step_without_a_checkpoint_is_refused(run: Path) -> None:
    with pytest.raises(
        TrainingError, match=r"no checkpoint of step 3; there are 0, 2, 4"
    ):
        branch(run, 3, run.with_name("new"), {})


def test_a_folder_with_something_in_it_is_left_alone(run: Path) -> None:
    new = run.with_name("new")
    new.mkdir()
    (new / "diary.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(TrainingError, match="new is not empty"):
        branch(run, 4, new, {})
    assert [file.name for file in new.iterdir()] == ["diary.txt"]


def test_a_start_that_does_not_fit_the_config_is_refused(run: Path) -> None:
    folder = branch(run, 4, run.with_name("new"), {})
    config = folder / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("n_layers = 1", "n_layers = 2"), encoding="utf-8")
    with pytest.raises(TrainingError, match=r"trained with n_layers = 1.* says 2"):
        carry_out(folder)
