import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from core.errors import TrainingError
from core.training import calibrate
from core.training.calibrate import (
    main,
    measure_speed,
    short_steps,
    thread_numbers,
)
from core.training.config import read_config
from core.training.corpus import Windows
from core.training.speed import Speed, speed_of
from core.training.trainer import Trainer


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let every step take the same made-up time."""

    def set_up(step_s: float) -> None:
        now = iter(range(1_000_000))
        # Two looks at the clock for each step; the first ends a step's length later.
        clock = "core.training.calibrate.time.perf_counter"
        monkeypatch.setattr(clock, lambda: step_s * ((next(now) + 1) // 2))

    return set_up


def test_the_program_writes_its_speed_as_one_line(
    make_run: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(data={"train": ["not there yet.txt"]})
    assert main([str(run)]) == 0
    output = capsys.readouterr().out
    assert set(json.loads(output)) == {"tokens_per_second", "device"}
    speed = speed_of(output)
    assert speed is not None
    assert speed.tokens_per_second > 0
    assert speed.device == "cpu"


def test_a_measurement_writes_nothing_into_the_folder(
    make_run: Callable[..., Path],
) -> None:
    run = make_run()
    before = sorted(run.iterdir())
    measure_speed(read_config(run), 1)
    assert sorted(run.iterdir()) == before


def test_speed_is_tokens_by_seconds(
    make_run: Callable[..., Path], no_time: Callable[[float], None]
) -> None:
    config = read_config(make_run(batch_size=5))
    no_time(0.5)
    assert measure_speed(config).tokens_per_second == pytest.approx(5 * 8 / 0.5)


def test_a_slow_model_is_measured_by_its_first_step(
    make_run: Callable[..., Path],
    no_time: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = read_config(make_run(batch_size=2))
    no_time(100.0)
    steps = []
    advance = Trainer.advance

    def counted(self: Trainer, windows: Windows) -> tuple[Tensor, Tensor]:
        steps.append(1)
        return advance(self, windows)

    monkeypatch.setattr(Trainer, "advance", counted)
    assert measure_speed(config).tokens_per_second == pytest.approx(2 * 8 / 100)
    assert len(steps) == 1


def test_large_batches_are_measured_in_small_ones_on_a_cpu(
    make_run: Callable[..., Path],
) -> None:
    training = read_config(make_run(batch_size=4096)).training
    short = short_steps(training, 256, torch.device("cpu"))
    assert (short.batch_size, short.n_parts) == (16, 1)
    assert short_steps(training, 256, torch.device("cuda")).batch_size == 4096


def test_a_model_that_memory_cannot_hold_is_not_tried(
    make_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibrate, "available_memory", lambda: 1e3)
    with pytest.raises(TrainingError, match="choose a smaller batch_size"):
        measure_speed(read_config(make_run()))


def test_a_fault_is_said_in_a_sentence(
    make_run: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    run = make_run(n_steps=0)
    assert main([str(run)]) == 1
    assert "n_steps = 0 must be at least 1" in caplog.text


@pytest.mark.parametrize("line", ["", "7", "[]", "{}", '{"tokens_per_second": "?"}'])
def test_another_line_is_no_speed(line: str) -> None:
    assert speed_of(line) is None


def test_a_speed_comes_back_from_its_line() -> None:
    line = '{"tokens_per_second": 4012.5, "device": "cpu"}\n'
    assert speed_of(line) == replace(Speed(0, "cpu"), tokens_per_second=4012.5)


def test_the_numbers_of_threads_are_those_the_run_chooses_from(
    make_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 6)
    training = read_config(make_run(n_threads=0)).training
    cpu, gpu = torch.device("cpu"), torch.device("cuda")
    assert thread_numbers(training, cpu) == (6, 4, 2, 1)
    assert thread_numbers(training, gpu) == (6,)
    assert thread_numbers(replace(training, n_threads=3), cpu) == (3,)
