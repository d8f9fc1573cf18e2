"""The files that hold a model's weights: safetensors, split or whole, or an old `.bin`.

In: a folder of `transformers`. Out: the name, shape and kind of every tensor before one
is read, and each tensor when it is asked for, mapped from the file and not copied. No
file can run code: safetensors hold numbers alone, and a `.bin` is only opened as
numbers. Nothing is taken for granted: pointers, cut-off files and stale indexes are
refused by name.
"""

import json
import pickle
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.errors import CheckpointError

SAFE, SAFE_INDEX = "model.safetensors", "model.safetensors.index.json"
BIN, BIN_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
INDEXES, WHOLE = (SAFE_INDEX, BIN_INDEX), (SAFE, BIN)
POINTER_START = b"version https://git-lfs.github.com/"
KINDS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""Of safetensors, and torch's names; others are not numbers that can be widened."""

DAMAGED = (
    OSError,
    ValueError,
    LookupError,
    AttributeError,
    TypeError,
    RecursionError,
)
"""What reading an index raises that is none."""
MOST_MAPPED = 2**24
"""Bytes that are read from one mapping of a file."""
OBJECTS = ("Unsupported global", "Unsupported class", "unsupported GLOBAL")
"""What torch says of a pickle that would run code."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor that is in a file."""

    path: Path
    name: str
    """As the file has it."""
    shape: tuple[int, ...]
    kind: str
    """What its numbers are: "float32"."""


class WeightFiles:
    """The tensors of some files, by their names; they are read one by one."""

    def __init__(self, paths: Iterable[Path], notes: Iterable[str] = ()) -> None:
        """Open files and look at what they hold.

        Raises:
            CheckpointError: One is a pointer, cut off, or holds more than tensors.
        """
        self.notes = tuple(notes)
        """Which files were read, and which lie beside them unread: sentences."""
        self.paths = tuple(paths)
        self._open: dict[Path, Any] = {}
        self.stored: dict[str, Stored] = {}
        """By name, in the order of the files."""
        for path in self.paths:
            refuse_pointer(path)
            look = _look_into_bin if path.suffix == ".bin" else _look_into_safetensors
            self._open[path], found = look(path)
            self.stored |= {each.name: each for each in found}

    def read(self, stored: Stored) -> Tensor:
        """One tensor, as it is in the file, to be used at once: see `_Mapped`."""
        tensor: Tensor = self._open[stored.path].get_tensor(stored.name)
        return tensor

    def mapped(self, stored: Stored) -> Tensor:
        """The same, to be kept: its pages are read when its numbers are."""
        tensor: Tensor = self._open[stored.path].unread.get_tensor(stored.name)
        return tensor


class _Mapped:
    """The tensors of a safetensors file, mapped anew once in a while.

    Pages that were read stay with their mapping; those of tensors that have been
    widened since then go with it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._n_bytes = 0
        self.file: Any = safe_open(path, framework="pt")
        self.unread: Any = safe_open(path, framework="pt")
        """Of what is kept; nobody reads from it meanwhile."""

    def get_tensor(self, name: str) -> Tensor:
        """One of them."""
        if self._n_bytes > MOST_MAPPED:
            self.file, self._n_bytes = safe_open(self._path, framework="pt"), 0
        tensor: Tensor = self.file.get_tensor(name)
        self._n_bytes += tensor.nbytes
        return tensor


class _Numbers:
    """The tensors of a `.bin` file, read as those of safetensors are."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors
        self.unread = self

    def get_tensor(self, name: str) -> Tensor:
        """One of them."""
        return self._tensors[name].detach()


def find_weights(folder: Path) -> WeightFiles:
    """The files of a folder that hold its weights; an index goes before a whole file.

    Raises:
        CheckpointError: There are none, an index asks for a file that is missing, or
            one of them cannot be read.
    """
    for name in INDEXES:
        if (folder / name).is_file():
            return _shards(folder, name)
    for name in WHOLE:
        if (folder / name).is_file():
            notes = [f"Weights are from {name}.", *_beside(folder, [name])]
            return WeightFiles([folder / name], notes)
    raise CheckpointError(
        f"{folder} has no {SAFE} (nor {SAFE_INDEX}, {BIN} or {BIN_INDEX}); choose the "
        "folder that holds the model's weights."
    )


