"""What the world does to a run: it ends in one sentence and loses no checkpoint."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from core.checkpoints.native import read_model
from core.errors import CheckpointError
from core.training.__main__ import main
from core.training.checkpoint import checkpoints, newest_step, remove_leftovers
from core.training.control import Control
from core.training.events import (
    Event,
    EventLog,
    Failed,
    Finished,
    Resumed,
    Saved,
    Stepped,
    Stopped,
    read_events,
)
from core.training.trainer import Trainer
from tests.helpers.runs import carry_out

MakeRun = Callable[..., Path]


def losses(events: list[Event]) -> dict[int, float]:
    return {event.step: event.loss for event in events if isinstance(event, Stepped)}


def fail_with(number: int) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def at_step(monkeypatch: pytest.MonkeyPatch, step: int, act: Callable[[], Any]) -> None:
    """Let something happen to a run right after one of its steps."""
    advance = Trainer.advance

    def advance_and_act(trainer: Trainer, windows: Any) -> Any:
        figures = advance(trainer, windows)
        if trainer.step == step:
            act()
        return figures

    monkeypatch.setattr(Trainer, "advance", advance_and_act)


def test_a_full_disk_ends_the_run_in_a_sentence_and_it_goes_on_later(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    straight = losses(carry_out(make_run(name="straight", checkpoint_every=2)))
    folder = make_run(checkpoint_every=2)
    full = fail_with(errno.ENOSPC)
    at_step(monkeypatch, 3, lambda: monkeypatch.setattr("core.files.os.fsync", full))
    assert main([str(folder)]) == 1
    last = list(read_events(folder))[-1]
    assert isinstance(last, Failed)
    assert "could not be written (No space left on device)" in last.message
    assert "step-00000004" in last.message
    assert ".partial" not in last.message
    assert last.message in caplog.text
    names = sorted(each.name for each in (folder / "checkpoints").iterdir())
    assert names == ["step-00000000", "step-00000002"]
    monkeypatch.undo()
    assert losses(carry_out(folder)) == straight


class HalfFull:
    """A file that takes only the first bytes of what is written."""

    def __init__(self, file: Any, n_bytes: int) -> None:
        self.file = file
        self.n_bytes = n_bytes

    def write(self, data: bytes) -> int:
        return int(self.file.write(data[: self.n_bytes]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_a_line_that_the_disk_cut_off_is_ended_before_the_next(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    file = log._file
    log._file = HalfFull(file, 7)  # type: ignore[assignment]
    with pytest.raises(CheckpointError, match=r"events\.jsonl could not .*No space"):
        log.write(Failed(message="lost"))
    log._file = file
    log.write(Failed(message="kept"))
    log.close()
    assert list(read_events(tmp_path)) == [Failed(message="kept")]


def test_a_full_disk_under_the_events_is_a_sentence_on_the_command_line(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make_run(checkpoint_every=2)
    full = fail_with(errno.ENOSPC)
    at_step(
        monkeypatch,
        3,
        lambda: monkeypatch.setattr(EventLog, "_end_torn_line", full),
    )
    assert main([str(folder)]) == 1
    said = [each for each in caplog.messages if "could not be written" in each]
    assert said
    assert "events.jsonl could not be written (No space left on device)" in said[-1]
    assert newest_step(folder) == 2


@pytest.mark.skipif(os.name == "nt", reason="an open folder cannot be removed there")
def test_a_run_whose_folder_is_deleted_ends_and_does_not_bring_it_back(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make_run(n_steps=1_000_000, checkpoint_every=2, log_every=1)
    at_step(monkeypatch, 4, lambda: shutil.rmtree(folder))
    assert main([str(folder)]) == 1
    assert f"{folder} was deleted while" in caplog.text
    assert "put the folder back and start the run again" in caplog.text
    assert not folder.exists()


@pytest.mark.skipif(os.name == "nt", reason="an open folder cannot be removed there")
def test_a_paused_run_whose_folder_is_deleted_ends_too(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make_run()
    told = iter(["pause"])
    monkeypatch.setattr(Control, "command", lambda _: next(told, None))
    monkeypatch.setattr(
        "core.training.loop.time.sleep", lambda _: shutil.rmtree(folder)
    )
    assert main([str(folder)]) == 1
    assert caplog.text.count(f"{folder} was deleted while") == 1  # said once
    assert not folder.exists()


@pytest.mark.skipif(os.name == "nt", reason="an open folder cannot be renamed there")
def test_a_renamed_run_keeps_its_checkpoints_and_goes_on_under_its_new_name(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, new = make_run(checkpoint_every=2), make_run(name="gone").with_name("new")
    at_step(monkeypatch, 3, lambda: folder.rename(new))
    assert main([str(folder)]) == 1
    monkeypatch.undo()
    last = list(read_events(new))[-1]
    assert isinstance(last, Failed)  # the run tells it under its new name
    assert last.message.startswith(f"{folder} was renamed or moved while")
    assert "start it again where it is now" in last.message
    assert newest_step(new) == 2
    assert isinstance(carry_out(new)[-1], Finished)
    assert not folder.exists()


def test_a_run_whose_events_are_removed_names_the_file(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make_run(checkpoint_every=2)
    events = folder / "events.jsonl"
    at_step(monkeypatch, 3, lambda: events.rename(folder / "away"))
    assert main([str(folder)]) == 1
    assert f"{events} was removed or renamed while the run" in caplog.text
    assert newest_step(folder) == 2


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_read_only_folder_is_refused_in_a_sentence(
    make_run: MakeRun,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    number: int,
) -> None:
    folder = make_run()
    monkeypatch.setattr("core.files.open", fail_with(number), raising=False)
    assert main([str(folder)]) == 1
    reason = os.strerror(number)
    assert f"lock could not be written ({reason}); make room there" in caplog.text


def test_a_folder_that_becomes_read_only_keeps_its_checkpoints(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run(checkpoint_every=2)
    refuse = fail_with(errno.EROFS)
    at_step(monkeypatch, 3, lambda: monkeypatch.setattr(Path, "mkdir", refuse))
    assert main([str(folder)]) == 1
    last = list(read_events(folder))[-1]
    assert isinstance(last, Failed)
    assert "could not be written (Read-only file system)" in last.message
    assert all(
        bool(weight.isfinite().all())
        for weight in read_model(checkpoints(folder)[-1]).weights.values()
    )


@pytest.fixture
def straight(make_run: MakeRun) -> dict[int, float]:
    return losses(carry_out(make_run(name="straight")))


def test_a_clock_set_back_changes_nothing(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, straight: dict[int, float]
) -> None:
    backwards = count(1e9, -3600.0)
    monkeypatch.setattr("time.time", lambda: next(backwards))
    folder = make_run(checkpoint_every=1)
    assert losses(carry_out(folder)) == straight
    assert newest_step(folder) == 6


@pytest.mark.parametrize("step_s", [8 * 3600.0, 0.0])
def test_a_night_asleep_and_a_clock_that_stands_only_change_the_speed_shown(
    make_run: MakeRun,
    monkeypatch: pytest.MonkeyPatch,
    straight: dict[int, float],
    step_s: float,
) -> None:
    clock = count(1.0, step_s)
    monkeypatch.setattr("core.training.loop.time.perf_counter", lambda: next(clock))
    events = carry_out(make_run())
    assert losses(events) == straight
    speeds = [e.tokens_per_second for e in events if isinstance(e, Stepped)]
    assert all(0 < speed < 1e12 for speed in speeds)


@pytest.fixture
def killed(make_run: MakeRun) -> Iterator[Path]:
    """A run whose trainer died while it saved and while it removed."""
    folder = make_run(checkpoint_every=2)
    carry_out(folder)
    shutil.rmtree(folder / "checkpoints/step-00000006")
    for name in ("step-00000006.partial", "step-00000001.old"):
        shutil.copytree(
            folder / "checkpoints/step-00000002", folder / "checkpoints" / name
        )
    return folder


def test_what_a_killed_trainer_left_is_cleared_away_and_the_run_goes_on(
    killed: Path,
) -> None:
    assert newest_step(killed) == 4
    events = carry_out(killed)
    assert isinstance(events[-1], Finished)
    names = sorted(each.name for each in (killed / "checkpoints").iterdir())
    assert names == [f"step-0000000{step}" for step in (0, 2, 4, 6)]
    remove_leftovers(killed)
    assert newest_step(killed) == 6


def test_words_that_come_while_paused_are_each_obeyed(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = iter(["pause", None, "resume", "pause", "stop"])
    monkeypatch.setattr(Control, "command", lambda _: next(told, None))
    monkeypatch.setattr("core.training.loop.PAUSE_POLL_S", 0.0)
    events = carry_out(make_run())
    kinds = [type(e) for e in events if isinstance(e, Saved | Resumed | Stopped)]
    assert kinds == [Saved, Saved, Resumed, Saved, Stopped]  # first of all, step 0
