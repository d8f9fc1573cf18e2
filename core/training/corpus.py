"""The text of a run: files become ids once, and ids become windows.

In: text files and a tokenizer. Out: windows [n_windows, n_ctx + 1] of ids, of which the
first n_ctx are read and the last n_ctx are what should be predicted. Texts are read,
hashed and encoded in blocks; ids are kept in the run's folder and mapped into memory,
so a text may be larger than it. torch is loaded when a batch is first asked for.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.format import dtype_to_descr, write_array_header_1_0
from numpy.lib.stride_tricks import sliding_window_view

from core.errors import TrainingError
from core.files import explained, file_made_whole
from core.tokenizers.base import Ids, Tokenizer
from core.training.batch import Batch
from core.training.progress import Told, told_along, untold
from core.training.reading import BLOCK_BYTES, check_file, opened, read_blocks

if TYPE_CHECKING:
    import torch
    from torch import Tensor

Cut = Callable[[Path, Iterable[str], Tokenizer], Iterator[Ids]]
"""How the blocks of a file become ids; the file is for what is said of it."""
CACHE = "cache"
"""Folder of a run where encoded texts are kept."""
HASHING_SHARE = 0.1
"""Of the time that a new text takes; the rest is encoding."""


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Every stretch of n_ctx + 1 tokens in a text, one beginning at each token."""

    rows: Ids
    """[n_windows, n_ctx + 1], a view of the text's ids."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_ctx(self) -> int:
        """Tokens that are read in one window."""
        return int(self.rows.shape[1]) - 1

    @property
    def n_tokens(self) -> int:
        """Tokens of the whole text."""
        return len(self.rows) + self.n_ctx

    @property
    def tokens_per_example(self) -> float:
        """Tokens that are read in one window."""
        return float(self.n_ctx)

    def n_read(self, starts: "Tensor") -> int:
        """Tokens that are read in some windows."""
        return len(starts) * self.n_ctx

    def n_said(self, starts: "Tensor") -> int:
        """Tokens of some windows that the model must say: as many as it reads."""
        return len(starts) * self.n_ctx

    def batch(self, starts: "Tensor") -> Batch:
        """Read the windows that begin at `starts`.

        [n_batch] -> what is read and what follows each token, both [n_batch, n_ctx].
        """
        import torch

        rows = torch.from_numpy(self.rows[starts.numpy()].astype(np.int64))
        return Batch(rows[:, :-1], rows[:, 1:])

    def draw(self, n_batch: int, generator: "torch.Generator") -> "Tensor":
        """Random places to begin windows at, [n_batch]; any may come again."""
        import torch

        return torch.randint(len(self), (n_batch,), generator=generator)

    def spread(self, n_batch: int, n_batches: int) -> "list[Tensor]":
        """Places of batches whose windows lie evenly over the text, none of them twice.

        -> [n_batch] each, the last one less.
        """
        import torch

        n_rows = min(len(self), n_batch * n_batches)
        starts = torch.arange(n_rows) * len(self) // n_rows
        return list(torch.split(starts, n_batch))


def windows_of(ids: Ids, n_ctx: int, what: str) -> Windows:
    """Lay windows over ids [n].

    Raises:
        TrainingError: There are fewer ids than one window takes.
    """
    if len(ids) < n_ctx + 1:
        raise TrainingError(
            f"{what} has {len(ids)} tokens, but a window of n_ctx = {n_ctx} needs "
            f"{n_ctx + 1}; give more text or a smaller n_ctx."
        )
    return Windows(sliding_window_view(ids, n_ctx + 1))


def split_off(ids: Ids, share: float) -> tuple[Ids, Ids]:
    """Cut the last share off for validation: [n] -> [n - m], [m]."""
    n_train = n_train_of(len(ids), share)
    return ids[:n_train], ids[n_train:]


def n_train_of(n_tokens: int, share: float) -> int:
    """How many tokens are learned from if the last share is kept for validation."""
    return n_tokens - int(n_tokens * share)


def encoded(
    paths: Sequence[Path],
    tokenizer: Tokenizer,
    cache: Path,
    told: Told = untold,
    cut: Cut | None = None,
) -> Ids:
    """Give the ids of files, one after another, [n]; encode them if it is new.

    Nothing half is left in the cache when `told` raises. A `cut` other than that of
    running text has a place of its own there, by its name.

    Raises:
        TrainingError: A file cannot be read or is not text, or all are empty.
        CheckpointError: The cache cannot be written.
    """
    key = cache_key(paths, tokenizer, lambda share: told(share * HASHING_SHARE))
    kept = cache / (f"{key}-{cut.__name__}.npy" if cut else f"{key}.npy")
    if (ids := _kept_ids(kept)) is not None:
        return ids
    with explained(cache):
        cache.mkdir(parents=True, exist_ok=True)
    blocks = _blocks_of_ids(
        paths,
        tokenizer,
        lambda share: told(HASHING_SHARE + share * (1 - HASHING_SHARE)),
        cut,
    )
    _write_ids(kept, blocks, tokenizer.id_type)
    written: Ids = np.load(kept, mmap_mode="r")
    return written


def _kept_ids(path: Path) -> Ids | None:
    """Map ids that are kept; None if there are none, or only a damaged file."""
    try:
        ids: Ids = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError):
        return None
    return ids


def cache_key(paths: Iterable[Path], tokenizer: Tokenizer, told: Told = untold) -> str:
    """Name what decides the ids: the bytes of the files and the tokenizer.

    Raises:
        TrainingError: A file cannot be read.
    """
    paths = tuple(paths)
    n_all, n_read = max(size_of(paths), 1), 0
    key = hashlib.sha256(tokenizer.fingerprint.encode())
    for path in paths:
        digest = hashlib.sha256()
        for block in _byte_blocks(path):
            digest.update(block)
            n_read += len(block)
            told(min(n_read / n_all, 1.0))
        key.update(digest.digest())
    return key.hexdigest()[:32]


def size_of(paths: Iterable[Path]) -> int:
    """Bytes of files together; what is not there has none."""
    return sum(os.path.getsize(path) for path in paths if os.path.exists(path))


def _byte_blocks(path: Path) -> Iterator[bytes]:
    try:
        with opened(path) as file:
            while block := file.read(BLOCK_BYTES):
                yield block
    except OSError as error:
        fault = check_file(path)
        raise TrainingError(fault.message if fault else f"{path}: {error}.") from error


def _blocks_of_ids(
    paths: Sequence[Path], tokenizer: Tokenizer, told: Told, cut: Cut | None
) -> Iterator[Ids]:
    n_all, n_before = size_of(paths), 0
    for path in paths:
        blocks = told_along(read_blocks(path), n_all, told, n_before)
        if cut:
            yield from cut(path, blocks, tokenizer)
        else:
            yield from tokenizer.encode_blocks(blocks, specials=True)
        n_before += size_of([path])


def _write_ids(path: Path, blocks: Iterable[Ids], id_type: np.dtype[Any]) -> None:
    """Write a .npy piece by piece; its length is put in at the end."""
    header = {"descr": dtype_to_descr(id_type), "fortran_order": False, "shape": (0,)}
    n = 0
    with file_made_whole(path) as file:
        write_array_header_1_0(file, header)
        for ids in blocks:
            file.write(ids.tobytes())
            n += len(ids)
        if n == 0:
            raise TrainingError(
                "The text is empty; give one with a few words at least."
            )
        file.seek(0)  # the header has room for any length
        write_array_header_1_0(file, header | {"shape": (n,)})
