"""The remote control, against a stand-in for the trainer that obeys as it does."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QThread

from app.workers import run_control, run_leash, trainer_process
from app.workers.run_control import RunControl, ended_sentence
from app.workers.trainer_process import NICENESS, Leash
from core.files import held_alone
from core.training.control import CONTROL_FILE
from core.training.events import EventLog, Paused, Stepped, Stopped
from tests.helpers.stand_in_trainer import LAST_WORDS
from tests.helpers.told import started, stepped

WAIT_MS = 10_000
QUICK_MS = 200


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    return folder


@pytest.fixture
def control(qtbot, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    control = RunControl(program=("-m", "tests.helpers.stand_in_trainer"))
    yield control
    control.keep_running(True)
    if control._process is not None:
        control._process.kill()
        control._process.wait()
    control.detach()


def wait_for(qtbot, control, state):
    qtbot.waitUntil(lambda: control.state == state, timeout=WAIT_MS)


def write(folder, *events):
    log = EventLog(folder)
    for event in events:
        log.write(event)
    log.close()


def test_a_run_is_paused_resumed_and_stopped(qtbot, control, run):
    states = []
    control.state_changed.connect(states.append)
    control.start(run)
    assert control.state == "starting"
    wait_for(qtbot, control, "running")
    control.pause()
    assert control.state == "pausing"
    wait_for(qtbot, control, "paused")
    control.resume()
    assert control.state == "resuming"
    wait_for(qtbot, control, "running")
    control.stop()
    wait_for(qtbot, control, "stopped")
    assert states == [
        "starting",
        "running",
        "pausing",
        "paused",
        "resuming",
        "running",
        "stopping",
        "stopped",
    ]


def test_a_double_click_makes_one_request(qtbot, control, run, monkeypatch):
    sent = []
    monkeypatch.setattr(run_control, "send", lambda *args: sent.append(args))
    control.start(run)
    wait_for(qtbot, control, "running")
    control.pause()
    control.pause()
    control.stop()
    control.stop()
    assert sent == [(run, "pause"), (run, "stop")]


def test_a_wish_before_the_run_listens_is_not_forgotten(qtbot, control, run):
    control.start(run)
    control.pause()
    assert control.state == "pausing"
    assert not (run / CONTROL_FILE).exists()
    wait_for(qtbot, control, "paused")


def test_a_stop_while_it_starts_ends_the_process(qtbot, control, run):
    control.start(run)
    control.stop()
    wait_for(qtbot, control, "stopped")
    assert control._process.wait(5) is not None


def test_a_pause_can_be_taken_back(qtbot, control, run):
    write(run, started())
    with held_alone(run / "lock"):
        control.attach(run)
        wait_for(qtbot, control, "running")
        control.pause()
        control.resume()
        assert control.state == "running"
        assert (run / CONTROL_FILE).read_text() == "resume"


def test_a_killed_trainer_is_crashed_and_its_last_words_are_told(qtbot, control, run):
    reports = []
    control.failed.connect(reports.append)
    control.start(run)
    wait_for(qtbot, control, "running")
    control._process.send_signal(signal.SIGKILL)
    wait_for(qtbot, control, "crashed")
    assert len(reports) == 1
    assert f"Its last words: {LAST_WORDS}" in reports[0].sentence


def test_a_run_that_nobody_holds_is_crashed_and_one_that_is_held_runs(
    qtbot, control, run
):
    write(run, started(), stepped(1))
    with held_alone(run / "lock"):
        control.attach(run)
        wait_for(qtbot, control, "running")
    wait_for(qtbot, control, "crashed")


def test_a_crashed_run_goes_on(qtbot, control, run):
    write(run, started(), stepped(1))
    control.attach(run)
    wait_for(qtbot, control, "crashed")
    control.resume()
    assert control.state == "starting"
    wait_for(qtbot, control, "running")


def test_a_second_window_watches_and_stops_what_another_started(qtbot, control, run):
    control.start(run)
    wait_for(qtbot, control, "running")
    other = RunControl()
    other.attach(run)
    wait_for(qtbot, other, "running")
    other.stop()
    wait_for(qtbot, control, "stopped")
    wait_for(qtbot, other, "stopped")
    other.detach()


def test_a_run_that_is_trained_elsewhere_is_not_started_twice(qtbot, control, run):
    write(run, started())
    with held_alone(run / "lock"):
        control.start(run)
        wait_for(qtbot, control, "running")
        assert control._process is None


def test_a_long_history_comes_in_order_and_in_parts(qtbot, control, run):
    write(run, started(), *map(stepped, range(1, 3000)), Stopped(step=3, message=""))
    parts = []
    control.events_arrived.connect(parts.append)
    control.attach(run)
    wait_for(qtbot, control, "stopped")
    steps = [e.step for part in parts for e in part if isinstance(e, Stepped)]
    assert steps == list(range(1, 3000))
    assert max(map(len, parts)) < 1000


def test_events_are_told_in_the_main_thread(qtbot, control, run):
    threads = []
    control.events_arrived.connect(lambda _: threads.append(QThread.isMainThread()))
    write(run, started())
    with held_alone(run / "lock"):
        control.attach(run)
        qtbot.waitUntil(lambda: bool(threads), timeout=WAIT_MS)
    assert threads == [True]


def test_a_replaced_file_of_events_is_read_anew(qtbot, control, run):
    write(run, started(), stepped(1), Stopped(step=1, message=""))
    control.attach(run)
    wait_for(qtbot, control, "stopped")
    with qtbot.waitSignal(control.history_reset, timeout=WAIT_MS):
        (run / "events.jsonl").unlink()
        write(run, Paused(step=1, message=""))
    with held_alone(run / "lock"):
        wait_for(qtbot, control, "paused")


def test_a_folder_without_a_run_is_idle(qtbot, control, run):
    control.attach(run)
    qtbot.wait(QUICK_MS)
    assert control.state == "idle"
    assert not control.is_live


def test_a_folder_that_cannot_be_written_is_told(qtbot, control, tmp_path):
    with qtbot.waitSignal(control.failed, timeout=WAIT_MS) as told:
        control.start(tmp_path / "gone")
    assert "could not be started" in told.args[0].sentence
    assert control.state == "failed"


def test_discarding_waits_for_the_end_of_the_process(qtbot, control, run, monkeypatch):
    moved = []
    monkeypatch.setattr(
        run_control, "move_to_trash", lambda folder: moved.append(folder) or True
    )
    control.start(run)
    wait_for(qtbot, control, "running")
    process = control._process
    with qtbot.waitSignal(control.discarded, timeout=WAIT_MS) as told:
        control.stop_and_discard()
        assert moved == []
    assert process.poll() == 0
    assert moved == [run]
    assert told.args == [run]
    assert control.state == "idle"


@pytest.mark.skipif(sys.platform == "win32", reason="priorities are classes there")
def test_a_trainer_gives_way_to_the_window(qtbot, control, run):
    control.start(run)
    wait_for(qtbot, control, "running")
    pid = control._process.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) == NICENESS
    assert os.getsid(pid) == pid  # no terminal's Ctrl+C reaches it


# The leash.


def test_a_run_that_is_let_go_outlives_its_leash(run):
    leash = Leash(run)
    leash.let_go()
    with held_alone(run / "lock"):
        assert leash._process.wait(10) == 0
    assert not (run / CONTROL_FILE).exists()


def test_a_run_stops_when_the_window_is_gone(run):
    leash = Leash(run)
    with held_alone(run / "lock"):
        leash._process.stdin.close()  # as the system does, however we end
        end_s = time.monotonic() + 10
        while not (run / CONTROL_FILE).exists():
            assert time.monotonic() < end_s
            time.sleep(0.02)
    assert (run / CONTROL_FILE).read_text() == "stop"
    assert leash._process.wait(10) == 0


def test_a_leash_without_a_run_gives_up(run):
    run_leash.stop_run(run, patience_s=0)
    assert not (run / CONTROL_FILE).exists()


def test_a_started_run_is_held_until_it_is_kept(qtbot, control, run):
    control.start(run)
    wait_for(qtbot, control, "running")
    qtbot.waitUntil(lambda: control._leash is not None, timeout=WAIT_MS)
    leash = control._leash._process
    control.keep_running(True)
    assert control._leash is None
    assert leash.wait(10) == 0
    assert control._process.poll() is None


def test_an_attached_run_is_left_alone(qtbot, control, run):
    write(run, started())
    with held_alone(run / "lock"):
        control.attach(run)
        wait_for(qtbot, control, "running")
        assert control.keeps_running
        assert control._leash is None


def test_last_words_pass_over_empty_lines(run):
    assert trainer_process.last_words(run) == ""
    (run / trainer_process.LOG_FILE).write_text("one\ntwo\n\n")
    assert trainer_process.last_words(run) == "two"


def test_a_command_that_cannot_be_sent_is_told(qtbot, control, run, monkeypatch):
    write(run, started())
    with held_alone(run / "lock"):
        control.attach(run)
        wait_for(qtbot, control, "running")
        (run / (CONTROL_FILE + ".partial")).mkdir()
        with qtbot.waitSignal(control.failed, timeout=WAIT_MS):
            control.pause()
        assert control.state == "running"


def test_a_crash_says_what_there_is_to_go_on_from(tmp_path):
    run = tmp_path / "cats"
    assert "cats was removed or renamed" in ended_sentence(run)
    (run / "checkpoints/step-00000004.partial").mkdir(parents=True)
    assert "nothing was saved yet" in ended_sentence(run)
    (run / "checkpoints/step-00000004").mkdir()
    assert "its checkpoints are whole" in ended_sentence(run)


def test_what_is_not_there_cannot_be_moved_to_the_trash(tmp_path):
    assert run_control.move_to_trash(tmp_path / "gone") is False


def test_a_folder_in_the_trash_is_gone_from_its_place(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    run = tmp_path / "cats"
    run.mkdir()
    assert run_control.move_to_trash(run) is not run.exists()
