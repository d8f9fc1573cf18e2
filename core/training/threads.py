"""How many CPU threads a run computes with, where its configuration says 0.

In: a step's work, to be timed. Out: torch's number of threads, and a sentence when it
changes. Threads wait for each other many times in a step: beside another busy program
two of them may take longer than one. So the numbers are tried out at the start, again
when the steps get slow, and from time to time.

Sums come out differently in the last bit with another number of threads. Each choice is
therefore written down, `RUN_DIR/threads.json`: [[step, number], ...], and a run that is
resumed makes the same choices after the same steps.
"""

import json
import logging
import statistics
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import torch

from core.files import write_whole
from core.training.batch import Examples
from core.training.trainer import Trainer

log = logging.getLogger(__name__)

THREADS_FILE = "threads.json"
N_TRIES = 3
"""Times that each number is tried out."""
LONG_S = 1.0
"""A step that takes longer is tried out once."""
N_RECENT = 10
"""Steps by which the present speed is judged."""
SLOW = 1.5
"""Times as long as expected: somebody else wants the processor."""
GAIN = 1.15
"""Times as fast another number must be to be worth a change."""
SOON, LATER = 20.0, 100.0
"""Times as long as trying out took, before it is done again: after slow steps, else."""
SOON_S, LATER_S = 10.0, 60.0
"""And at least so long."""


class Threads(Protocol):
    """The number of threads of one run."""

    def begin(self, step: int) -> None:
        """Choose a number for the steps after `step`."""

    def adapt(self, step: int) -> str | None:
        """Look at the step that was just made. -> what to say if the number changes."""


class FixedThreads:
    """The number that the configuration names, or with 0 the one that torch took."""

    def __init__(self, number: int) -> None:
        self._number = number

    def begin(self, step: int) -> None:
        """Take it."""
        if self._number:
            torch.set_num_threads(self._number)

    def adapt(self, step: int) -> str | None:
        """Keep it."""
        return None


class MeasuredThreads:
    """Owns the choice between several numbers, and the file of choices."""

    def __init__(
        self, folder: Path, rehearse: Callable[[], object], most: int | None = None
    ) -> None:
        """Take a step's work to try out, and the most threads to try it with."""
        self._file = folder / THREADS_FILE
        self._rehearse = rehearse
        self._numbers = candidates(most or torch.get_num_threads())
        self._choices = read_choices(self._file)
        self._recent: deque[float] = deque(maxlen=N_RECENT)
        self._expected_s = 0.0
        self._tried_s = 0.0
        self._tried_at_s = self._stepped_at_s = time.perf_counter()

    def begin(self, step: int) -> None:
        """Choose as the run did when it came by here, or try the numbers out."""
        known = [number for when, number in self._choices if when <= step]
        if known:
            torch.set_num_threads(known[-1])
        else:
            took_s = self._try_out()
            self._choose(step, min(took_s, key=lambda number: took_s[number]), took_s)
        self._stepped_at_s = time.perf_counter()

    def adapt(self, step: int) -> str | None:
        """Look at the step that was just made. -> what to say if the number changes."""
        now_s = time.perf_counter()
        self._recent.append(now_s - self._stepped_at_s)
        self._stepped_at_s = now_s
        message = None
        if self._choices and self._choices[-1][0] >= step:
            message = self._repeat(step)
        elif self._is_due(now_s):
            message = self._look_again(step)
            self._stepped_at_s = time.perf_counter()
        return message

    def _repeat(self, step: int) -> str | None:
        """Change as the run did when it made this step the first time."""
        number = dict(self._choices).get(step)
        before = torch.get_num_threads()
        if number is None or number == before:
            return None
        torch.set_num_threads(number)
        return f"Going on with {_threads(number)} instead of {before}, as before."

    def _is_due(self, now_s: float) -> bool:
        """Whether the numbers should be tried out again."""
        if len(self._numbers) == 1 or len(self._recent) < N_RECENT:
            return False
        is_slow = statistics.median(self._recent) > SLOW * self._expected_s
        times, least_s = (SOON, SOON_S) if is_slow else (LATER, LATER_S)
        return now_s - self._tried_at_s > max(times * self._tried_s, least_s)

    def _look_again(self, step: int) -> str | None:
        before = torch.get_num_threads()
        took_s = self._try_out()
        best = min(took_s, key=lambda number: took_s[number])
        gain = took_s.get(before, self._expected_s) / took_s[best]
        is_better = best != before and gain > GAIN
        if not is_better:
            torch.set_num_threads(before)
            self._expected_s = took_s.get(before, self._expected_s)
            return None
        self._choose(step, best, took_s)
        reason = "the processor is busy" if best < before else "the processor is free"
        return (
            f"Going on with {_threads(best)} instead of {before}, because {reason}: "
            f"a step is {gain:.1f} times as fast."
        )

    def _choose(self, step: int, number: int, took_s: dict[int, float]) -> None:
        """Write a choice down, then act on it."""
        self._choices.append((step, number))
        write_whole(self._file, json.dumps(self._choices).encode())
        torch.set_num_threads(number)
        self._expected_s = took_s[number]
        log.info("Computing with %s.", _threads(number))

    def _try_out(self) -> dict[int, float]:
        """Time a step with each number, in turn. -> seconds by number."""
        began_s = time.perf_counter()
        took_s: dict[int, list[float]] = {number: [] for number in self._numbers}
        if len(self._numbers) == 1:
            return {self._numbers[0]: 0.0}
        self._rehearse()  # the first time is slow
        for _ in range(N_TRIES):
            for number, all_s in took_s.items():
                if all_s and all_s[0] > LONG_S:
                    continue
                torch.set_num_threads(number)
                start_s = time.perf_counter()
                self._rehearse()
                all_s.append(time.perf_counter() - start_s)
        self._tried_at_s = time.perf_counter()
        self._tried_s = self._tried_at_s - began_s
        self._recent.clear()
        return {number: statistics.median(all_s) for number, all_s in took_s.items()}


def threads_of(folder: Path, trainer: Trainer, examples: Examples) -> Threads:
    """Choose who decides: the configuration, or on one CPU what is measured.

    Several processes would disturb each other's measurements; `torchrun` gives each
    the number in OMP_NUM_THREADS, or 1.
    """
    is_measured = trainer.device.type == "cpu" and trainer.processes.n == 1
    if trainer.config.n_threads or not is_measured:
        return FixedThreads(trainer.config.n_threads)
    return MeasuredThreads(folder, lambda: trainer.rehearse(examples))


def candidates(most: int) -> tuple[int, ...]:
    """The numbers of threads worth trying: 1, 2, 4, ... and the most."""
    powers = [2**i for i in range(most.bit_length()) if 2**i < most]
    return (*powers, most)


def read_choices(file: Path) -> list[tuple[int, int]]:
    """The choices of a run so far: (step, number of threads), the oldest first.

    A file that is missing or damaged holds none: the numbers are tried out afresh.
    """
    try:
        pairs = json.loads(file.read_bytes())
        choices = [(int(step), int(number)) for step, number in pairs]
    except (OSError, ValueError, TypeError, RecursionError):
        return []
    is_sane = all(step >= 0 and number >= 1 for step, number in choices)
    return choices if is_sane and choices == sorted(choices) else []


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"
