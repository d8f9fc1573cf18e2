"""Models on this computer: which there are, and whether each can be opened here.

In: folders. Out: a row for each model in them. Only `config.json` and the heads of
GGUF files are read; of weights, only whether they are there and how large.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.checkpoints.families import family_of
from core.checkpoints.fields import CONFIG_FILE, Fields, read_fields
from core.checkpoints.gguf_families import ARCHITECTURE, gguf_family
from core.checkpoints.gguf_header import is_gguf, read_header
from core.checkpoints.huggingface import check_memory
from core.checkpoints.native import FORMAT, weight_shapes
from core.checkpoints.places import hub_folder, installed_models, name_of, snapshots
from core.checkpoints.weight_files import INDEXES, WHOLE
from core.config import ModelConfig
from core.errors import CoreError

DEEPEST = 4
"""Folders inside one another that are looked into."""
MOST = 500
"""Models that are listed; a whole disk may hold many more."""
WEIGHT_ENDINGS = (".safetensors", ".bin")
OURS = "Glassformer"


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model that lies on this computer."""

    path: Path
    """What is opened: a folder or a file."""
    name: str
    family: str
    """What it is; "" where its file does not say."""
    n_bytes: int
    """Of its weights, as they are in the file."""
    place: str
    """Where it was found: "Hugging Face cache"."""
    reason: str = ""
    """Why it cannot be opened, a sentence; "" if it can."""


def find_models(folder: Path | None = None) -> tuple[FoundModel, ...]:
    """Everything in the cache, in installed packages and in a folder, by name."""
    places = [
        *((path, "installed package") for path in installed_models()),
        *((path, "Hugging Face cache") for path in _cached()),
        *((path, str(path.parent)) for path in (models_in(folder) if folder else ())),
    ]
    rows: dict[Path, FoundModel] = {}
    for path, place in places[:MOST]:
        if path.resolve() not in rows:
            rows[path.resolve()] = found_model(path, place)
    return tuple(sorted(rows.values(), key=lambda row: row.name.lower()))


def _cached() -> Iterator[Path]:
    """The folders of the cache; where one holds no folder's model, its files."""
    for folder in snapshots(hub_folder()):
        files = sorted(filter(is_gguf, folder.glob("*")))
        if files and not (folder / CONFIG_FILE).is_file():
            yield from files
        else:
            yield folder


def models_in(folder: Path) -> Iterator[Path]:
    """Model folders and GGUF files inside a folder, not too deep."""
    top = len(folder.parts)
    for inside, folders, files in os.walk(folder):
        here = Path(inside)
        if len(here.parts) - top >= DEEPEST:
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if CONFIG_FILE in files:
            yield here
        yield from (here / name for name in sorted(files) if is_gguf(here / name))


def found_model(path: Path, place: str) -> FoundModel:
    """What can be told of a model before it is opened."""
    look = _look_at_file if is_gguf(path) else _look_at_folder
    files = [path] if is_gguf(path) else list(_weight_files(path))
    family, reason = look(path)
    if not files and not reason:
        reason = (
            f"{name_of(path)} has no weights: none of {', '.join(WHOLE + INDEXES)}."
        )
    name = path.stem if is_gguf(path) else name_of(path)
    n_bytes = sum(file.stat().st_size for file in files)
    return FoundModel(path, name, family, n_bytes, place, reason)


def _look_at_file(path: Path) -> tuple[str, str]:
    family = ""
    try:
        header = read_header(path)
        family = str(header.values.get(ARCHITECTURE, ""))
        row = gguf_family(header)
        family = row.family.title
        config = row.family.config_of(row.fields(header))
        check_memory(path, weight_shapes(config))
    except CoreError as error:
        return family, _without(path, error)
    return family, ""


def _look_at_folder(folder: Path) -> tuple[str, str]:
    family = ""
    try:
        fields = read_fields(folder)
        family = _said_family(fields)
        if fields.values.get("format") == FORMAT:
            config = ModelConfig.from_dict(fields.values.get("model") or {})
            family = OURS
        else:
            row, _ = family_of(fields)
            family = row.title
            config = row.config_of(fields)
        check_memory(folder, weight_shapes(config))
    except (CoreError, TypeError) as error:
        return family, _without(folder, error)
    return family, ""


def _said_family(fields: Fields) -> str:
    """What the file calls itself, known here or not."""
    return str(fields.values.get("model_type") or "")


def _without(path: Path, error: Exception) -> str:
    """The reason without the path, which stands beside it."""
    said = str(error)
    for named in (path / CONFIG_FILE, path):
        said = said.replace(f"{named}: ", "").replace(str(named), name_of(path))
    return said


def _weight_files(folder: Path) -> Iterable[Path]:
    return (
        path
        for path in folder.glob("*")
        if path.suffix in WEIGHT_ENDINGS and path.is_file()
    )
