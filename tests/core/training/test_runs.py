import errno
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import TrainingError
from core.files import held_alone, is_held
from core.training import __main__ as program
from core.training import runs
from core.training.events import (
    EVENTS_FILE,
    Event,
    Failed,
    Finished,
    Paused,
    Resumed,
    Sampled,
    Stopped,
    line_of,
)
from core.training.runs import (
    LOCK_FILE,
    RECIPE,
    first_prompts,
    free_folder,
    list_runs,
    model_in,
    rename_run,
    run_info,
    run_of,
)
from tests.helpers.bundles import save_tiny
from tests.helpers.run_events import evaluated, started, stepped, write_events
from tests.helpers.runs import write_run

PAUSED = Paused(step=7, message="Waiting after step 7.")
RESUMED = Resumed(step=7, message="Going on.")
STOPPED = Stopped(step=7, message="Stopped after step 7.")
FINISHED = Finished(step=100, message="All 100 steps are done.")
FAILED = Failed(message="Step 9 has loss nan.")


def run_with(folder: Path, events: Iterable[Event]) -> Path:
    run = write_run(folder, n_steps=100)
    write_events(run, events)
    return run


def with_checkpoint(run: Path, step: int = 7, version: int = 1) -> Path:
    folder = save_tiny(run / "checkpoints" / f"step-{step:08d}")
    about = {"format": "glassformer-training", "version": version, "step": step}
    (folder / "training.json").write_text(json.dumps(about), encoding="utf-8")
    (folder / "training.safetensors").touch()
    return folder


@pytest.mark.parametrize(
    ("events", "alone", "trained"),
    [
        ([], "new", "running"),
        ([started()], "crashed", "running"),
        ([started(), stepped(7)], "crashed", "running"),
        ([started(), PAUSED], "stopped", "paused"),
        ([started(), PAUSED, RESUMED], "crashed", "running"),
        ([started(), STOPPED], "stopped", "running"),
        ([started(), STOPPED, started(7)], "crashed", "running"),
        ([started(), FINISHED], "finished", "running"),
        ([started(), FAILED], "crashed", "running"),
    ],
)
def test_a_run_is_what_its_last_turn_and_its_lock_say(
    tmp_path: Path, events: list[Event], alone: str, trained: str
) -> None:
    run = run_with(tmp_path / "run", events)
    assert run_info(run).status == alone
    with held_alone(run / runs.LOCK_FILE):
        assert run_info(run).status == trained


def test_a_run_in_a_line(tmp_path: Path) -> None:
    events: list[Event] = [
        started(),
        evaluated(0, 5.0),
        stepped(3),
        evaluated(4, 3.0),
        evaluated(6, 4.0),
    ]
    info = run_info(run_with(tmp_path / "cats", [*events, stepped(7)]))
    assert (info.name, info.step, info.n_steps) == ("cats", 7, 100)
    assert (info.best_loss, info.best_step) == (3.0, 4)
    assert info.changed == (tmp_path / "cats" / EVENTS_FILE).stat().st_mtime
    assert info.message == ""
    assert info.fault == ""


def test_without_a_validation_text_the_training_text_tells_the_best(
    tmp_path: Path,
) -> None:
    events: list[Event] = [started(), evaluated(0, None, 5.0), evaluated(4, None, 2.0)]
    assert run_info(run_with(tmp_path / "run", events)).best_loss == 2.0


def test_a_resumed_run_forgets_what_came_after_its_checkpoint(tmp_path: Path) -> None:
    events: list[Event] = [
        started(),
        evaluated(0, 5.0),
        evaluated(40, 1.0),
        started(20, n_steps=300),
    ]
    info = run_info(run_with(tmp_path / "run", events))
    assert (info.step, info.n_steps, info.best_loss) == (20, 300, 5.0)


def test_a_run_that_failed_says_why(tmp_path: Path) -> None:
    info = run_info(run_with(tmp_path / "run", [started(), FAILED]))
    assert info.message == "Step 9 has loss nan."


