"""The pairs of a run as ids, and batches of them.

In: files of pairs and a tokenizer. Out: one row of ids, [n]: source, start, target,
end, pair after pair, kept in the run's folder and mapped into memory. What the decoder
reads and what follows each token are the same ids, one place apart. A batch is as wide
as its longest pair; pairs of like length are drawn together, so that little is padding.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import TokenizerError, TrainingError
from core.tokenizers.base import Ids, Tokenizer
from core.tokenizers.simple import CharacterTokenizer, learn_characters
from core.training.batch import NOTHING_FOLLOWS, Batch
from core.training.pairs.lines import Pair, checked_pairs

if TYPE_CHECKING:
    import torch
    from torch import Tensor

START, END = "<start>", "<end>"
PAIR_SPECIALS = (START, END)
"""What a decoder reads first, and what it says last. Padding needs no token of its own:
no token looks at it, and no loss counts it."""
N_POOLED = 8
"""Batches' worth of pairs that are drawn for one batch, and sorted by length."""
HASH_BYTES = 8


def ends_of(tokenizer: Tokenizer) -> tuple[int, int]:
    """The ids of the start and of the end.

    Raises:
        TokenizerError: The tokenizer has no such tokens.
    """
    missing = [text for text in PAIR_SPECIALS if text not in tokenizer.specials]
    if missing:
        raise TokenizerError(
            f"The tokenizer has no token {missing[0]}, which pairs need; learn one "
            "from the pairs, or take that of another run on pairs."
        )
    return tokenizer.specials[START], tokenizer.specials[END]


def pair_characters(texts: Iterable[str]) -> CharacterTokenizer:
    """A token for each character of both sides, a start and an end.

    Raises:
        TokenizerError: There is no character at all.
    """
    known = learn_characters(texts, specials=()).characters
    return CharacterTokenizer.from_characters(known, PAIR_SPECIALS)


def pair_ids(pairs: Iterable[Pair], tokenizer: Tokenizer) -> Iterator[Ids]:
    """Each pair as source, start, target, end: [n_source + n_target + 2].

    Raises:
        TokenizerError: The tokenizer has no start or end, or not all of the letters.
    """
    start, end = (np.array([i], tokenizer.id_type) for i in ends_of(tokenizer))
    for pair in pairs:
        source, target = map(tokenizer.encode_corpus, pair)
        yield np.concatenate((source, start, target, end))


def pairs_cut(path: Path, blocks: Iterable[str], tokenizer: Tokenizer) -> Iterator[Ids]:
    """The ids of a file of pairs, pair by pair; raises as `pair_ids` does.

    Raises:
        TrainingError: A line is no pair.
    """
    return pair_ids(checked_pairs(path, blocks), tokenizer)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Sources and targets as ids."""

    ids: Ids
    """[n]: source, start, target, end, of all pairs one after another."""
    bounds: NDArray[np.int64]
    """[n_pairs, 3]: where a source begins, where its start and its end stand."""

    def __len__(self) -> int:
        return len(self.bounds)

    @property
    def n_tokens(self) -> int:
        """Tokens that are read of all pairs: sources, starts and targets."""
        return int(self.lengths.sum())

    @property
    def tokens_per_example(self) -> float:
        """Tokens that are read of a pair, on average."""
        return self.n_tokens / len(self)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[n_pairs]: tokens that are read of each."""
        return self.bounds[:, 2] - self.bounds[:, 0]

    @property
    def widths(self) -> NDArray[np.int64]:
        """[n_pairs]: tokens of the longer side, of which n_ctx can be read."""
        widths: NDArray[np.int64] = np.diff(self.bounds, axis=1).max(axis=1)
        return widths

    def n_read(self, places: "Tensor") -> int:
        """Tokens that are read of some pairs; padding is none."""
        return int(self.lengths[places.numpy()].sum())

    def n_said(self, places: "Tensor") -> int:
        """Tokens of their targets, and the ends."""
        rows = self.bounds[places.numpy()]
        return int((rows[:, 2] - rows[:, 1]).sum())

    def source(self, place: int) -> list[int]:
        """The ids of a source."""
        begin, start, _ = self.bounds[place]
        return [int(i) for i in self.ids[begin:start]]

    def target(self, place: int) -> list[int]:
        """The ids of a target, without start and end."""
        _, start, end = self.bounds[place]
        return [int(i) for i in self.ids[start + 1 : end]]

    def batch(self, places: "Tensor") -> Batch:
        """Put pairs side by side, each side as wide as its longest."""
        import torch

        rows = self.bounds[places.numpy()]
        widths = torch.from_numpy(rows[:, 1] - rows[:, 0])
        source = self._padded(rows[:, 0], rows[:, 1], 0)
        return Batch(
            read=self._padded(rows[:, 1], rows[:, 2], 0),
            following=self._padded(rows[:, 1] + 1, rows[:, 2] + 1, NOTHING_FOLLOWS),
            given={
                "source": source,
                "source_is_token": torch.arange(source.shape[1]) < widths[:, None],
            },
        )

    def _padded(
        self, begins: NDArray[np.int64], ends: NDArray[np.int64], fill: int
    ) -> "Tensor":
        """Stretches of the ids as rows of one width: [n_batch], [n_batch] -> [..., n].

        What stands at padding decides nothing; id 0 is one that every model has.
        """
        import torch

        rows = np.full((len(begins), (ends - begins).max()), fill, np.int64)
        for row, begin, end in zip(rows, begins, ends, strict=True):
            row[: end - begin] = self.ids[begin:end]
        return torch.from_numpy(rows)

    def draw(self, n_batch: int, generator: "torch.Generator") -> "Tensor":
        """Places of pairs of like length, each pair as likely as any: [n_batch].

        Of a pool of random pairs in the order of their lengths, one random stretch.
        """
        import torch

        pool = torch.randint(len(self), (N_POOLED * n_batch,), generator=generator)
        order = torch.from_numpy(self.lengths)[pool].argsort(stable=True)
        which = int(torch.randint(N_POOLED, (1,), generator=generator))
        return pool[order[which * n_batch :][:n_batch]]

    def spread(self, n_batch: int, n_batches: int) -> "list[Tensor]":
        """Places of batches spread over all pairs, the short ones first."""
        import torch

        n_rows = min(len(self), n_batch * n_batches)
        places = torch.arange(n_rows) * len(self) // n_rows
        order = torch.from_numpy(self.lengths)[places].argsort(stable=True)
        return list(torch.split(places[order], n_batch))


