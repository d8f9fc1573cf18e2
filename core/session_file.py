"""A session as a file: which model, which sentence, and how they are looked at.

Plain JSON with the ending .glass. It holds no weights: the model is found again by its
folder, known again by its fingerprint. Fields that a file does not have keep their
defaults, and fields that this version does not know are passed over.
"""

import dataclasses
import hashlib
import json
import os
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from core.config import ModelConfig
from core.errors import CheckpointError, CoreError
from core.files import write_whole
from core.generation.sampling import Sampling
from core.tokenizers.base import Tokenizer
from core.trace.selection import Selection
from core.trace.viewing import Viewing

FORMAT, VERSION = "glassformer session", 1
ENDING = ".glass"
MOST_BYTES = 64 * 2**20
"""No session that anybody typed is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReference:
    """How a model is found again, and known again."""

    name: str = ""
    place: str = ""
    """Its folder or trace file; "" is the model that comes with the program."""
    beside: str = ""
    """The same from the session file on, for folders that are moved together."""
    fingerprint: str = ""
    """Of its configuration and its tokenizer; see `fingerprint_of`."""

    def candidates(self, file: Path) -> tuple[Path, ...]:
        """Where the model may be, the likeliest first, for a session file's place."""
        beside = (file.parent / self.beside,) if self.beside else ()
        return (*beside, Path(self.place))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFile:
    """What a window needs to stand as it stood."""

    model: ModelReference = ModelReference()
    text: str = ""
    ids: tuple[int, ...] = ()
    """The tokens; not always those that the text is cut into, once a model wrote on."""
    target: str = ""
    """Behind an encoder: the target so far."""
    target_ids: tuple[int, ...] = ()
    """Its tokens, the model's start token first; () where there is no encoder."""
    n_typed: int = 0
    """How many of them somebody typed; the model wrote the others."""
    reads_specials: bool = False
    selection: Selection = field(default_factory=Selection)
    viewing: Viewing = field(default_factory=Viewing)
    sampling: Sampling = field(default_factory=Sampling)


def fingerprint_of(config: ModelConfig, tokenizer: Tokenizer) -> str:
    """A hash that is the same for models that read alike, whatever they have learnt."""
    content = json.dumps([config.to_dict(), tokenizer.fingerprint], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def reference_to(
    place: Path | None, name: str, fingerprint: str, file: Path
) -> ModelReference:
    """How the session file `file` speaks of a model; None is the program's own."""
    if place is None:
        return ModelReference(name=name, fingerprint=fingerprint)
    place = place.resolve()
    try:
        beside = os.path.relpath(place, file.resolve().parent)
    except ValueError:  # on another drive
        beside = ""
    return ModelReference(
        name=name,
        place=str(place),
        beside=Path(beside).as_posix() if beside else "",
        fingerprint=fingerprint,
    )


def write_session(session: SessionFile, file: Path) -> None:
    """Save a session.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    table = {
        "format": FORMAT,
        "version": VERSION,
        **dataclasses.asdict(session),
    }
    write_whole(file, json.dumps(table, indent=1).encode())


def read_session(file: Path) -> SessionFile:
    """The session that a file holds.

    Raises:
        CheckpointError: The file is missing, damaged, newer, or no session.
    """
    table = _table(file)
    if table.get("format") != FORMAT:
        raise CheckpointError(
            f"{file} is no session; choose a file that ends in .glass."
        )
    version = table.get("version")
    if isinstance(version, int) and version > VERSION:
        raise CheckpointError(
            f"{file} was saved by a newer version of this program (format {version}); "
            "open it there, or bring this one up to date."
        )
    try:
        session = _made(SessionFile, table)
    except (TypeError, ValueError, OverflowError, CoreError) as error:
        raise CheckpointError(
            f"{file} is damaged ({error}); save the session again."
        ) from error
    assert isinstance(session, SessionFile)
    return session


def _table(file: Path) -> Mapping[str, Any]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ValueError("it is too large")
        table = json.loads(file.read_bytes())
    except OSError as error:
        reason = error.strerror or str(error)
        raise CheckpointError(
            f"{file} could not be read ({reason}); choose another file."
        ) from error
    except (ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{file} is damaged and cannot be opened as a session; choose another file."
        ) from error
    return table if isinstance(table, dict) else {}


def _made(kind: type, table: object) -> object:
    """A dataclass of the fields that a table has; the others keep their defaults.

    Raises:
        ValueError: It is no table, or a field has a value of another kind.
    """
    if not isinstance(table, dict):
        raise ValueError(f"{kind.__name__} is no table")
    hints = get_type_hints(kind)
    known = [each.name for each in dataclasses.fields(kind) if each.name in table]
    return kind(**{name: _read(hints[name], table[name], name) for name in known})


def _read(hint: Any, value: object, name: str) -> object:
    """A value of a file as its field wants it.

    Raises:
        ValueError: It is of another kind.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _made(hint, value)
    if origin in (Union, types.UnionType):
        if value is None and types.NoneType in inner:
            return None
        first = next(each for each in inner if each is not types.NoneType)
        return _read(first, value, name)
    if origin is Literal and value in inner:
        return value
    if origin is tuple and isinstance(value, list):
        is_row = len(inner) == 2 and inner[1] is Ellipsis
        kinds = (inner[0],) * len(value) if is_row else inner
        return tuple(
            _read(kind, each, name) for kind, each in zip(kinds, value, strict=True)
        )
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    is_whole = isinstance(value, int) and value >= 0  # places and counts, all of them
    if isinstance(hint, type) and type(value) is hint and (hint is not int or is_whole):
        return value
    raise ValueError(f"{name} cannot be {value!r}")
