"""The head of a GGUF file: what it says of itself, and where its tensors lie.

In: a file. Out: its settings by name, and the name, shape, kind and place of every
tensor. Read here and not by the package `gguf`, which takes seconds for a large
vocabulary; so a file can be listed without that package, too. Format: version 2 and 3
of https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import CheckpointError

ENDING = ".gguf"
MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = "general.alignment"
DEFAULT_ALIGNMENT = 32
STRING, ARRAY = 8, 9
NUMBERS: Mapping[int, str] = {
    0: "<u1",
    1: "<i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "<b1",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
"""Kinds of numbers by their code, as numpy calls them."""
MOST_AXES = 4


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor that is in the file."""

    name: str
    shape: tuple[int, ...]
    """The axis whose numbers lie side by side comes last."""
    kind: int
    """How its numbers are packed: a code of `gguf.GGMLQuantizationType`."""
    start: int
    """Its first byte, from the start of the file."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Everything but the numbers."""

    path: Path
    values: Mapping[str, Any]
    """Settings by name: numbers, texts, and lists of them."""
    tensors: Mapping[str, GgufTensor]


def is_gguf(path: Path) -> bool:
    """Whether it is called as one, and no folder."""
    return path.suffix.lower() == ENDING and not path.is_dir()


def read_header(path: Path) -> GgufHeader:
    """Read the head of a file.

    Raises:
        CheckpointError: It is missing, cut off, of another kind or another version.
    """
    try:
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            return _Reader(path, data).header()
    except OSError as error:
        raise CheckpointError(
            f"{path} cannot be read ({error.strerror}); choose a {ENDING} file that "
            "is there."
        ) from error
    except ValueError as error:  # mmap has no empty files; texts that are no UTF-8
        raise CheckpointError(
            f"{path} is empty or damaged ({error}); fetch it again."
        ) from error


class _Reader:
    """A place in the file, which moves on with all that is read."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self._path, self._data, self._place = path, data, 0

    def header(self) -> GgufHeader:
        if self._bytes(len(MAGIC)) != MAGIC:
            raise CheckpointError(
                f"{self._path} is no GGUF file (it does not begin with GGUF); choose "
                "another file."
            )
        version = self._whole("<I")
        if version not in VERSIONS:
            raise CheckpointError(
                f"{self._path} is GGUF of version {version} and this program reads "
                f"{' and '.join(map(str, VERSIONS))}; convert the model anew."
            )
        n_tensors, n_values = self._whole("<Q"), self._whole("<Q")
        values: dict[str, Any] = {}
        for _ in range(n_values):
            name = self._text()
            values[name] = self._value(self._whole("<I"))
        found = [self._tensor() for _ in range(n_tensors)]
        step = values.get(ALIGNMENT, DEFAULT_ALIGNMENT)
        if not isinstance(step, int) or step < 1:
            raise self._damaged(f"{ALIGNMENT} = {step!r}")
        first = -(-self._place // step) * step
        tensors = {
            each.name: GgufTensor(each.name, each.shape, each.kind, first + each.start)
            for each in found
        }
        return GgufHeader(self._path, values, tensors)

    def _tensor(self) -> GgufTensor:
        name, n_axes = self._text(), self._whole("<I")
        if n_axes > MOST_AXES:
            raise self._damaged(f"{name} has {n_axes} axes")
        shape = [self._whole("<Q") for _ in range(n_axes)]
        kind, start = self._whole("<I"), self._whole("<Q")
        return GgufTensor(name, tuple(reversed(shape)), kind, start)

    def _value(self, kind: int) -> Any:
        if kind == STRING:
            return self._text()
        if kind == ARRAY:
            inner, n = self._whole("<I"), self._whole("<Q")
            if inner == STRING:
                return [self._text() for _ in range(n)]
            return _plain(self._numbers(inner, n))
        return _plain(self._numbers(kind, 1))[0]

    def _numbers(self, kind: int, n: int) -> np.ndarray[Any, Any]:
        if kind not in NUMBERS:
            raise self._damaged(f"a setting of the unknown kind {kind}")
        dtype = np.dtype(NUMBERS[kind])
        return np.frombuffer(self._bytes(n * dtype.itemsize), dtype)

    def _text(self) -> str:
        return self._bytes(self._whole("<Q")).decode("utf-8")

    def _whole(self, form: str) -> int:
        (number,) = struct.unpack(form, self._bytes(struct.calcsize(form)))
        return int(number)

    def _bytes(self, n: int) -> bytes:
        stop = self._place + n
        if stop > len(self._data):
            raise self._damaged("its head ends too early")
        taken = self._data[self._place : stop]
        self._place = stop
        return taken

    def _damaged(self, why: str) -> CheckpointError:
        return CheckpointError(
            f"{self._path} is damaged or cut off ({why}); fetch it again."
        )


def _plain(numbers: np.ndarray[Any, Any]) -> list[Any]:
    """Python's numbers; 1e-5 stays 1e-5 though the file has it in 32 bits."""
    if numbers.dtype == np.float32:
        return [float(str(number)) for number in numbers]
    found: list[Any] = numbers.tolist()
    return found
