"""What the window says about a model: no weights, no torch."""

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
