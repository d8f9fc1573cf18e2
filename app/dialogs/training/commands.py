"""The commands that start a run without this window: in a terminal, on many machines.

In: a run's folder and how many processes. Out: a line for this system's terminal.
"""

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROGRAM = ("-m", "core.training")
MEETING_PLACE = "FIRST_MACHINE:29500"
"""Where the machines of a run find one another; a person puts the name in."""


def train_command(folder: Path) -> list[str]:
    """One process on this machine; what the Start button starts."""
    return [sys.executable, *PROGRAM, str(folder)]


def machine_command(folder: Path, n_processes: int) -> list[str]:
    """Several processes on one machine, one for each GPU."""
    return ["torchrun", "--nproc-per-node", str(n_processes), *PROGRAM, str(folder)]


def cluster_command(folder: Path, n_processes: int, n_machines: int) -> list[str]:
    """The same line on each of several machines that all see the folder."""
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", MEETING_PLACE]
    nodes = ["--nnodes", str(n_machines), *meeting]
    program, *rest = machine_command(folder, n_processes)
    return [program, *nodes, *rest]


def command_text(words: Sequence[str]) -> str:
    """A command as it is typed here."""
    if sys.platform == "win32":
        return subprocess.list2cmdline(words)
    return shlex.join(words)
