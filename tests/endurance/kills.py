"""Kill a trainer 50 times at random moments; not one number may change.

`python -m tests.endurance.kills`: CI runs it. Every kill is a SIGKILL, every resume a
new process. After each kill all checkpoints must open; whatever losses any of those
lives wrote must equal those of a run that nobody killed, bit for bit. The processes are
forked from one that has loaded torch, so that 50 of them start in a minute.
"""

import argparse
import logging
import math
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from core.checkpoints.native import read_model, read_tensors
from core.training.__main__ import main as train
from core.training.checkpoint import STATE_FILE, checkpoints, read_counters
from core.training.events import (
    EVENTS_FILE,
    Evaluated,
    Finished,
    Stepped,
    read_events,
)
from tests.helpers.runs import write_run

log = logging.getLogger("tests.endurance.kills")

N_KILLS = 50
MOST_BYTES = 8000
"""Of events: a life ends after it has written a random number of them, ..."""
LONGEST_WAIT_S = 0.03
"""... and a random time, so that steps, tests and checkpoints are hit alike."""
TEXT = "the cat sat on the mat and the dog saw the cat run up the tree. " * 60
MODEL = {"n_ctx": 8, "d_model": 8, "n_heads": 2, "n_layers": 2, "dropout": 0.1}
TRAINING = {
    "n_steps": 300,
    "batch_size": 4,
    "warmup_steps": 50,
    "checkpoint_every": 3,
    "evaluate_every": 10,
    "disk_budget_mb": 1.0,
}
Figures = dict[tuple[str, int], tuple[float | None, ...]]


def make_run(folder: Path) -> Path:
    """A small run with everything that draws at random, and many checkpoints."""
    return write_run(
        folder,
        TEXT,
        model=MODEL,
        tokenizer={"n_vocab": 280},
        watch={"probe_every": 25, "sample_every": 50, "n_sample_tokens": 3},
        **TRAINING,
    )


def start(folder: Path) -> int:
    """Start the training program in a process of its own. -> its number."""
    process = os.fork()
    if process == 0:
        log_file = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        logging.getLogger().handlers.clear()
        os.dup2(log_file, sys.stderr.fileno())
        os._exit(train([str(folder)]))
    return process


def live(folder: Path, n_bytes: float, wait_s: float) -> bool:
    """Let the program write some events and go on a little, then kill it.

    -> whether it was killed; it may have come to its end.
    """
    events = folder / EVENTS_FILE
    enough = n_bytes + (events.stat().st_size if events.exists() else 0)
    process = start(folder)
    kill_at_s = math.inf
    while time.monotonic() < kill_at_s:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            assert status == 0, (folder / "log").read_text()
            return False
        is_enough = events.exists() and events.stat().st_size >= enough
        if is_enough and kill_at_s == math.inf:
            kill_at_s = time.monotonic() + wait_s
        time.sleep(0.001)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return True


def finish(folder: Path) -> None:
    """Let the program come to its end."""
    assert not live(folder, math.inf, 0)


def figures(folder: Path) -> Figures:
    """The figures of all lives by kind and step.

    Raises:
        AssertionError: Two lives found different ones.
    """
    found: Figures = {}
    for event in read_events(folder):
        if isinstance(event, Stepped):
            key, value = ("step", event.step), (event.loss, event.gradient_norm)
        elif isinstance(event, Evaluated):
            key, value = ("test", event.step), (event.train_loss, event.valid_loss)
        else:
            continue
        assert found.setdefault(key, value) == value, f"{key}: {found[key]}, {value}"
    return found


def check_whole(folder: Path) -> None:
    """Open everything that has a checkpoint's name."""
    for checkpoint in checkpoints(folder):
        read_model(checkpoint)
        read_tensors(checkpoint / STATE_FILE)
        assert read_counters(checkpoint).step == int(checkpoint.name[-8:])


def kill_many(root: Path, n_kills: int, seed: int) -> int:
    """Carry one run after another through kills. -> how many runs it took."""
    expected_in = make_run(root / "unbroken")
    finish(expected_in)
    expected = figures(expected_in)
    draws = random.Random(seed)
    n_done = n_runs = 0
    while n_done < n_kills:
        folder = make_run(root / f"run{n_runs}")
        n_runs += 1
        while n_done < n_kills:
            n_bytes, wait_s = draws.uniform(0, MOST_BYTES), LONGEST_WAIT_S
            if not live(folder, n_bytes, draws.uniform(0, wait_s)):
                break
            n_done += 1
            check_whole(folder)
        finish(folder)
        check_whole(folder)
        found = figures(folder)
        assert found == expected, sorted(found.items() ^ expected.items())[:4]
        assert any(isinstance(event, Finished) for event in read_events(folder))
    return n_runs


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=N_KILLS)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    start_s = time.monotonic()
    with tempfile.TemporaryDirectory() as root:
        n_runs = kill_many(Path(root), chosen.kills, chosen.seed)
    took_s = time.monotonic() - start_s
    log.info(
        "%d kills in %d runs of %d steps, every loss as in an unbroken run (%.0f s)",
        chosen.kills,
        n_runs,
        TRAINING["n_steps"],
        took_s,
    )


if __name__ == "__main__":
    import core.training.loop  # noqa: F401  (loads torch before the first fork)

    main()
