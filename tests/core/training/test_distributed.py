from pathlib import Path

import pytest
import torch
from torch.distributed import HashStore

from core.errors import ConfigError, TrainingError
from core.training import distributed
from core.training.control import Command, send
from core.training.distributed import (
    ALONE,
    Processes,
    SharedControl,
    SilentLog,
    joined,
)
from core.training.events import Failed

LOST = RuntimeError("[gloo/transport/tcp/pair.cc] Connection closed by peer")


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "POLL_S", 0)


def test_without_torchrun_a_process_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with joined() as processes:
        assert processes is ALONE
    assert ALONE.is_main


def test_torchrun_with_one_process_is_alone_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "1")
    with joined() as processes:
        assert processes is ALONE


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_shares_put_together_are_the_batch_in_its_order(n: int) -> None:
    rows = torch.arange(14).view(7, 2)
    shares = [Processes(rank=rank, n=n).share(rows) for rank in range(n)]
    assert torch.cat(shares).equal(rows)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_alone_a_process_agrees_with_itself() -> None:
    value = torch.tensor(3.0)
    assert ALONE.total(value).item() == 3.0
    assert ALONE.gathered(value) == [value]
    assert ALONE.agreed("pause") == "pause"
    assert ALONE.agreed(None) is None
    with ALONE.main_first():
        pass


@pytest.mark.parametrize(("rank", "heard"), [(0, "pause"), (1, None)])
def test_only_the_main_process_reads_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rank: int, heard: Command | None
) -> None:
    monkeypatch.setattr(Processes, "agreed", lambda _, command: command)
    control = SharedControl(tmp_path, Processes(rank=rank, n=2))
    send(tmp_path, "pause")
    assert control.command() == heard


def test_the_first_word_of_a_failed_process_is_the_cause() -> None:
    store = HashStore()
    main, other, third = (Processes(rank=r, n=3, store=store) for r in range(3))
    other.leave_word("The memory of cuda:1 is too small.")
    third.leave_word("Connection closed by peer")
    cause = main.cause_of(LOST)
    assert isinstance(cause, TrainingError)
    assert str(cause) == "Process 1 of 3: The memory of cuda:1 is too small."


def test_a_process_that_died_without_a_word_is_missed() -> None:
    main = Processes(rank=0, n=2, store=HashStore())
    assert "without a word" in str(main.cause_of(LOST))


@pytest.mark.parametrize(
    "error",
    [RuntimeError("shapes differ"), ConfigError("n_steps"), KeyboardInterrupt()],
)
def test_an_error_of_ones_own_has_no_other_cause(error: BaseException) -> None:
    assert Processes(rank=0, n=2, store=HashStore()).cause_of(error) is None
    assert ALONE.cause_of(error) is None


def test_more_processes_than_cards_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    processes = Processes(n=2, n_here=2)
    assert processes.device(torch.device("cpu")) == torch.device("cpu")
    with pytest.raises(TrainingError, match="2 processes cannot share the 1 GPUs"):
        processes.device(torch.device("cuda"))


def test_each_process_has_its_own_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda _: None)
    processes = Processes(rank=3, n=4, place=1, n_here=2)
    assert processes.device(torch.device("cuda")) == torch.device("cuda:1")


def test_a_silent_log_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = SilentLog()
    log.check_there()
    log.write(Failed(message="never read"))
    log.close()
    assert list(tmp_path.iterdir()) == []
