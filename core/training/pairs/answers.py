"""What a model writes for sources, greedily: the likeliest token, again and again.

In: a model of two sides and sources as ids. Out: the ids it writes before the end. Many
sources are answered side by side; padding of the shorter ones is looked at by no token,
so each answer is the one that its source gets alone.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.model.kv_cache import KeyValueCache
from core.model.recording import NOBODY
from core.model.transformer import Transformer
from core.training.pairs.corpus import Pairs
from core.training.probes import evaluated

N_ASKED = 256
"""Pairs that are answered in a test, spread over all."""
AT_ONCE = 128


def answers(
    model: Transformer, sources: Sequence[Sequence[int]], end: int, n_most: int
) -> list[list[int]]:
    """Write up to `n_most` tokens for each source; the end is not among them."""
    return [
        answer
        for first in range(0, len(sources), AT_ONCE)
        for answer in _answered(model, sources[first : first + AT_ONCE], end, n_most)
    ]


def _answered(
    model: Transformer, sources: Sequence[Sequence[int]], end: int, n_most: int
) -> list[list[int]]:
    config, table = model.config, model.table
    source, is_token = (each.to(table.device) for each in padded(sources))
    n_batch, n_most = len(sources), min(n_most + 1, config.n_ctx)
    cache = KeyValueCache(config, n_ctx=n_most, n_batch=n_batch, like=table)
    new = torch.full((n_batch, 1), config.start_id, device=table.device)
    has_ended = torch.zeros(n_batch, 1, dtype=torch.bool, device=table.device)
    given = {"source": source, "source_is_token": is_token}
    written: list[Tensor] = []
    with evaluated(model):
        for _ in range(n_most):
            new = model(new, NOBODY, cache, **given)[:, -1:].argmax(-1)
            given = {}  # it was read with the first token
            written.append(new)
            has_ended |= new == end
            if bool(has_ended.all()):
                break
    rows = torch.cat(written, 1).tolist()
    return [row[: row.index(end)] if end in row else row for row in rows]


def padded(sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Sources side by side, [n_batch, n_source], and where they are no padding."""
    rows = [torch.tensor(source, dtype=torch.long) for source in sources]
    width = torch.tensor([len(row) for row in rows])
    source = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return source, torch.arange(source.shape[1]) < width[:, None]


def share_right(model: Transformer, pairs: Pairs, end: int) -> float:
    """The share of some pairs whose whole answer is right, from 0 to 1."""
    (places,) = pairs.spread(N_ASKED, 1)
    asked = [pairs.source(place) for place in places.tolist()]
    right = [pairs.target(place) for place in places.tolist()]
    longest = max(map(len, right))
    found = answers(model, asked, end, longest)
    n_right = sum(a == b for a, b in zip(found, right, strict=True))
    return n_right / len(right)
