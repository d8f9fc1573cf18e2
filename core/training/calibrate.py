"""How fast this machine trains a model: `python -m core.training.calibrate FOLDER`.

In: a folder with a `config.toml`; no text is read. A few real steps are made on random
tokens. Out: one JSON line on standard output, for the dialog that started it:
{"tokens_per_second": 4012.5, "device": "cpu"}. Run as a process of its own, it takes
neither memory nor an interpreter lock from the window.
"""

import argparse
import dataclasses
import json
import logging
import math
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from core.config import ModelConfig
from core.errors import CoreError, TrainingError
from core.model.device import choose_device
from core.training.batch import Examples
from core.training.config import RunConfig, TrainingConfig, read_config
from core.training.corpus import windows_of
from core.training.estimate import fits, memory_of
from core.training.memory import available_memory
from core.training.pairs.corpus import Pairs
from core.training.speed import Speed
from core.training.threads import candidates
from core.training.trainer import Trainer

log = logging.getLogger("core.training.calibrate")

N_STEPS = 3
N_EXAMPLES = 10
LONGEST_S = 6.0
"""No further step is begun after this; one alone may take longer."""
TOKENS_AT_ONCE_ON_CPU = 4096
"""More read at once change a CPU's speed no longer, only how long one waits for it."""


def measure_speed(config: RunConfig, n_steps: int = N_STEPS) -> Speed:
    """Make a step to warm up, then some that are timed.

    Raises:
        CoreError: The device is not there, or memory will not do.
    """
    device = choose_device(config.training.device)
    training = short_steps(config.training, config.model.n_ctx, device)
    if device.type == "cpu":
        fault = fits(memory_of(config.model, training), available_memory())
        if fault:
            raise TrainingError(fault)
    trainer = Trainer(training, config.model, device)
    examples = random_examples(config.model)
    fastest_s = math.inf
    for number in thread_numbers(training, device):
        torch.set_num_threads(number)
        step_s = seconds_of_step(trainer, examples, n_steps)
        if step_s > fastest_s:
            break
        fastest_s = step_s
    n_tokens = training.batch_size * examples.tokens_per_example
    return Speed(n_tokens / fastest_s, str(device))


def thread_numbers(training: TrainingConfig, device: torch.device) -> tuple[int, ...]:
    """The numbers of CPU threads to time, the largest first, as the run will choose."""
    if training.n_threads:
        return (training.n_threads,)
    most = torch.get_num_threads()
    return candidates(most)[::-1] if device.type == "cpu" else (most,)


def seconds_of_step(trainer: Trainer, examples: Examples, n_steps: int) -> float:
    """The mean time of some steps; the first warms up, if there is time for another."""
    times_s: list[float] = []
    while len(times_s) <= n_steps and sum(times_s) < LONGEST_S:
        began_s = time.perf_counter()
        trainer.advance(examples)[0].item()  # waits for the device
        times_s.append(time.perf_counter() - began_s)
    return statistics.fmean(times_s[1:] or times_s)


def short_steps(
    training: TrainingConfig, n_ctx: int, device: torch.device
) -> TrainingConfig:
    """Ask for steps of one part, and on a CPU of few tokens; nothing is compiled."""
    n_windows = -(-training.batch_size // training.n_parts)
    if device.type == "cpu":
        n_windows = min(n_windows, max(1, TOKENS_AT_ONCE_ON_CPU // n_ctx))
    return replace(training, batch_size=n_windows, n_parts=1, compile=False)


def random_examples(model: ModelConfig) -> Examples:
    """Ten windows of random tokens; of two sides, ten pairs, which fill half of them.

    Pairs are mostly shorter than what can be read at once.
    """
    n_ctx = model.n_ctx
    ids = random_ids(model)
    if not model.has_encoder:
        return windows_of(ids, n_ctx, "")
    half = max(n_ctx // 2, 1)
    begins = np.arange(N_EXAMPLES) * n_ctx
    return Pairs(ids, np.stack((begins, begins + half, begins + n_ctx), axis=1))


def random_ids(model: ModelConfig) -> NDArray[np.int64]:
    """Tokens to read: [10 n_ctx + 1]."""
    n_tokens = N_EXAMPLES * model.n_ctx + 1
    return np.random.default_rng(0).integers(model.n_vocab, size=n_tokens)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line. -> 0, or 1 if nothing could be measured."""
    parser = argparse.ArgumentParser(
        "python -m core.training.calibrate",
        description="Measure how fast this machine trains the model of a config.toml.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--steps", type=int, default=N_STEPS, help="that are timed")
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        speed = measure_speed(read_config(chosen.folder), max(1, chosen.steps))
    except CoreError as error:
        log.error("%s", error)
        return 1
    sys.stdout.write(json.dumps(dataclasses.asdict(speed)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
