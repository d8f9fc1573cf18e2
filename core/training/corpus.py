"""The text of a run: files become ids once, and ids become windows.

In: text files and a tokenizer. Out: windows [n_windows, n_ctx + 1] of ids, of which the
first n_ctx are read and the last n_ctx are what should be predicted. Ids are kept in
the run's folder and mapped into memory, so a text may be larger than it.
"""

import codecs
import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from torch import Tensor

from core.errors import TrainingError
from core.files import explained, write_whole
from core.tokenizers.bpe import BpeTokenizer

CACHE = "cache"
"""Folder of a run where encoded texts are kept."""
Ids = NDArray[Any]
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


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

    def batch(self, starts: Tensor) -> tuple[Tensor, Tensor]:
        """Read the windows that begin at `starts`.

        [n_batch] -> what is read and what follows each token, both [n_batch, n_ctx].
        """
        rows = torch.from_numpy(self.rows[starts.numpy()].astype(np.int64))
        return rows[:, :-1], rows[:, 1:]

    def drawn(self, n_batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Read windows at random places; any may come again."""
        return self.batch(torch.randint(len(self), (n_batch,), generator=generator))

    def spread(self, n_batch: int, n_batches: int) -> list[tuple[Tensor, Tensor]]:
        """Read batches whose windows lie evenly over the text, none of them twice."""
        n_rows = min(len(self), n_batch * n_batches)
        starts = torch.arange(n_rows) * len(self) // n_rows
        return [self.batch(some) for some in torch.split(starts, n_batch)]


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
    n_train = len(ids) - int(len(ids) * share)
    return ids[:n_train], ids[n_train:]


def encoded(paths: Iterable[Path], tokenizer: BpeTokenizer, cache: Path) -> Ids:
    """Give the ids of files, one after another, [n]; encode them if it is new.

    Raises:
        TrainingError: A file cannot be read or is not text.
        CheckpointError: The cache cannot be written.
    """
    contents = [read_bytes(path) for path in paths]
    key = hashlib.sha256(tokenizer.fingerprint.encode())
    for content in contents:
        key.update(hashlib.sha256(content).digest())
    kept = cache / f"{key.hexdigest()[:32]}.npy"
    if not kept.exists():
        texts = (decoded(c, path) for c, path in zip(contents, paths, strict=True))
        parts = [tokenizer.encode_corpus(text, specials=True) for text in texts]
        with explained(cache):
            cache.mkdir(parents=True, exist_ok=True)
        file = io.BytesIO()
        np.save(file, np.concatenate(parts))
        write_whole(kept, file.getvalue())
    ids: Ids = np.load(kept, mmap_mode="r")
    return ids


def read_text(path: Path) -> str:
    """Read a text file, the same on every system; see `decoded`.

    Raises:
        TrainingError: The file cannot be read or is not text.
    """
    return decoded(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Read a file.

    Raises:
        TrainingError: It is missing or may not be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise TrainingError(
            f"{path} cannot be read ({error.strerror}); check the name under [data]."
        ) from error


def decoded(content: bytes, path: Path) -> str:
    r"""Turn a file's bytes into text: UTF-8, or UTF-16 with its mark.

    Line ends \r\n and \r become \n, so that a text is the same from every system.

    Raises:
        TrainingError: A byte is not text in that encoding, or is NUL. Names its offset.
    """
    marks = ((m, e) for m, e in BYTE_ORDER_MARKS if content.startswith(m))
    mark, encoding = next(marks, (b"", "utf-8"))
    try:
        text = content[len(mark) :].decode(encoding)
        offset = text.find("\0")
        if offset >= 0:
            raise TrainingError(
                f"{path} is not a text: character {offset} is NUL; choose a text file."
            )
    except UnicodeDecodeError as error:
        offset = error.start + len(mark)
        raise TrainingError(
            f"{path} is not {encoding.upper()}: byte 0x{content[offset]:02X} at offset "
            f"{offset}; save the file as UTF-8."
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