def pairs_in(ids: Ids, tokenizer: Tokenizer) -> Pairs:
    """Find the pairs in a row of ids, by their starts and ends."""
    start, end = ends_of(tokenizer)
    starts, ends = np.flatnonzero(ids == start), np.flatnonzero(ids == end)
    begins = np.concatenate(([0], ends[:-1] + 1))
    return Pairs(ids, np.stack((begins, starts, ends), axis=1))


def fitting(pairs: Pairs, n_ctx: int) -> tuple[Pairs, int]:
    """The pairs of which n_ctx tokens hold either side, and how many do not fit.

    Raises:
        TrainingError: None fits.
    """
    fits = pairs.widths <= n_ctx
    if not fits.any():
        least = int(pairs.widths.min())
        raise TrainingError(
            f"No pair fits into n_ctx = {n_ctx}: the shortest needs {least} tokens on "
            "one side; choose a larger n_ctx."
        )
    return replace(pairs, bounds=pairs.bounds[fits]), int((~fits).sum())


def split_pairs(pairs: Pairs, share: float) -> tuple[Pairs, Pairs | None]:
    """Keep a share of the sources for validation, whatever order the pairs are in.

    Pairs with the same source stay on one side, so that no answer that is tested was
    learned. Which sources are kept depends on the sources alone.

    Raises:
        TrainingError: A side of the split would be empty.
    """
    if not share:
        return pairs, None
    hashes = np.array([_hash(pairs, place) for place in range(len(pairs))], np.uint64)
    kinds = np.unique(hashes)
    n_kept = n_kept_of(len(kinds), share)
    if not 0 < n_kept < len(kinds):
        raise TrainingError(
            f"{len(kinds)} different {'source' if len(kinds) == 1 else 'sources'} "
            f"cannot be split by valid_share = {share}; give more pairs, or keep none "
            "for validation."
        )
    is_kept = hashes < kinds[n_kept]
    train, valid = (replace(pairs, bounds=pairs.bounds[m]) for m in (~is_kept, is_kept))
    return train, valid


def n_kept_of(n_sources: int, share: float) -> int:
    """How many of the sources are kept for validation: at least one, if any are."""
    return max(round(n_sources * share), 1)


def _hash(pairs: Pairs, place: int) -> int:
    """A number that a source has on every machine, and hardly another one has."""
    begin, start, _ = pairs.bounds[place]
    data = pairs.ids[begin:start].astype("<u4").tobytes()
    return int.from_bytes(blake2b(data, digest_size=HASH_BYTES).digest(), "big")
