"""Runs in folders whose names are hard: other letters, signs, very long, read-only."""

from pathlib import Path

import pytest

from core.bundle import open_bundle
from core.pipeline import run_trace
from core.training.checkpoint import checkpoints
from core.training.events import Finished, Probed, Saved
from core.training.timeline import timeline_of
from tests.helpers.runs import carry_out, write_run

LONG_PATH = 250
"""Letters: what older systems allow for a whole path."""


def long_name(parent: Path, below: int) -> str:
    """A name that makes a path of the run about as long as is allowed."""
    return "x" * max(1, LONG_PATH - len(str(parent)) - below)


@pytest.mark.parametrize("name", ["Модель 模型 é", "a#b %20", "Ünï 用户 🙂", "long"])
def test_a_run_learns_saves_and_opens_under_any_name(tmp_path: Path, name: str) -> None:
    name = long_name(tmp_path, below=70) if name == "long" else name
    watch = {"probe_every": 2, "sentence": "the cat"}
    run = write_run(tmp_path / name, checkpoint_every=3, watch=watch)
    (run / "text.txt").rename(run / "текст 文.txt")
    config = (run / "config.toml").read_text(encoding="utf-8")
    config = config.replace("text.txt", "текст 文.txt")
    (run / "config.toml").write_text(config, encoding="utf-8")
    events = carry_out(run)
    assert isinstance(events[-1], Finished)
    for event in events:
        if isinstance(event, Saved):
            assert (run / event.folder).is_dir()
        if isinstance(event, Probed):
            assert (run / event.file).is_file()
    newest = checkpoints(run)[-1]
    bundle = open_bundle(newest, device="cpu")
    assert bundle.name == f"{name}, step 6"
    assert run_trace(bundle, "the cat").n == 7
    found = timeline_of(newest)
    assert found is not None
    assert found.name == name


def test_a_model_is_read_where_nothing_may_be_written(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    carry_out(run)
    folder = checkpoints(run)[-1]
    before = {file: file.stat().st_mtime_ns for file in run.rglob("*")}
    for file in before:
        file.chmod(0o555 if file.is_dir() else 0o444)
    try:
        run_trace(open_bundle(folder, device="cpu"), "the cat")
        after = {file: file.stat().st_mtime_ns for file in run.rglob("*")}
        assert after == before  # also for root, whom no mode keeps from writing
    finally:
        for file in before:
            file.chmod(0o755 if file.is_dir() else 0o644)
