import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from core.training import threads
from core.training.threads import MeasuredThreads, candidates, read_choices


@pytest.fixture(autouse=True)
def _same_threads_afterwards() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


class Processor:
    """A clock that stands still but for the work, whose time depends on the threads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 0.0
        self.takes_s = {1: 0.2, 2: 0.1}
        monkeypatch.setattr(threads.time, "perf_counter", lambda: self.now_s)

    def step(self) -> None:
        self.now_s += self.takes_s[torch.get_num_threads()]

    def run(self, choice: MeasuredThreads, first: int, last: int) -> list[str]:
        said = []
        for step in range(first, last + 1):
            self.step()
            if message := choice.adapt(step):
                said.append(f"{step}: {message}")
        return said


@pytest.fixture
def processor(monkeypatch: pytest.MonkeyPatch) -> Processor:
    return Processor(monkeypatch)


@pytest.mark.parametrize(
    ("most", "expected"), [(1, (1,)), (2, (1, 2)), (6, (1, 2, 4, 6)), (8, (1, 2, 4, 8))]
)
def test_the_powers_of_two_and_the_most_are_tried(
    most: int, expected: tuple[int, ...]
) -> None:
    assert candidates(most) == expected


def test_the_fastest_number_is_taken_and_written_down(
    tmp_path: Path, processor: Processor
) -> None:
    MeasuredThreads(tmp_path, processor.step, 2).begin(0)
    assert torch.get_num_threads() == 2
    assert json.loads((tmp_path / "threads.json").read_text()) == [[0, 2]]


def test_slow_steps_are_noticed_and_a_better_number_is_taken(
    tmp_path: Path, processor: Processor
) -> None:
    choice = MeasuredThreads(tmp_path, processor.step, 2)
    choice.begin(0)
    assert processor.run(choice, 1, 200) == []
    processor.takes_s = {1: 0.2, 2: 0.9}
    (said,) = processor.run(choice, 201, 300)
    assert "with 1 thread instead of 2, because the processor is busy" in said
    assert "4.5 times as fast" in said
    assert torch.get_num_threads() == 1


def test_a_free_processor_is_noticed_in_time(
    tmp_path: Path, processor: Processor
) -> None:
    processor.takes_s = {1: 0.2, 2: 0.9}
    choice = MeasuredThreads(tmp_path, processor.step, 2)
    choice.begin(0)
    assert torch.get_num_threads() == 1
    processor.takes_s = {1: 0.2, 2: 0.1}
    (said,) = processor.run(choice, 1, 2000)
    assert "with 2 threads instead of 1, because the processor is free" in said


def test_trying_out_takes_a_small_part_of_the_time(
    tmp_path: Path, processor: Processor
) -> None:
    rehearsed_s = 0.0

    def rehearse() -> None:
        nonlocal rehearsed_s
        before_s = processor.now_s
        processor.step()
        rehearsed_s += processor.now_s - before_s

    choice = MeasuredThreads(tmp_path, rehearse, 2)
    choice.begin(0)
    processor.run(choice, 1, 20_000)
    assert rehearsed_s < 0.02 * processor.now_s


def test_a_resumed_run_repeats_its_changes_after_the_same_steps(
    tmp_path: Path, processor: Processor
) -> None:
    first = MeasuredThreads(tmp_path, processor.step, 2)
    first.begin(0)
    processor.run(first, 1, 100)
    processor.takes_s = {1: 0.2, 2: 0.9}
    (said,) = processor.run(first, 101, 300)
    changed_at = int(said.partition(":")[0])

    processor.takes_s = {1: 0.2, 2: 0.1}
    again = MeasuredThreads(tmp_path, processor.step, 2)
    again.begin(50)
    assert torch.get_num_threads() == 2
    assert processor.run(again, 51, changed_at - 1) == []
    assert torch.get_num_threads() == 2
    (repeated,) = processor.run(again, changed_at, changed_at)
    assert "as before" in repeated
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize("content", ["", "{}", "[1]", "[[5, 2], [0, 1]]", "[[0, 0]]"])
def test_a_damaged_file_holds_no_choices(tmp_path: Path, content: str) -> None:
    file = tmp_path / "threads.json"
    file.write_text(content)
    assert read_choices(file) == []
