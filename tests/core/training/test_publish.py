"""A model taken out of its run is the run's newest, in half the bytes."""

import shutil
from pathlib import Path

import pytest

from core.checkpoints.native import read_model
from core.training.publish import main, publish
from tests.helpers.bundles import save_tiny, tiny_bundle


def run_with_checkpoint(folder: Path) -> Path:
    run = folder / "run"
    save_tiny(run / "checkpoints" / "step-00000007")
    (run / "config.toml").write_text("[training]\nseed = 1\n", encoding="utf-8")
    (run / "events.jsonl").write_text('{"event": "saved"}\n', encoding="utf-8")
    return run


def test_a_published_model_has_the_runs_weights_to_float16(tmp_path: Path) -> None:
    publish(run_with_checkpoint(tmp_path), tmp_path / "out", "tiny")
    model = read_model(tmp_path / "out")
    assert model.name == "tiny"
    for address, weight in tiny_bundle().weights.items():
        assert model.weights[address].equal(weight.half().float())


def test_how_it_was_made_lies_beside_it(tmp_path: Path) -> None:
    run = run_with_checkpoint(tmp_path)
    publish(run, tmp_path / "out", "tiny")
    for file in ("config.toml", "events.jsonl"):
        beside = tmp_path / "out" / "recipe" / file
        assert beside.read_bytes() == (run / file).read_bytes()


def test_a_run_without_a_checkpoint_is_refused_in_a_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = run_with_checkpoint(tmp_path)
    shutil.rmtree(run / "checkpoints")
    assert main([str(run), str(tmp_path / "out")]) == 1
    assert "has no checkpoint yet" in caplog.text


def test_the_reader_is_told_of_the_narrow_file(tmp_path: Path) -> None:
    publish(run_with_checkpoint(tmp_path), tmp_path / "out", "tiny")
    assert any("float16" in note for note in read_model(tmp_path / "out").notes)


def test_a_card_is_written_unless_somebody_wrote_one(tmp_path: Path) -> None:
    run = run_with_checkpoint(tmp_path)
    publish(run, tmp_path / "out", "my cats")
    card = tmp_path / "out" / "README.md"
    assert card.read_text(encoding="utf-8").startswith("# my cats\n")
    card.write_text("By hand.", encoding="utf-8")
    publish(run, tmp_path / "out", "my cats")
    assert card.read_text(encoding="utf-8") == "By hand."
