import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import CheckpointError, TrainingError
from core.files import (
    folder_made_whole,
    held_alone,
    is_held,
    remove_folder,
    write_whole,
)


def test_a_file_is_replaced_and_nothing_is_left_over(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"gone.a\.txt could not be written"):
        write_whole(tmp_path / "gone" / "a.txt", b"")


def test_a_file_that_cannot_be_pushed_to_the_disk_keeps_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.files.os.fsync", full)
    with pytest.raises(CheckpointError, match="No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_gets_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run" / "step"
    with folder_made_whole(path) as partial:
        (partial / "a.txt").write_bytes(b"a")
        assert not path.exists()
    assert [file.name for file in path.iterdir()] == ["a.txt"]


def test_a_fault_in_a_folder_that_is_filled_names_what_people_know(
    tmp_path: Path,
) -> None:
    with folder_made_whole(tmp_path / "step") as partial:
        (partial / "a.txt").mkdir()
        with pytest.raises(CheckpointError, match=r"step.a\.txt could not") as told:
            write_whole(partial / "a.txt", b"")
    assert ".partial" not in str(told.value)


def test_a_folder_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "step"
    for name in ("old", "new"):
        with folder_made_whole(path) as partial:
            (partial / name).touch()
    assert [file.name for file in path.iterdir()] == ["new"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_was_not_finished_is_not_there(tmp_path: Path) -> None:
    def fill() -> None:
        with folder_made_whole(tmp_path / "step") as partial:
            (partial / "a.txt").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill()
    assert list(tmp_path.iterdir()) == []


def test_removing_what_is_not_there_is_no_fault(tmp_path: Path) -> None:
    remove_folder(tmp_path / "gone")


def test_a_lock_is_held_by_one_and_let_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with held_alone(path), pytest.raises(TrainingError, match="another process"):
        held_alone(path).__enter__()
    with held_alone(path):
        assert path.exists()


def test_a_lock_is_held_inside_the_block_alone(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not is_held(lock)
    with held_alone(lock):
        assert is_held(lock)
        assert is_held(lock)  # asking takes nothing away
    assert not is_held(lock)


def test_who_asks_for_a_lock_does_not_keep_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch()
    assert not is_held(lock)
    with held_alone(lock):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    code = (
        "import os, sys; from pathlib import Path; from core.files import *\n"
        "with held_alone(Path(sys.argv[1])):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", code, str(lock)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        assert is_held(lock)
        holder.kill()
        holder.wait()
    assert not is_held(lock)
