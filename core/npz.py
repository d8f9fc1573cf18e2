"""Arrays in one NPZ file, written part by part and read without loading them all.

Place: under everything that saves numbers. The file is plain: `numpy.load` opens it and
no pickle is in it. Arrays are stored as they are, each at a multiple of 64 bytes, so
that a large file is mapped into memory instead of read.
"""

import json
import math
import struct
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from core.errors import CheckpointError

Array = NDArray[Any]

ALIGNMENT = 64
"""Bytes: what numpy pads its own headers to."""
PADDING_FIELD = 0xD935
"""The zip field that others, too, fill with nothing to align what follows."""
FIXED_HEADER, ZIP64_FIELD, FIELD_HEADER = 30, 20, 4
"""Bytes of a zip entry's header before its name, of the field with sizes beyond 4 GB,
and of a field without content."""
FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The same numbers make the same file."""
MAPPED_FROM = 256 * 2**20
"""A file of fewer bytes is read as a whole: nobody can change it under our hands."""
ENDING = ".npy"
IS_LOCKED = 1
"""The bit of a zip entry's flags that asks for a password."""
OF_HEADERS = (ValueError, TypeError, OverflowError, MemoryError, RecursionError)
"""What numpy and JSON make of a description that is nonsense."""


class NpzWriter(AbstractContextManager["NpzWriter"]):
    """Fills an open file with named arrays."""

    def __init__(self, file: BinaryIO) -> None:
        """Begin at the start of an empty file."""
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)

    def write(self, name: str, array: Array) -> None:
        """Put one array into the file."""
        self.write_parts(name, array.dtype, array.shape, (array,))

    def write_text(self, name: str, text: str) -> None:
        """Put a text into the file: a text array without axes."""
        self.write(name, np.array(text))

    def write_parts(
        self,
        name: str,
        kind: np.dtype[Any],
        shape: tuple[int, ...],
        parts: Iterable[Array],
    ) -> None:
        """Put an array into the file that comes in parts, along its first axis."""
        entry = zipfile.ZipInfo(name + ENDING, FIRST_DATE)
        entry.extra = self._padding(entry)
        described = {
            "descr": npy.dtype_to_descr(kind),
            "fortran_order": False,
            "shape": shape,
        }
        with self._zip.open(entry, "w", force_zip64=True) as member:
            npy.write_array_header_1_0(member, described)
            for part in parts:
                member.write(np.ascontiguousarray(part, kind).tobytes())

    def _padding(self, entry: zipfile.ZipInfo) -> bytes:
        """A field of the length that lets what follows begin at an even place."""
        file = self._zip.fp
        assert file is not None
        start = file.tell() + FIXED_HEADER + len(entry.filename.encode()) + ZIP64_FIELD
        n_bytes = -(start + FIELD_HEADER) % ALIGNMENT
        return struct.pack("<HH", PADDING_FIELD, n_bytes) + bytes(n_bytes)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the list of names, without which the file is none."""
        self._zip.close()


def read_arrays(file: Path) -> Mapping[str, Array]:
    """Every array of a file by its name; those of a large file are mapped.

    What is mapped may be written to, which changes the memory and not the file.

    Raises:
        CheckpointError: The file is missing, damaged, or not one of ours.
    """
    try:
        is_large = file.stat().st_size >= MAPPED_FROM
        with zipfile.ZipFile(file) as archive, open(file, "rb") as raw:
            entries = archive.infolist()
            if not all(map(_is_plain, entries)) or archive.testzip() is not None:
                raise damaged(file)
            return {
                entry.filename.removesuffix(ENDING): _array(
                    archive, entry, raw if is_large else None
                )
                for entry in entries
            }
    except OSError as error:
        reason = error.strerror or str(error)
        raise CheckpointError(
            f"{file} could not be read ({reason}); choose another file."
        ) from error
    except (zipfile.BadZipFile, NotImplementedError, EOFError, *OF_HEADERS) as error:
        raise damaged(file) from error


def damaged(file: Path) -> CheckpointError:
    """What to say of a file that cannot be understood."""
    return CheckpointError(
        f"{file} is damaged or was not written by this program; save it again."
    )


def read_table(arrays: Mapping[str, Array], name: str, file: Path) -> dict[str, Any]:
    """A JSON table that was written as a text.

    Raises:
        CheckpointError: There is none of that name, or it is no table.
    """
    try:
        table = json.loads(str(arrays[name]))
    except (KeyError, ValueError, RecursionError) as error:
        raise damaged(file) from error
    if not isinstance(table, dict):
        raise damaged(file)
    return table


def _is_plain(entry: zipfile.ZipInfo) -> bool:
    """Whether it is stored as it is; what is packed or locked is never unpacked."""
    is_locked = bool(entry.flag_bits & IS_LOCKED)
    return entry.compress_type == zipfile.ZIP_STORED and not is_locked


def _array(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, raw: BinaryIO | None
) -> Array:
    """One array; with `raw`, the open file, it is mapped.

    Raises:
        ValueError: It holds objects, or its size is not what it says.
    """
    with archive.open(entry) as member:
        npy.read_magic(member)
        shape, is_fortran, kind = npy.read_array_header_1_0(member)
        start = member.tell()
        n_bytes = math.prod(shape) * kind.itemsize
        if kind.hasobject or is_fortran or start + n_bytes != entry.file_size:
            raise ValueError(f"{entry.filename} is not what it says")
        if raw is None or n_bytes == 0:
            return np.ndarray(shape, kind, bytearray(member.read()))
    offset = _start_of(raw, entry) + start
    return np.memmap(raw, kind, "c", offset, shape)


def _start_of(raw: BinaryIO, entry: zipfile.ZipInfo) -> int:
    """Where the content of an entry begins in the file."""
    raw.seek(entry.header_offset + FIXED_HEADER - 4)
    n_name, n_fields = struct.unpack("<HH", raw.read(4))
    return entry.header_offset + FIXED_HEADER + int(n_name) + int(n_fields)
