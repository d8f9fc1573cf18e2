"""Runs small enough to be carried out in a test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from core.training.events import Event, EventLog, read_events
from core.training.loop import train

TEXT = "the cat sat on the mat and the dog saw the cat. " * 40
SETTINGS = {
    "n_steps": 6,
    "batch_size": 2,
    "log_every": 1,
    "evaluate_every": 100,
    "checkpoint_every": 100,
    "n_evaluation_batches": 2,
    "device": "cpu",
}
MODEL = {"n_ctx": 8, "d_model": 8, "n_heads": 2, "n_layers": 1}
N_BYTE_TOKENS = 257
"""256 bytes and the end of text: one token for each ASCII character."""

MakeRun = Callable[..., Path]


def toml(table: dict[str, Any]) -> str:
    """Write fields as lines of TOML; JSON's texts, numbers and lists are TOML too."""
    import json

    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in table.items())


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Make a run's folder from a text and fields of [training]."""

    def make(
        text: str = TEXT,
        name: str = "run",
        model: dict[str, Any] | None = None,
        data: dict[str, Any] | None = None,
        **training: Any,
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "text.txt").write_text(text, encoding="utf-8")
        tables = {
            "model": {**MODEL, **(model or {})},
            "data": {"train": ["text.txt"], **(data or {})},
            "tokenizer": {"n_vocab": N_BYTE_TOKENS},
            "training": {**SETTINGS, **training},
        }
        lines = [f"[{name}]\n{toml(table)}" for name, table in tables.items()]
        (folder / "config.toml").write_text("\n".join(lines), encoding="utf-8")
        return folder

    return make


def carry_out(folder: Path) -> list[Event]:
    """Carry a run to its end or stop. -> all events of its folder."""
    log = EventLog(folder)
    try:
        train(folder, log)
    finally:
        log.close()
    return list(read_events(folder))


@pytest.fixture(autouse=True)
def _generator_left_as_found() -> Iterator[None]:
    """A run seeds torch's generator; other tests should not notice."""
    state = torch.get_rng_state()
    yield
    torch.set_rng_state(state)
