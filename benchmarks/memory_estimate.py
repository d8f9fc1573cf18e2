"""How near the estimate of a run's memory comes to what a run takes, on a CPU.

Three small models of different kinds make two steps each, in a process of its own; the
peak of its resident memory beyond the libraries is set against the estimate. One JSON
line a model; the target is a factor of 1.3 either way. Linux only: it reads /proc.
"""

import json
import multiprocessing
from pathlib import Path
from typing import Any

import torch

from core.config import ModelConfig
from core.training.calibrate import random_ids
from core.training.config import TrainingConfig
from core.training.corpus import windows_of
from core.training.estimate import MEGABYTE, memory_of
from core.training.trainer import Trainer

TARGET_FACTOR = 1.3
N_STEPS = 2
KILOBYTE = 1024
SMALL = ModelConfig(n_vocab=300, n_ctx=8, d_model=8, n_layers=1, n_heads=1)
MODELS: dict[str, tuple[int, ModelConfig]] = {
    "wide vocabulary": (
        8,
        ModelConfig(n_vocab=4096, n_ctx=128, d_model=256, n_layers=4, n_heads=4),
    ),
    "dropout": (
        8,
        ModelConfig(
            n_vocab=512, n_ctx=256, d_model=128, n_layers=6, n_heads=4, dropout=0.1
        ),
    ),
    "gated and rotary": (
        4,
        ModelConfig(
            n_vocab=512,
            n_ctx=64,
            d_model=512,
            n_layers=4,
            n_heads=8,
            position="rotary",
            norm="rms_norm",
            gated=True,
            activation="silu",
        ),
    ),
}


def resident(field: str) -> int:
    """A line of this process's status, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (line,) = (line for line in status if line.startswith(f"{field}:"))
    return int(line.split()[1]) * KILOBYTE


def train(model: ModelConfig, n_windows: int) -> None:
    """Make some steps on random tokens."""
    config = TrainingConfig(batch_size=n_windows)
    trainer = Trainer(config, model, torch.device("cpu"))
    windows = windows_of(random_ids(model), model.n_ctx, "")
    for _ in range(N_STEPS):
        trainer.advance(windows)[0].item()


def measured(name: str) -> dict[str, Any]:
    """Measure one model in this process, which must have trained nothing else."""
    torch.set_num_threads(1)
    train(SMALL, 1)  # the libraries set themselves up
    before = resident("VmRSS")
    n_windows, model = MODELS[name]
    train(model, n_windows)
    peak = resident("VmHWM") - before
    estimate = memory_of(model, TrainingConfig(batch_size=n_windows)).total
    return {
        "figure": "memory_peak_by_estimate",
        "model": name,
        "value": round(peak / estimate, 2),
        "target": TARGET_FACTOR,
        "estimated_mb": round(estimate / MEGABYTE),
        "measured_mb": round(peak / MEGABYTE),
    }


def main() -> None:
    """Measure every model."""
    context = multiprocessing.get_context("spawn")
    for name in MODELS:
        with context.Pool(1) as pool:
            line = json.dumps(pool.apply(measured, (name,)))
        print(line, flush=True)


if __name__ == "__main__":
    main()