def test_a_long_run_is_read_from_its_end_and_its_tests(tmp_path: Path) -> None:
    middle: list[Event] = [evaluated(500, 1.5), *(stepped(i) for i in range(501, 2000))]
    run = run_with(tmp_path / "run", [started(n_steps=9000), *middle])
    assert (run / EVENTS_FILE).stat().st_size > 2 * runs.TAIL_BYTES
    info = run_info(run)
    assert (info.step, info.n_steps, info.best_step) == (1999, 9000, 500)


def test_new_events_are_seen_at_the_next_look(tmp_path: Path) -> None:
    run = run_with(tmp_path / "run", [started(), evaluated(0, 5.0)])
    assert run_info(run).best_loss == 5.0
    with open(run / EVENTS_FILE, "a", encoding="utf-8") as file:
        file.write(f"{line_of(evaluated(3, 4.0))}\n")
    assert run_info(run).best_loss == 4.0


def test_the_size_counts_every_file_once_and_follows_no_link(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    before = run_info(run).size
    (tmp_path / "text").write_bytes(bytes(100_000))
    (run / "linked").symlink_to(tmp_path / "text")
    (run / "cache").mkdir()
    (run / "cache" / "ids").write_bytes(bytes(500))
    assert 500 <= run_info(run).size - before < 1000


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (None, "cannot be read"),
        ("[model\n", "is not TOML"),
        ("[model]\nn_heads = 7\n[data]\ntrain = ['a']\n", "n_heads = 7"),
        ("[training]\nn_steps = -3\n[data]\ntrain = ['a']\n", "n_steps = -3"),
    ],
)
def test_a_run_with_a_spoilt_configuration_is_named(
    tmp_path: Path, config: str | None, words: str
) -> None:
    run = run_with(tmp_path / "run", [started(), FINISHED])
    (run / "config.toml").unlink()
    if config is not None:
        (run / "config.toml").write_text(config, encoding="utf-8")
    (info,) = list_runs(tmp_path)
    assert words in info.fault
    assert "config.toml" in info.fault
    assert (info.status, info.n_steps) == ("finished", 100)


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
def test_a_file_that_the_newest_checkpoint_lacks_is_named(
    tmp_path: Path, name: str
) -> None:
    run = run_with(tmp_path / "run", [started(), STOPPED])
    folder = with_checkpoint(run)
    assert run_info(run).fault == ""
    (folder / name).unlink()
    assert str(folder / name) in run_info(run).fault


def test_a_checkpoint_of_a_newer_program_is_named(tmp_path: Path) -> None:
    run = run_with(tmp_path / "run", [started(), STOPPED])
    with_checkpoint(run, version=99)
    assert "training.json is glassformer-training 99" in run_info(run).fault


def test_checkpoints_are_counted(tmp_path: Path) -> None:
    run = run_with(tmp_path / "run", [started(), STOPPED])
    for step in (3, 7):
        with_checkpoint(run, step)
    assert run_info(run).n_checkpoints == 2


def test_runs_are_listed_with_the_last_changed_first(tmp_path: Path) -> None:
    for name, time_s in (("old", 10), ("new", 30), ("middle", 20)):
        run = run_with(tmp_path / name, [started()])
        os.utime(run / EVENTS_FILE, (time_s, time_s))
    (tmp_path / "no run").mkdir()
    (tmp_path / "file.txt").touch()
    assert [run.name for run in list_runs(tmp_path)] == ["new", "middle", "old"]


def test_a_place_without_runs_has_none(tmp_path: Path) -> None:
    assert list_runs(tmp_path / "gone") == ()


def test_a_checkpoint_knows_its_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    folder = with_checkpoint(run)
    assert run_of(folder) == run.resolve()
    assert run_of(save_tiny(tmp_path / "elsewhere" / "step-00000001")) is None


