"""What a family of models is: a `model_type` of `transformers` that can be opened.

A row says how its `config.json` becomes a configuration of ours, and under which names
its weights are stored. Each family has a file; `families` has the table of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor

from core.checkpoints.entries import Entry
from core.checkpoints.fields import Fields
from core.config import ModelConfig

Look = Callable[[str], Tensor | None]
"""Reads a tensor by its name; None where there is none of that name."""
EMBEDDING = "embed.W_E"
HEAD = Entry("lm_head.weight", ("output.W_U",), is_turned=True)
"""The table that logits are read off with, where it is one of its own."""


def nothing(_fields: Fields) -> str:
    """Of a family that has all the biases which its configuration tells of."""
    return ""


def as_it_is(config: ModelConfig, _stored: Mapping[str, object]) -> ModelConfig:
    """Of a family whose files tell nothing more."""
    return config


def as_computed(config: ModelConfig, _look: Look, _odd: list[str]) -> ModelConfig:
    """Of a family whose files hold nothing that could be computed."""
    return config


@dataclass(frozen=True, slots=True)
class Family:
    """One row."""

    model_type: str
    title: str
    architectures: tuple[str, ...]
    """By which a `config.json` without a `model_type` is told."""
    prefix: str
    """What its base model puts before every name but the head's: "transformer."."""
    layers: str
    """How the names of everything in a layer begin: "transformer.h."."""
    config_of: Callable[[Fields], ModelConfig]
    entries: Callable[[ModelConfig], tuple[Entry, ...]]
    """Every tensor but the head."""
    lacks: Callable[[Fields], str] = nothing
    """Part of the names of biases that it has not, though others have; they are 0."""
    head: Entry = HEAD
    outside: tuple[str, ...] = ("lm_head.",)
    """How names begin that the base model's prefix never stands before."""
    headed: Callable[[ModelConfig, Mapping[str, object]], ModelConfig] = as_it_is
    """The configuration, from it and the tensors that there are."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Ends of names in older files, and in newer ones."""
    computed: str = r"\Z\A"
    """Pattern of the names of tensors that follow from the configuration."""
    encoder_layers: str = ""
    """How names in an encoder's layers begin; those of the decoder are `layers`."""
    doubles: tuple[str, ...] = ()
    """Names under which the table of embeddings may be stored again."""
    unused: str = r"\Z\A"
    """Pattern of the names of tensors that `transformers` does not use either."""
    held_to: Callable[[ModelConfig, Look, list[str]], ModelConfig] = as_computed
    """The configuration, once what could follow from other numbers was held to what is
    stored; what surprises there is told in the list."""
    notes: tuple[str, ...] = ()
    """What is stored otherwise than it is shown, a sentence each."""

    def entries_of(self, config: ModelConfig, fields: Fields) -> tuple[Entry, ...]:
        """Every tensor that a file of it must have."""
        missing = self.lacks(fields)
        found = [
            entry
            for entry in self.entries(config)
            if not (missing and missing in entry.theirs and is_bias(entry))
        ]
        return (*found, *(() if config.tie_embeddings else (self.head,)))


def is_bias(entry: Entry) -> bool:
    """Whether a tensor holds what is added after a product."""
    return entry.theirs.endswith(".bias")
