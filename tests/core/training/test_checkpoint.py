import dataclasses
import json
import re
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.bundle import open_bundle
from core.errors import CheckpointError, TrainingError
from core.tokenizers.bpe import BpeTokenizer
from core.training.checkpoint import (
    Counters,
    best_step,
    checkpoints,
    load_checkpoint,
    newest_step,
    read_counters,
    remove_leftovers,
    save_checkpoint,
)
from core.training.config import TrainingConfig
from core.training.corpus import Windows, windows_of
from core.training.trainer import Trainer
from tests.helpers.bundles import tiny_bundle, tiny_tokenizer

MODEL = dataclasses.replace(tiny_bundle().config, dropout=0.2)
CONFIG = TrainingConfig(n_steps=20, batch_size=2, keep=2)


def trainer_after(n_steps: int, seed: int = 1) -> tuple[Trainer, Windows]:
    trainer = Trainer(
        dataclasses.replace(CONFIG, seed=seed), MODEL, torch.device("cpu")
    )
    ids = torch.randint(0, MODEL.n_vocab, (200,), generator=trainer.draws).numpy()
    windows = windows_of(ids, MODEL.n_ctx, "")
    for _ in range(n_steps):
        trainer.advance(windows)
    return trainer, windows


def saved(run: Path, n_steps: int = 3, loss: float | None = None) -> Path:
    trainer, _ = trainer_after(n_steps)
    counters = Counters(step=n_steps, loss=loss, best_loss=loss)
    return save_checkpoint(run, trainer, tiny_tokenizer(), counters)


def test_a_loaded_trainer_makes_the_very_same_steps(tmp_path: Path) -> None:
    straight, windows = trainer_after(3)
    folder = save_checkpoint(tmp_path, straight, tiny_tokenizer(), Counters(step=3))
    expected = [straight.advance(windows) for _ in range(3)]
    resumed, _ = trainer_after(0, seed=7)
    assert load_checkpoint(folder, resumed, tiny_tokenizer()) == Counters(
        step=3, best_step=3
    )
    assert [resumed.advance(windows) for _ in range(3)] == expected
    for address, weight in straight.model.weights().items():
        assert torch.equal(weight, resumed.model.weights()[address]), address


def test_a_checkpoint_is_a_model_that_can_be_opened(tmp_path: Path) -> None:
    run = tmp_path / "cats"
    bundle = open_bundle(saved(run), device="cpu")
    assert bundle.name == "cats, step 3"
    assert bundle.tokenizer.fingerprint == tiny_tokenizer().fingerprint


def test_counters_come_back(tmp_path: Path) -> None:
    assert read_counters(saved(tmp_path, loss=2.5)) == Counters(
        step=3, loss=2.5, best_loss=2.5, best_step=3
    )


def test_the_newest_and_the_best_are_kept(tmp_path: Path) -> None:
    for step, loss in enumerate((3.0, 1.0, 2.0, 2.5, 2.6), 1):
        saved(tmp_path, step, loss)
    assert [int(folder.name[5:]) for folder in checkpoints(tmp_path)] == [2, 5]
    assert newest_step(tmp_path) == 5
    assert best_step(tmp_path) == 2
    best = [read_counters(folder).best_step for folder in checkpoints(tmp_path)]
    assert best == [2, 2]


def test_a_budget_of_disk_leaves_the_best_and_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.CONFIG", TrainingConfig(disk_budget_mb=1e-6))
    for step, loss in enumerate((3.0, 1.0, 2.0, 2.5), 1):
        saved(tmp_path, step, loss)
    assert [int(folder.name[5:]) for folder in checkpoints(tmp_path)] == [2, 4]


def test_a_run_without_checkpoints_has_no_best_one(tmp_path: Path) -> None:
    assert best_step(tmp_path) is None


