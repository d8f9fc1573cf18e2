"""How fast a step is with 1 and with 2 threads, alone and beside a busy program.

Each line is a process of its own, because how threads wait for each other is settled
when torch is loaded: "spinning" is torch as it comes, "sleeping" never spins, "ours" is
what `core.training` asks for. The model is that of `training_speed`. The neighbour is
one loop that never ends. The machine itself should be idle: look at `load`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from core.training.__main__ import WAITING

SECONDS = 6.0
LEFT_OUT = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_NUM_THREADS")
SLEEPING = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0"}
WAYS: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("1 thread", 1, {}),
    ("2 threads, spinning", 2, {}),
    ("2 threads, sleeping", 2, SLEEPING),
    ("2 threads, ours", 2, WAITING),
)
NEIGHBOUR = [sys.executable, "-c", "while True: pass"]


@contextmanager
def busy_neighbour() -> Iterator[None]:
    """Keep one core busy."""
    with subprocess.Popen(NEIGHBOUR) as neighbour:
        try:
            yield
        finally:
            neighbour.kill()


def measure(n_threads: int, waiting: dict[str, str]) -> float:
    """Tokens per second in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    command = [sys.executable, "-m", "benchmarks.training_threads", str(n_threads)]
    done = subprocess.run(
        command, env={**kept, **waiting}, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def step_for_a_while(n_threads: int) -> float:
    """Tokens per second of this process."""
    import time

    import torch

    from benchmarks.training_speed import MAIN, our_step, random_windows

    torch.set_num_threads(n_threads)
    step = our_step(MAIN, random_windows(MAIN.model))
    step(), step()
    n_steps, start_s = 0, time.perf_counter()
    while time.perf_counter() - start_s < SECONDS:
        step()
        n_steps += 1
    n_tokens = n_steps * MAIN.training.batch_size * MAIN.model.n_ctx
    return n_tokens / (time.perf_counter() - start_s)


def main() -> None:
    """Print a line for each way of waiting."""
    for name, n_threads, waiting in WAYS:
        load = os.getloadavg()[0]
        alone = measure(n_threads, waiting)
        with busy_neighbour():
            beside = measure(n_threads, waiting)
        line = {
            "figure": "training_tokens_per_second",
            "threads": name,
            "alone": round(alone),
            "beside_a_busy_core": round(beside),
            "load": round(load, 1),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(step_for_a_while(int(sys.argv[1])))
    else:
        main()
