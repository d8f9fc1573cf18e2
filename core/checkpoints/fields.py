"""The fields of a `config.json` of `transformers`, each checked when it is read.

In: the file. Out: numbers, texts and switches. A field that is missing or of another
kind is refused with the file's name and its own; what is assumed for one is remembered,
so that the reader can be told.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.config import ModelConfig
from core.errors import CheckpointError, ConfigError

CONFIG_FILE = "config.json"

ACTIVATIONS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu": "gelu",
    "gelu_python": "gelu",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
"""Their names of the bends, and ours; four of theirs are one formula."""


@dataclass(frozen=True, slots=True)
class Fields:
    """What stands in a `config.json`; null counts as missing."""

    path: Path
    values: Mapping[str, Any]
    assumed: dict[str, Any] = field(default_factory=dict)
    """What was taken for fields that are missing, as `transformers` takes it."""
    said: list[str] = field(default_factory=list)
    """What else a reader should know of them, a sentence each."""
    odd: list[str] = field(default_factory=list)
    """What may surprise in them, a sentence each."""

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        value = self._found(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.refused(name, "must be a whole number")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Any number."""
        value = self._found(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refused(name, "must be a number")
        return value

    def switch(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self._found(name, default)
        if not isinstance(value, bool):
            raise self.refused(name, "must be true or false")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A word."""
        value = self._found(name, default)
        if not isinstance(value, str):
            raise self.refused(name, "must be a text")
        return value

    def table(self, name: str) -> "Fields | None":
        """A table inside; None where there is none."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.refused(name, "must be a table")
        return replace(self, values=value)

    def activation(
        self,
        name: str,
        default: str,
        known: Mapping[str, str] = ACTIVATIONS,
    ) -> str:
        """The bend of the feed-forward network, by our name."""
        value = self.text(name, default)
        if value not in known:
            raise self.refused(name, f"is not known here; {_listed(known)} are")
        return known[value]

    def must_be(self, name: str, only: object) -> None:
        """Refuse a setting that is not computed here, unless it is off."""
        if self.values.get(name, only) not in (only, None):
            raise self.refused(name, f"is not computed here, only {only!r}")

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        return self.values.get(name) is not None

    def refused(self, name: str, why: str) -> CheckpointError:
        """The error for a field that cannot be used."""
        return CheckpointError(
            f"{self.path}: {name} = {self.values.get(name)!r} {why}; choose a model "
            "that this program can compute."
        )

    def config(
        self,
        names: Mapping[str, str],
        said: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> ModelConfig:
        """Make a configuration; `names` gives the whole numbers by our fields.

        `said` has more of their names, of what is among the `settings`.

        Raises:
            CheckpointError: It cannot be; fields are called by their names in the file.
        """
        sizes: dict[str, Any] = {o: self.whole(theirs) for o, theirs in names.items()}
        try:
            return ModelConfig(**sizes, **settings)
        except ConfigError as error:
            text = str(error)
            for ours, theirs in {**names, **(said or {})}.items():
                text = re.sub(rf"\b{ours}\b", theirs, text)
            raise CheckpointError(f"{self.path}: {text}") from error

    def _found(self, name: str, default: object) -> object:
        value = self.values.get(name)
        if value is not None:
            return value
        if default is None:
            raise CheckpointError(
                f"{self.path} has no {name}; fetch the file again, or choose another "
                "model."
            )
        if name not in self.values:
            self.assumed[name] = default
        return default


def beside(fields: Fields, name: str) -> Fields:
    """Another file of settings in the folder; without fields where there is none."""
    path = fields.path.parent / name
    values: Any = {}
    try:
        if path.is_file():
            values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        said = f"{name} is not readable JSON and was not read."
        if said not in fields.odd:
            fields.odd.append(said)
    if not isinstance(values, dict):
        values = {}
    return replace(fields, path=path, values=values)


def read_fields(folder: Path) -> Fields:
    """Read a folder's `config.json`.

    Raises:
        CheckpointError: There is none, or it is no table in JSON.
    """
    path = folder / CONFIG_FILE
    if not folder.is_dir():
        raise CheckpointError(f"{folder} is not a folder; choose a model's folder.")
    if not path.is_file():
        raise CheckpointError(
            f"{path} is missing; a model's folder holds {CONFIG_FILE}, its weights and "
            "its tokenizer."
        )
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{path} is not readable JSON ({error}); fetch it again."
        ) from error
    if not isinstance(values, dict):
        raise CheckpointError(f"{path} holds no table; fetch it again.")
    return Fields(path, values)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
