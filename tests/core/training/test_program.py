import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.files import held_alone
from core.training.__main__ import main
from core.training.events import Failed, Finished, Stepped, Stopped, read_events

MakeRun = Callable[..., Path]

LONGEST_WAIT_S = 60.0


def test_help_says_what_it_writes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--help"])
    assert exit_.value.code == 0
    assert "events.jsonl" in capsys.readouterr().out


def test_a_run_that_ends_well_ends_with_0(make_run: MakeRun) -> None:
    folder = make_run(n_steps=1)
    assert main([str(folder)]) == 0
    assert isinstance(list(read_events(folder))[-1], Finished)


def test_a_run_that_fails_ends_with_1_and_a_sentence(make_run: MakeRun) -> None:
    folder = make_run(data={"train": ["gone.txt"]})
    assert main([str(folder)]) == 1
    event = list(read_events(folder))[-1]
    assert isinstance(event, Failed)
    assert "gone.txt cannot be read" in event.message


def test_a_fault_of_the_program_becomes_an_event_too(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a wire is loose")

    monkeypatch.setattr("core.training.loop.train", fail)
    folder = make_run()
    assert main([str(folder)]) == 1
    expected = Failed(message="RuntimeError: a wire is loose")
    assert list(read_events(folder)) == [expected]


def test_a_stop_before_the_first_step_ends_with_0(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr("core.training.loop.train", stop)
    folder = make_run()
    assert main([str(folder)]) == 0
    assert list(read_events(folder)) == [Stopped(step=0, message="Stopped at once.")]


def test_a_missing_folder_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert main([str(tmp_path / "gone")]) == 1
    assert "gone is not a folder" in caplog.text


def test_two_programs_never_train_in_one_folder(
    make_run: MakeRun, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make_run()
    with held_alone(folder / "lock"):
        assert main([str(folder)]) == 1
    assert "is being trained by another process" in caplog.text
    assert list(read_events(folder)) == []


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM kills there")
def test_a_terminated_process_stops_with_a_checkpoint(make_run: MakeRun) -> None:
    folder = make_run(n_steps=1_000_000)
    process = subprocess.Popen([sys.executable, "-m", "core.training", str(folder)])
    end_s = time.monotonic() + LONGEST_WAIT_S
    while not any(isinstance(event, Stepped) for event in read_events(folder)):
        assert time.monotonic() < end_s
        time.sleep(0.1)
    process.terminate()
    assert process.wait(LONGEST_WAIT_S) == 0
    last = list(read_events(folder))[-1]
    assert isinstance(last, Stopped)
    assert (folder / "checkpoints" / f"step-{last.step:08d}").is_dir()
