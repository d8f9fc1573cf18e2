"""Files that are either whole or not there, and a lock that a dead process lets go.

Everything that is saved goes through here: it is written under another name, pushed to
the disk, and only then given its own.
"""

import errno
import logging
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from core.errors import CheckpointError, TrainingError

log = logging.getLogger(__name__)

PARTIAL = ".partial"
"""Ending of a file or folder that is still being written."""
ASKED_FOR_S = 0.2
"""A lock is tried for this long: who asks `is_held` holds it for a moment."""
ASKED_EVERY_S = 0.02
LOCKED_BYTES = 1
"""Of a lock file; after them stands who holds it."""
HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What systems say of a lock that somebody holds; other faults are no holders."""


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file in one move; after a crash it is the old one or the new one.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    with file_made_whole(path) as file:
        file.write(content)


@contextmanager
def file_made_whole(path: Path) -> Iterator[BinaryIO]:
    """Give a file to fill; it gets its own name when the block ends without error.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    partial = path.with_name(path.name + PARTIAL)
    with explained(path):
        try:
            with open(partial, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
            flush_folder(path.parent)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


@contextmanager
def folder_made_whole(path: Path) -> Iterator[Path]:
    """Give a folder to fill; it gets its own name when the block ends without error.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    partial = path.with_name(path.name + PARTIAL)
    with explained(path):
        remove_folder(partial)
        partial.mkdir(parents=True)
        try:
            yield partial
            flush_folder(partial)
            remove_folder(path)
            os.replace(partial, path)
            flush_folder(path.parent)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise


def remove_folder(path: Path) -> None:
    """Take a folder away if it is there, so that no half of it is left under its name.

    A folder dies under another name, because its files go one after the other.
    """
    if not path.exists():
        return
    doomed = path if path.name.endswith(PARTIAL) else path.with_name(path.name + ".old")
    if doomed != path:
        shutil.rmtree(doomed, ignore_errors=True)
        os.replace(path, doomed)
    shutil.rmtree(doomed)


def flush_folder(path: Path) -> None:
    """Push a folder's list of names to the disk, where the system can."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say in a sentence which file could not be written, why, and what to do."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise CheckpointError(
            f"{known(path)} could not be written ({reason}); "
            "make room there or choose another folder."
        ) from error


def known(path: Path) -> Path:
    """A path under the name that it has once it is whole, which people know."""
    return Path(*(part.removesuffix(PARTIAL) for part in path.parts))


@contextmanager
def held_alone(path: Path) -> Iterator[None]:
    """Hold a lock file for as long as the block runs; a dead process holds nothing.

    Our machine's name stands in it meanwhile, for machines that see no lock of ours: on
    some network drives locks end at the machine, on others there are none.

    Raises:
        TrainingError: Another process holds it.
    """
    with explained(path):
        file = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed below)
    with file:
        try:
            _lock_soon(file.fileno())
        except OSError as error:
            if error.errno in HELD:
                raise TrainingError(
                    f"{path.parent} is being trained by another process; "
                    "stop that one or choose another folder."
                ) from error
            log.warning("%s cannot be locked (%s); start it only once.", path, error)
        with explained(path):
            file.truncate(0)
            file.write(b" " * LOCKED_BYTES + platform.node().encode())
        try:
            yield
        finally:
            with suppress(OSError):
                file.truncate(0)


def is_held(path: Path) -> bool:
    """Whether a living process, this one included, holds a lock file alone.

    Asked of the system, which forgets the locks of the dead. A network drive that does
    not carry locks between machines answers for this machine alone.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below; that lets the lock go)
    except OSError:
        return False
    with file:
        try:
            _lock_with_others(file.fileno())
        except OSError as error:
            return error.errno in HELD
    return False


def holder_elsewhere(path: Path) -> str:
    """Name the other machine that took a lock file and did not let it go; else "".

    It may have died with it. What it says is asked of nobody.
    """
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(LOCKED_BYTES)  # Windows lets nobody read what is locked
            name = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "" if name == platform.node() else name


def _lock_soon(descriptor: int) -> None:
    """Take a lock; wait a moment for those who only ask."""
    until_s = time.monotonic() + ASKED_FOR_S
    while time.monotonic() < until_s:
        with suppress(OSError):
            _lock(descriptor)
            return
        time.sleep(ASKED_EVERY_S)
    _lock(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    _lock_with_others = _lock

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _lock_with_others(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
