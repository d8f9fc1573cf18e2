"""Write on: read the text, pick a token, append it, again.

In: token ids. Out: one `Generated` after another, each with its logits and its draw.
The prompt is read in one pass, then each pass reads one token; keys and values of the
others are kept. Beyond n_ctx tokens the window slides (see `window`): every token then
stands somewhere else, so all kept keys and values are void and each pass reads the last
n_ctx tokens afresh. That is slower and exact: the logits are those of a trace.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.errors import ConfigError, TraceError
from core.generation.sampling import Draw, Sampling, pick, uniform
from core.generation.window import n_forgotten
from core.model.kv_cache import KeyValueCache
from core.model.recording import NOBODY, Watcher
from core.model.transformer import Transformer


@dataclass(frozen=True, slots=True, eq=False)
class Generated:
    """One new token and what it was picked from."""

    token_id: int
    draw: Draw
    logits: NDArray[np.float32]
    """[n_vocab], read-only; `distribution` turns them into every stage of the pick."""
    n_forgotten: int
    """Tokens at the front of the text that the model did not read for this one."""


def generate(
    model: Transformer,
    ids: Sequence[int],
    sampling: Sampling,
    n_new: int,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    stop_ids: Collection[int] = (),
    watch: Watcher = NOBODY,
) -> Iterator[Generated]:
    """Pick up to `n_new` tokens to follow `ids`, one at a time.

    Ends early before a token where `should_stop()` is true, or after one of `stop_ids`.
    Puts the model into evaluation mode. A draw depends on the seed and the token's
    place alone: a text goes on the same way whether its tokens are asked for at once
    or one by one. `watch` sees every pass: see `core.generation.recorded`.

    Raises:
        TraceError: `ids` is empty or holds an id that the model does not have, or, on
            the way, the logits are not finite.
        ConfigError: `n_new` is negative.
    """
    check_ids(ids, model.config.n_vocab)
    if n_new < 0:
        raise ConfigError(f"n_new = {n_new} must be at least 0.")
    picks = _generated(model, list(ids), sampling, n_new, should_stop, watch)
    return up_to(picks, stop_ids)


def _generated(
    model: Transformer,
    ids: list[int],
    sampling: Sampling,
    n_new: int,
    should_stop: Callable[[], bool],
    watch: Watcher,
) -> Iterator[Generated]:
    model.eval()
    n_ctx = min(model.config.n_ctx, len(ids) + n_new)
    cache = KeyValueCache(model.config, n_ctx=n_ctx, like=model.table)
    for _ in range(n_new):
        if should_stop():
            return
        logits = next_logits(model, ids, cache, watch)
        choice = pick(logits, sampling, ids, uniform(sampling.seed, len(ids)))
        unread = n_forgotten(len(ids), model.config.n_ctx)
        ids.append(choice.token_id)
        yield Generated(choice.token_id, choice, logits, unread)


def up_to(
    tokens: Iterator[Generated], stop_ids: Collection[int]
) -> Iterator[Generated]:
    """The tokens up to and with the first that is one of `stop_ids`."""
    for token in tokens:
        yield token
        if token.token_id in stop_ids:
            return


@torch.inference_mode()
def next_logits(
    model: Transformer,
    ids: Sequence[int],
    cache: KeyValueCache,
    watch: Watcher = NOBODY,
) -> NDArray[np.float32]:
    """Score every token that may follow `ids`, reading what the cache has not read.

    [n] -> [n_vocab], read-only
    """
    n_ctx = model.config.n_ctx
    if len(ids) > n_ctx:
        logits = model(_row(model, ids[-n_ctx:]), watch, last_only=True)
    else:
        new = _row(model, ids[cache.n_read :])
        logits = model(new, watch, cache, last_only=True)
    scores: NDArray[np.float32] = logits[0, -1].float().cpu().numpy()
    scores.flags.writeable = False
    return scores


def check_ids(ids: Sequence[int], n_vocab: int) -> None:
    """Refuse a prompt that the model cannot read.

    Raises:
        TraceError: There is no token, or one is outside the vocabulary.
    """
    if not ids:
        raise TraceError("There is no token to go on from; type something first.")
    for place, token_id in enumerate(ids):
        if not 0 <= token_id < n_vocab:
            raise TraceError(
                f"Token {place} has id {token_id}, but the model knows 0 to "
                f"{n_vocab - 1}; use the tokenizer that belongs to it."
            )


def _row(model: Transformer, ids: Sequence[int]) -> Tensor:
    """As a batch of one, where the model is. [n] -> [1, n]."""
    return torch.tensor([ids], device=model.table.device)
