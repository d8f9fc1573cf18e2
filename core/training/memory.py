"""Whether a model fits into memory, before any of it is made.

In: a configuration. Out: nothing, or a refusal that says how much is missing.
"""

from pathlib import Path

from core.config import ModelConfig
from core.errors import TrainingError
from core.training.estimate import count_parameters

BYTES_PER_PARAMETER = 16
"""Weight, gradient and AdamW's two means, 4 bytes each."""
GIGABYTE = 1e9


def check_memory(config: ModelConfig, available: float | None = None) -> None:
    """Refuse a model whose training cannot fit into `available` bytes.

    Raises:
        TrainingError: It cannot; says how many gigabytes it needs and there are.
    """
    needed = BYTES_PER_PARAMETER * count_parameters(config)
    room = available_memory() if available is None else available
    if room is not None and needed > room:
        raise TrainingError(
            f"Training this model needs about {needed / GIGABYTE:,.1f} GB and "
            f"{room / GIGABYTE:,.1f} GB are free; make d_model, n_layers or n_vocab "
            "smaller."
        )


def available_memory() -> float | None:
    """Bytes that this machine can still give; None where it does not say so."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    return None