def _shards(folder: Path, index: str) -> WeightFiles:
    """The files that an index asks for."""
    path = folder / index
    held = _read_index(path)
    counts = Counter(held.values())
    for name, n_tensors in counts.items():
        if not (folder / name).is_file():
            raise CheckpointError(
                f"{path} asks for {name}, which is missing and should hold {n_tensors} "
                f"tensors; {_way_out(folder, index)}."
            )
    notes = [
        f"Weights are from {len(counts)} files, as {index} says.",
        *_beside(folder, [*counts]),
    ]
    files = WeightFiles([folder / name for name in counts], notes)
    for name, file in held.items():
        if name not in files.stored or files.stored[name].path.name != file:
            raise CheckpointError(
                f"{path} says that {name} is in {file}, and it is not; fetch both "
                "files again."
            )
    return files


def _read_index(path: Path) -> dict[str, str]:
    """Which file holds each tensor."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))["weight_map"]
        if not held or not all(isinstance(file, str) for file in held.values()):
            raise TypeError("weight_map names no files")
    except DAMAGED as error:
        raise CheckpointError(
            f"{path} is damaged ({error}); fetch it again."
        ) from error
    for file in held.values():
        if Path(file).name != file or Path(file).suffix not in (".safetensors", ".bin"):
            raise CheckpointError(
                f"{path} asks for {file!r}, which is no file of weights beside it; "
                "fetch it again."
            )
    return dict(held)


def _way_out(folder: Path, index: str) -> str:
    """What to do about an index that does not fit."""
    others = [n for n in (*WHOLE, *INDEXES) if n != index and (folder / n).is_file()]
    if not others:
        return "fetch it again"
    return f"fetch it again, or take {index} away to open {others[0]}"


def _beside(folder: Path, used: Iterable[str]) -> list[str]:
    """Say which other files of weights lie in the folder."""
    there = (p.name for p in folder.iterdir() if p.suffix in (".safetensors", ".bin"))
    others = sorted(set(there) - set(used))
    if not others:
        return []
    verb = "lies" if len(others) == 1 else "lie"
    return [f"{', '.join(others)} {verb} beside them and was not read."]


def refuse_pointer(path: Path) -> None:
    """Refuse what an incomplete download left in the place of a file."""
    with open(path, "rb") as file:
        start = file.read(len(POINTER_START))
    if start == POINTER_START:
        raise CheckpointError(
            f"{path} is a download pointer of {path.stat().st_size} bytes, not the "
            'weights; fetch the real file ("git lfs pull").'
        )


def _look_into_safetensors(path: Path) -> tuple[Any, list[Stored]]:
    try:
        mapped = _Mapped(path)
        names = mapped.file.keys()
        slices = {name: mapped.file.get_slice(name) for name in names}
        return mapped, [
            Stored(path, name, tuple(part.get_shape()), _kind(part.get_dtype()))
            for name, part in slices.items()
        ]
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _kind(name: str) -> str:
    return KINDS.get(name, name)


def _look_into_bin(path: Path) -> tuple[Any, list[Stored]]:
    tensors = _numbers_of(path)
    rows = tensors.items()
    if not all(isinstance(n, str) and isinstance(t, Tensor) for n, t in rows):
        raise _holds_objects(path)
    found = [
        Stored(path, name, tuple(t.shape), str(t.dtype).removeprefix("torch."))
        for name, t in tensors.items()
    ]
    return _Numbers(tensors), found


def _numbers_of(path: Path) -> dict[str, Tensor]:
    """Everything in a `.bin`, mapped unless its format is too old for that."""
    is_new = zipfile.is_zipfile(path)
    try:
        content = torch.load(path, map_location="cpu", weights_only=True, mmap=is_new)
    except (OSError, RuntimeError, ValueError, LookupError, EOFError) as error:
        raise _damaged(path, error) from error
    except pickle.UnpicklingError as error:
        if any(words in str(error) for words in OBJECTS):
            raise _holds_objects(path) from error
        said = ValueError("its list of tensors is not readable")  # torch's has advice
        raise _damaged(path, said) from error
    if not isinstance(content, dict):
        raise _holds_objects(path)
    return content


def _damaged(path: Path, error: Exception) -> CheckpointError:
    said = str(error).partition("\n")[0] or "it ends too early"
    return CheckpointError(f"{path} is damaged or cut off ({said}); fetch it again.")


def _holds_objects(path: Path) -> CheckpointError:
    return CheckpointError(
        f"{path}: this file contains program objects, not only tensors, and is not "
        f"opened; ask for {SAFE}."
    )
