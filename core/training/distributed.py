"""Several processes that train one model together, on one machine or on many.

In: what `torchrun` writes into the environment of each process. Out: who this one is,
its share of every batch, and the few words they exchange. Each process draws the same
windows from the same seed and reads its share of them, so that K processes learn what
one does. A process by itself is `ALONE`, and exchanges nothing.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import Store  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous

from core.errors import TrainingError
from core.training.control import COMMANDS, Command, Control
from core.training.events import Event, EventLog

PATIENCE = timedelta(days=1)
"""To wait for one another: the main process may be reading a large text."""
N_POLLS, POLL_S = 20, 0.1
"""To wait for the last words of a process that has ended."""
REPORT = "failed"
LOST_SIGNS = ("gloo", "NCCL", "Connection")
"""What torch's message has in it when another process is gone."""


@dataclass(frozen=True, slots=True, eq=False)
class Processes:
    """The processes of a run, seen by one of them."""

    rank: int = 0
    """Which of them this one is; 0 is the main one, which alone writes files."""
    n: int = 1
    """How many there are, on all machines."""
    place: int = 0
    """Which one this is on its own machine."""
    n_here: int = 1
    """How many run on this machine."""
    store: Store | None = None
    """Where one that fails leaves a sentence for the others."""

    @property
    def is_main(self) -> bool:
        """Whether this one writes events, checkpoints and log."""
        return self.rank == 0

    def share(self, rows: Tensor) -> Tensor:
        """Take this process's rows: [n_batch, ...] -> [about n_batch / n, ...]."""
        return rows if self.n == 1 else torch.tensor_split(rows, self.n)[self.rank]

    def total(self, value: Tensor) -> Tensor:
        """Add up what all processes have, in place."""
        if self.n > 1:
            dist.all_reduce(value)
        return value

    def gathered(self, value: Tensor) -> list[Tensor]:
        """What each process has, in the order of their ranks."""
        if self.n == 1:
            return [value]
        values = [torch.empty_like(value) for _ in range(self.n)]
        dist.all_gather(values, value)
        return values

    def agreed(self, command: Command | None) -> Command | None:
        """Do the same everywhere: of what the processes heard, the strongest word."""
        if self.n == 1:
            return command
        word = torch.tensor(0 if command is None else 1 + COMMANDS.index(command))
        dist.all_reduce(word, dist.ReduceOp.MAX)
        return COMMANDS[int(word) - 1] if word else None

    @contextmanager
    def main_first(self) -> Iterator[None]:
        """Let the main process do a block before the others, who find it done."""
        if not self.is_main:
            self.total(torch.zeros(()))
        yield
        if self.is_main:
            self.total(torch.zeros(()))

    def device(self, device: torch.device) -> torch.device:
        """Give each process a card of its own, where the run is on cards.

        Raises:
            TrainingError: There are more processes here than cards.
        """
        if self.n == 1 or device.type != "cuda":
            return device
        n_cards = torch.cuda.device_count()
        if self.n_here > n_cards:
            raise TrainingError(
                f"{self.n_here} processes cannot share the {n_cards} GPUs of this "
                f"machine; start with --nproc-per-node {n_cards}."
            )
        torch.cuda.set_device(self.place)
        return torch.device("cuda", self.place)

    def leave_word(self, sentence: str) -> None:
        """Say to the other processes why this one ends, unless one was faster."""
        if self.store is not None:
            with suppress(RuntimeError):  # the store may have gone with its machine
                word = f"Process {self.rank} of {self.n}: {sentence}"
                self.store.compare_set(REPORT, "", word)

    def cause_of(self, error: BaseException) -> TrainingError | None:
        """Why another process ended, if that is what an error comes from.

        Waits a little for its last words.
        """
        signs = (sign in str(error) for sign in LOST_SIGNS)
        if self.store is None or not (
            isinstance(error, KeyboardInterrupt) or any(signs)
        ):
            return None
        for _ in range(N_POLLS):
            with suppress(RuntimeError):  # the store may have gone with its machine
                if self.store.check([REPORT]):
                    return TrainingError(str(self.store.get(REPORT), "utf-8"))
            time.sleep(POLL_S)
        if isinstance(error, KeyboardInterrupt):
            return None
        return TrainingError(
            "Another process of the run ended without a word; start all of them again "
            "to go on from the newest checkpoint."
        )


ALONE = Processes()


@contextmanager
def joined() -> Iterator[Processes]:
    """Meet the other processes that `torchrun` started, if it did, and part at the end.

    After a fault the others may be gone, so that one leaves without a farewell.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield ALONE
        return
    store, rank, n = next(iter(rendezvous("env://")))
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(
        backend, store=store, rank=rank, world_size=n, timeout=PATIENCE
    )
    place = int(os.environ.get("LOCAL_RANK", "0"))
    n_here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    yield Processes(rank, n, place, n_here, store)
    dist.destroy_process_group()


class SharedControl(Control):
    """Listens for all processes of a run: files to the main one, signals to any."""

    def __init__(self, folder: Path, processes: Processes) -> None:
        super().__init__(folder)
        self._processes = processes

    def command(self) -> Command | None:
        """What the run was told, the same on every process; all must ask."""
        heard: Command | None = "stop" if self._signal else None
        if self._processes.is_main:
            heard = super().command()
        return self._processes.agreed(heard)


class SilentLog(EventLog):
    """Writes nothing: the events of a process that is not the main one."""

    def __init__(self) -> None:
        """Open no file."""

    def write(self, event: Event) -> None:
        """Let it pass: the main process writes the same."""

    def write_last(self, event: Event) -> None:
        """Let it pass, too."""

    def check_there(self) -> None:
        """Ask nothing."""

    def close(self) -> None:
        """Close nothing."""