def test_a_state_without_a_moment_changes_nothing(tmp_path: Path) -> None:
    path = saved(tmp_path) / "training.safetensors"
    state = load_file(path)
    del state["exp_avg_sq.embed.W_E"]
    save_file(state, path)
    trainer, _ = trainer_after(0, seed=7)
    before = trainer.model.embed.W_E.clone()
    with pytest.raises(CheckpointError, match=r"lacks exp_avg_sq\.embed\.W_E; remove"):
        load_checkpoint(path.parent, trainer, tiny_tokenizer())
    assert torch.equal(trainer.model.embed.W_E, before)
    assert trainer.step == 0


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "training.json",
        "training.safetensors",
    ],
)
def test_a_missing_file_is_named_and_nothing_is_half_opened(
    tmp_path: Path, name: str
) -> None:
    folder = saved(tmp_path)
    (folder / name).unlink()
    trainer, _ = trainer_after(0, seed=7)
    before = trainer.model.embed.W_E.clone()
    with pytest.raises(CheckpointError, match=rf"{re.escape(name)} is missing"):
        load_checkpoint(folder, trainer, tiny_tokenizer())
    assert torch.equal(trainer.model.embed.W_E, before)


def test_a_killed_saves_leftovers_are_ignored_and_removed(tmp_path: Path) -> None:
    whole = saved(tmp_path)
    for name in ("step-00000009.partial", "step-00000002.old"):
        (tmp_path / "checkpoints" / name).mkdir()
    assert checkpoints(tmp_path) == [whole]
    remove_leftovers(tmp_path)
    assert list((tmp_path / "checkpoints").iterdir()) == [whole]


def test_a_save_that_fails_leaves_the_older_checkpoint_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = saved(tmp_path)
    before = {file.name: file.read_bytes() for file in whole.iterdir()}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.files.os.fsync", full)
    with pytest.raises(CheckpointError, match=r"No space left on device.*make room"):
        saved(tmp_path, 5)
    assert list((tmp_path / "checkpoints").iterdir()) == [whole]
    assert {file.name: file.read_bytes() for file in whole.iterdir()} == before


def test_another_model_or_tokenizer_is_refused_by_its_difference(
    tmp_path: Path,
) -> None:
    folder = saved(tmp_path)
    wide = dataclasses.replace(MODEL, d_model=16, d_ff=0)
    trainer = Trainer(CONFIG, wide, torch.device("cpu"))
    with pytest.raises(TrainingError, match=r"d_model = 8, the run's config says 16"):
        load_checkpoint(folder, trainer, tiny_tokenizer())
    other = BpeTokenizer.from_merges([(b"a", b"b")])
    with pytest.raises(TrainingError, match="another tokenizer"):
        load_checkpoint(folder, trainer_after(0)[0], other)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is missing or damaged"),
        pytest.param("[" * 100_000, "is missing or damaged", id="brackets"),
        ("{}", "is missing or damaged"),
        ("[]", "is missing or damaged"),
        (
            json.dumps({"format": "glassformer-training", "version": 9, "step": 3}),
            "is glassformer-training 9 and this program reads",
        ),
    ],
)
def test_damaged_counters_are_refused(tmp_path: Path, content: str, words: str) -> None:
    folder = saved(tmp_path)
    (folder / "training.json").write_text(content, encoding="utf-8")
    with pytest.raises(CheckpointError, match=words):
        read_counters(folder)


def test_a_damaged_old_checkpoint_does_not_stop_a_save(tmp_path: Path) -> None:
    (saved(tmp_path, 1) / "training.json").write_text("{", encoding="utf-8")
    for step in (2, 3):
        saved(tmp_path, step)
    assert newest_step(tmp_path) == 3


def test_a_cut_off_state_file_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path) / "training.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(
        CheckpointError, match=r"training\.safetensors is damaged.*or remove step-"
    ):
        load_checkpoint(path.parent, trainer_after(0)[0], tiny_tokenizer())


def test_what_only_looks_like_a_checkpoint_is_none(tmp_path: Path) -> None:
    place = tmp_path / "checkpoints"
    for name in ("step-00000004", "step-abcdefgh", "step-00000009.partial"):
        (place / name).mkdir(parents=True)
    (place / "step-00000010").write_text("", encoding="utf-8")
    assert newest_step(tmp_path) == 4
