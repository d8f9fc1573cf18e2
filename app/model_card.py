"""What the window says about a model: no weights, no torch."""

import os
from dataclasses import dataclass
from pathlib import Path

from core.config import ModelConfig


@dataclass(frozen=True, slots=True)
class ModelCard:
    """An open model in words and numbers."""

    name: str
    folder: Path | None
    """Of a trace file, the file."""
    config: ModelConfig
    n_parameters: int
    """Weights; a table that is used twice counts once."""
    device: str
    """Where it computes, for a reader: "CPU", or the name of a card."""
    notes: tuple[str, ...] = ()
    """Quiet facts about its files: for whoever asks."""
    warnings: tuple[str, ...] = ()
    """What is odd about them: said at once."""
    badge: str = ""
    """How it was held to another program: "checked against transformers 5.24.0: …"."""
    stamp: str = ""
    """The state of its files when it was opened: see `stamp_of`."""
    prompts: tuple[str, ...] = ()
    """What it wrote on from while it learned; of pairs, sources that it can read."""
    is_recorded: bool = False
    """It is a trace file: one sentence's numbers, and no model that could read more."""

    @property
    def n_ctx(self) -> int:
        """Tokens it can read at once."""
        return self.config.n_ctx

    @property
    def n_vocab(self) -> int:
        """Tokens it knows."""
        return self.config.n_vocab


def stamp_of(place: Path | None) -> str:
    """How many files a model has, their size and the newest time; "" if unknown.

    Other weights, another configuration or another tokenizer have another stamp.
    """
    if place is None:
        return ""
    try:
        files = [place]
        if place.is_dir():
            files = [Path(entry.path) for entry in os.scandir(place) if entry.is_file()]
        states = [file.stat() for file in files]
    except OSError:
        return ""
    newest = max((state.st_mtime_ns for state in states), default=0)
    return f"{len(states)} {sum(state.st_size for state in states)} {newest}"
