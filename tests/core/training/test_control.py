import signal
from pathlib import Path

import pytest

from core.training.control import COMMANDS, CONTROL_FILE, Command, Control, send


def test_a_run_that_is_told_nothing_goes_on(tmp_path: Path) -> None:
    with Control(tmp_path) as control:
        assert control.command() is None


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_heard_once(tmp_path: Path, command: Command) -> None:
    with Control(tmp_path) as control:
        send(tmp_path, command)
        assert control.command() == command
        assert control.command() is None


def test_an_unknown_word_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Control(tmp_path) as control:
        (tmp_path / "control").write_text("dance", encoding="utf-8")
        assert control.command() is None
    assert "'dance'" in caplog.text


def test_a_stale_command_is_forgotten(tmp_path: Path) -> None:
    send(tmp_path, "stop")
    assert Control(tmp_path).command() is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_asks_for_a_stop(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with Control(tmp_path) as control:
        signal.raise_signal(number)
        assert control.command() == "stop"
    assert signal.getsignal(number) is before


def test_a_second_signal_acts_as_it_would_without_us(tmp_path: Path) -> None:
    with Control(tmp_path):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_before_the_first_step_only_a_stop_is_heard(tmp_path: Path) -> None:
    control = Control(tmp_path)
    assert not control.is_asked_to_stop()
    send(tmp_path, "pause")
    assert not control.is_asked_to_stop()
    assert control.command() == "pause"
    send(tmp_path, "stop")
    assert control.is_asked_to_stop()


def test_what_cannot_be_read_just_now_ends_no_run(tmp_path: Path) -> None:
    control = Control(tmp_path)
    (tmp_path / CONTROL_FILE).mkdir()
    assert control.command() is None
    assert not control.is_asked_to_stop()
    (tmp_path / CONTROL_FILE).rmdir()
    send(tmp_path, "stop")
    assert control.is_asked_to_stop()
    assert control.command() == "stop"
