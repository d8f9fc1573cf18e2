"""The commands that start a run without this window: in a terminal, on many machines.

In: a run's folder and how many processes. Out: a line for this system's terminal.
"""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAM = ("-m", "core.training")
TORCHRUN = "torchrun"
MEETING_PLACE = "FIRST_MACHINE:29500"
"""Where the machines of a run find one another; a person puts the name in."""


def train_command(folder: Path) -> list[str]:
    """One process on this machine; what the Start button starts."""
    return [sys.executable, *PROGRAM, str(folder)]


def machine_command(folder: Path, n_processes: int) -> list[str]:
    """Several processes on one machine, one for each GPU."""
    return [torchrun(), "--nproc-per-node", str(n_processes), *PROGRAM, str(folder)]


def torchrun() -> str:
    """The launcher beside this Python: a new terminal does not find it by its name."""
    beside = shutil.which(TORCHRUN, path=str(Path(sys.executable).parent))
    return beside or TORCHRUN


def cluster_command(folder: Path, n_processes: int, n_machines: int) -> list[str]:
    """The same line on each of several machines that all see the folder."""
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", MEETING_PLACE]
    nodes = ["--nnodes", str(n_machines), *meeting]
    _, *rest = machine_command(folder, n_processes)
    return [TORCHRUN, *nodes, *rest]


def command_text(words: Sequence[str]) -> str:
    """A command as it is typed here."""
    if sys.platform == "win32":
        return subprocess.list2cmdline(words)
    return shlex.join(words)