def test_of_a_run_its_newest_checkpoint_is_opened(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    assert model_in(run) == run
    folders = [with_checkpoint(run, step) for step in (7, 100, 20)]
    assert model_in(run) == folders[1]
    assert model_in(folders[0]) == folders[0]
    assert model_in(tmp_path) == tmp_path


def test_a_run_is_renamed_with_a_number_where_the_name_is_taken(tmp_path: Path) -> None:
    first, second = (write_run(tmp_path / name) for name in ("a", "b"))
    assert rename_run(first, "кошки 模型") == tmp_path / "кошки 模型"
    assert rename_run(second, "кошки 模型") == tmp_path / "кошки 模型 2"
    assert not first.exists()


def test_a_run_keeps_its_own_name(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a")
    assert rename_run(run, "a") == run


def test_a_run_is_not_renamed_while_it_is_trained(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    with (
        held_alone(run / runs.LOCK_FILE),
        pytest.raises(TrainingError, match="stop it"),
    ):
        rename_run(run, "other")
    assert run.exists()


@pytest.mark.parametrize(
    "name", ["", " a", "a.", "..", "a/b", "a\\b", "a:b", "NUL", "com1.txt", "é" * 101]
)
def test_a_name_that_some_system_forbids_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(TrainingError, match="cannot be the name of a folder"):
        free_folder(tmp_path, name)


@pytest.mark.parametrize("name", ["a", "50 % #1 %20", "a.b", "compact", "Ünï 用户"])
def test_a_free_name_is_taken_literally(tmp_path: Path, name: str) -> None:
    assert free_folder(tmp_path, name) == tmp_path / name


def test_the_lock_that_is_asked_for_is_the_one_the_program_holds() -> None:
    assert program.LOCK_FILE == runs.LOCK_FILE


def test_a_place_that_is_too_long_for_the_system_is_not_there(tmp_path: Path) -> None:
    place = tmp_path / ("x" * 5000)
    assert free_folder(place, "a") == place / "a"


# --- network drives that carry no locks


def test_a_run_that_another_machine_took_runs_elsewhere_while_it_has_news(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run")
    write_events(run, [started()])
    with monkeypatch.context() as there, held_alone_at("far", run, there):
        (run / LOCK_FILE).rename(run / "held")  # our side sees no lock on it
        (run / LOCK_FILE).write_bytes((run / "held").read_bytes())
    info = run_info(run)
    assert info.status == "running elsewhere"
    assert info.message == "Its last word is 0 s old; far seems to train it."
    with pytest.raises(TrainingError, match="is being trained"):
        rename_run(run, "other")
    old_s = time.time() - runs.FRESH_S - 1
    os.utime(run / EVENTS_FILE, (old_s, old_s))
    assert run_info(run).status == "crashed"


def test_a_run_that_died_here_has_crashed_however_fresh_its_news_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run")
    write_events(run, [started()])
    with held_alone_at("here", run, monkeypatch):
        left = (run / LOCK_FILE).read_bytes()
    assert not (run / LOCK_FILE).read_bytes()  # who ends takes its name away
    (run / LOCK_FILE).write_bytes(left)
    assert run_info(run).status == "crashed"


def test_a_run_that_ended_elsewhere_has_ended(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    write_events(run, [started(), Finished(step=100, message="")])
    (run / LOCK_FILE).write_bytes(b"")
    assert run_info(run).status == "finished"


@pytest.mark.skipif(sys.platform == "win32", reason="has other locks")
def test_a_drive_without_locks_still_lets_train(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def refuse(_file: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with held_alone(tmp_path / LOCK_FILE):
        assert not is_held(tmp_path / LOCK_FILE)


@contextmanager
def held_alone_at(
    machine: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Hold a run's lock as a process on another machine."""
    monkeypatch.setattr("platform.node", lambda: machine)
    with held_alone(run / LOCK_FILE):
        yield


def test_a_checkpoint_and_a_published_model_know_what_they_wrote_on_from(tmp_path):
    run, published = write_run(tmp_path / "run"), save_tiny(tmp_path / "published")
    (published / RECIPE).mkdir()
    prompts = ("abc", "de", "abc")
    samples = [Sampled(step=0, prompt=each, text="?") for each in prompts]
    for place in (run, published / RECIPE):
        write_events(place, (started(), *samples))
    for folder in (with_checkpoint(run), published):
        assert first_prompts(folder) == ("abc", "de")


def test_a_model_of_no_run_wrote_on_from_nothing(tmp_path):
    assert first_prompts(save_tiny(tmp_path / "tiny")) == ()
    assert first_prompts(tmp_path / "model.gguf") == ()
