"""Training runs small enough to be carried out in a test."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.training.events import Event, EventLog, read_events
from core.training.loop import train
from core.training.pairs.tasks import task_blocks

TEXT = "the cat sat on the mat and the dog saw the cat. " * 40
N_BYTE_TOKENS = 257
"""256 bytes and the end of text: one token for each ASCII character."""
MODEL = {"n_ctx": 8, "d_model": 8, "n_heads": 2, "n_layers": 1}
TRAINING = {
    "n_steps": 6,
    "batch_size": 2,
    "log_every": 1,
    "evaluate_every": 100,
    "checkpoint_every": 100,
    "n_evaluation_batches": 2,
    "device": "cpu",
    "n_threads": 1,
}
WATCH = {"probe_every": 0, "sample_every": 0}
"""Looks inside cost a test time; who wants them asks."""


def write_run(
    folder: Path,
    text: str = TEXT,
    model: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
    tokenizer: Mapping[str, Any] | None = None,
    watch: Mapping[str, Any] | None = None,
    **training: Any,
) -> Path:
    """Make a run's folder from a text and fields of its tables; the folder."""
    folder.mkdir()
    (folder / "text.txt").write_text(text, encoding="utf-8")
    tables = {
        "model": {**MODEL, **(model or {})},
        "data": {"train": ["text.txt"], **(data or {})},
        "tokenizer": {"n_vocab": N_BYTE_TOKENS, **(tokenizer or {})},
        "training": {**TRAINING, **training},
        "watch": {**WATCH, **(watch or {})},
    }
    lines = [f"[{name}]\n{toml(table)}" for name, table in tables.items()]
    (folder / "config.toml").write_text("\n".join(lines), encoding="utf-8")
    return folder


def trained_run(folder: Path, n_steps: int = 5, **training: Any) -> Path:
    """Carry a small run out that keeps a checkpoint of every second step, and the last.

    All are tested; the model reads 32 tokens. -> the folder.
    """
    write_run(
        folder,
        model={"n_ctx": 32, **training.pop("model", {})},
        n_steps=n_steps,
        checkpoint_every=2,
        evaluate_every=2,
        keep=9,
        **training,
    )
    carry_out(folder)
    return folder


def toml(table: Mapping[str, Any]) -> str:
    """Fields as lines of TOML; JSON's texts, numbers and lists are TOML too."""
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in table.items())


def carry_out(folder: Path) -> list[Event]:
    """Carry a run to its end or stop. -> all events of its folder."""
    log = EventLog(folder)
    try:
        train(folder, log)
    finally:
        log.close()
    return list(read_events(folder))


PAIRS = "".join(task_blocks("reverse", 1, 60))
PAIRS_MODEL = {
    "n_ctx": 12,
    "d_model": 16,
    "n_heads": 2,
    "n_layers": 1,
    "n_encoder_layers": 1,
    "norm_place": "post",
    "activation": "relu",
    "scale_embeddings": True,
}
"""The Transformer of 2017, as small as it can be."""


def write_pairs_run(
    folder: Path, text: str = PAIRS, model: Mapping[str, Any] | None = None, **rest: Any
) -> Path:
    """Make a run's folder from lines of pairs, cut into characters; the folder."""
    data = {"pairs": True, **rest.pop("data", {})}
    tokenizer = {"kind": "characters", **rest.pop("tokenizer", {})}
    model = {**PAIRS_MODEL, **(model or {})}
    return write_run(folder, text, model, data, tokenizer, **rest)
