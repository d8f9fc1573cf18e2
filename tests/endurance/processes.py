"""Train one model on two processes; it must learn what one process learns.

`python -m tests.endurance.processes`: CI runs it. `torchrun` starts real processes that
talk over gloo on this machine: once as copies (DistributedDataParallel), once with the
weights shared out (FSDP2). Then they are stopped, resumed, refused and killed.
"""

import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from core.files import remove_folder
from core.training.checkpoint import checkpoints
from core.training.control import send
from core.training.events import (
    Evaluated,
    Event,
    Failed,
    Finished,
    Started,
    Stepped,
    Stopped,
    read_events,
)
from tests.helpers.runs import write_run

log = logging.getLogger("tests.endurance.processes")

TOLERANCE = 1e-4
N_STEPS = 50
ENDLESS = 1_000_000
PATIENCE_S = 240.0
POLL_S = 0.05
TEXT = "the cat sat on the mat and the dog saw the cat run up the tree. " * 60
MODEL = {"n_ctx": 16, "d_model": 16, "n_heads": 2, "n_layers": 2}
TRAINING = {
    "n_steps": N_STEPS,
    "batch_size": 7,
    "learning_rate": 3e-3,
    "warmup_steps": 10,
    "evaluate_every": 25,
    "checkpoint_every": 25,
}
ALONE = [sys.executable, "-m", "core.training"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
TOGETHER = [*TORCHRUN, "--standalone", "--nproc-per-node", "2", "-m", "core.training"]


def make_run(folder: Path, dropout: float = 0.0, **training: object) -> Path:
    """A small run that looks at itself now and then."""
    watch = {"probe_every": 25, "sample_every": 25, "n_sample_tokens": 3}
    model = {**MODEL, "dropout": dropout}
    return write_run(folder, TEXT, model, watch=watch, **{**TRAINING, **training})


def carry_out(command: list[str], folder: Path) -> list[Event]:
    """Start a run and wait for its end. -> its events."""
    ended = subprocess.run(
        [*command, str(folder)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    events = list(read_events(folder))
    assert ended.returncode == 0, f"{events[-1:]}\n{ended.stderr}"
    assert isinstance(events[-1], Finished), events[-1]
    return events


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Two processes that have made their first steps."""
    with subprocess.Popen(
        [*TOGETHER, str(folder)], stderr=subprocess.PIPE, text=True
    ) as agent:
        wait_until(folder, Stepped)
        yield agent


def wait_until(folder: Path, kind: type[Event]) -> Event:
    """Wait for an event of a kind."""
    end_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < end_s:
        for event in read_events(folder):
            if isinstance(event, kind):
                return event
        time.sleep(POLL_S)
    raise AssertionError(f"no {kind.__name__} in {PATIENCE_S} s")


def losses(events: list[Event]) -> dict[str, float]:
    """The loss of every step, and of every test."""
    steps = {f"step {e.step}": e.loss for e in events if isinstance(e, Stepped)}
    tests = {f"test {e.step}": e.train_loss for e in events if isinstance(e, Evaluated)}
    assert len(steps) == N_STEPS
    return {**steps, **tests}


def largest_difference(one: list[Event], two: list[Event]) -> float:
    """Between the losses of two runs."""
    mine, theirs = losses(one), losses(two)
    return max(abs(mine[key] - theirs[key]) for key in mine | theirs)


def check_same_losses(root: Path) -> None:
    """Copies and shards, with a batch that does not divide evenly, read in parts."""
    alone = carry_out(ALONE, make_run(root / "alone"))
    for name, settings in (("copies", {"n_parts": 2}), ("shards", {"shard": True})):
        together = carry_out(TOGETHER, make_run(root / name, **settings))
        assert len([e for e in together if isinstance(e, Started)]) == 1
        difference = largest_difference(alone, together)
        assert difference < TOLERANCE, f"{name}: {difference}"
        log.info("%s: losses differ by %.1e at most", name, difference)


def check_resume(root: Path) -> None:
    """With dropout in both processes, the second half comes out the same again."""
    folder = make_run(root / "resumed", dropout=0.2)
    first = losses(carry_out(TOGETHER, folder))
    remove_folder(checkpoints(folder)[-1])
    again = losses(carry_out(TOGETHER, folder))  # later lines count
    assert again == first
    log.info("resumed: every loss comes out again")


def check_stop(root: Path) -> None:
    """A word to the main process stops both."""
    folder = make_run(root / "stopped", n_steps=ENDLESS)
    with running(folder) as agent:
        send(folder, "stop")
        assert agent.wait(PATIENCE_S) == 0
    assert isinstance(list(read_events(folder))[-1], Stopped)
    assert checkpoints(folder)
    log.info("stopped: both ended, with a checkpoint")


def check_refusal(root: Path) -> None:
    """A run that cannot start says why, once."""
    folder = make_run(root / "refused", batch_size=1)
    ended = subprocess.run(
        [*TOGETHER, str(folder)], capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    failed = [event for event in read_events(folder) if isinstance(event, Failed)]
    assert len(failed) == 1
    assert "batch_size = 1 cannot be shared by 2 processes" in failed[0].message
    log.info("refused: in one sentence")


def check_kill(root: Path) -> None:
    """The main process notices that another one is dead, and says so."""
    folder = make_run(root / "killed", n_steps=ENDLESS)
    with running(folder) as agent:
        (started,) = [e for e in read_events(folder) if isinstance(e, Started)]
        children = psutil.Process(agent.pid).children()
        (other,) = [each for each in children if each.pid != started.process]
        other.kill()
        assert agent.wait(PATIENCE_S) != 0
    last = list(read_events(folder))[-1]
    assert isinstance(last, Failed), last
    assert "Another process of the run ended without a word" in last.message
    log.info("killed: the other process said so")


def main() -> None:
    """Run all of it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    with tempfile.TemporaryDirectory() as root:
        for check in (
            check_same_losses,
            check_resume,
            check_stop,
            check_refusal,
            check_kill,
        ):
            check(Path(root))


if __name__ == "__main__":
    main()
