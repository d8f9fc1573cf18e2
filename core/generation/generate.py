"""Write on: read the text, pick a token, append it, again.

In: token ids. Out: one `Generated` after another, each with its logits and its draw.
The prompt is read in one pass, then each pass reads one token; keys and values of the
others are kept. Beyond n_ctx tokens the window slides (see `window`): every token then
stands somewhere else, so all kept keys and values are void and each pass reads the last
n_ctx tokens afresh. That is slower and exact: the logits are those of a trace.
Behind an encoder the source is read once, with the first pass; no window slides there,
since the start token must stay: writing ends with a sentence where n_ctx is full.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.config import ModelConfig
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


def generate(  # noqa: PLR0913 (most of them by name, each with a default)
    model: Transformer,
    ids: Sequence[int],
    sampling: Sampling,
    n_new: int,
    *,
    source: Sequence[int] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    stop_ids: Collection[int] = (),
    watch: Watcher = NOBODY,
) -> Iterator[Generated]:
    """Pick up to `n_new` tokens to follow `ids`, one at a time.

    Ends early before a token where `should_stop()` is true, or after one of `stop_ids`.
    Puts the model into evaluation mode. A draw depends on the seed and the token's
    place alone: a text goes on the same way whether its tokens are asked for at once
    or one by one. `watch` sees every pass: see `core.generation.recorded`.

    Behind an encoder `source` is what it reads, and `ids` are the target so far, the
    start token first. Those alone are counted as repeated, as in `transformers`.

    Raises:
        TraceError: `ids` or `source` is empty, too long behind an encoder, or holds an
            id that the model does not have; or there is a source without an encoder.
            On the way: the logits are not finite, or a target has no room left.
        ConfigError: `n_new` is negative.
    """
    check_ids(ids, model.config.n_vocab)
    check_source(source, len(ids), model.config)
    if n_new < 0:
        raise ConfigError(f"n_new = {n_new} must be at least 0.")
    read = Reading(model, n_ctx=len(ids) + n_new, source=source, watch=watch)
    return up_to(_generated(read, list(ids), sampling, n_new, should_stop), stop_ids)


class Reading:
    """What a model has read of a text: it owns the keys and values of the passes."""

    def __init__(
        self,
        model: Transformer,
        *,
        n_ctx: int,
        source: Sequence[int] | None = None,
        watch: Watcher = NOBODY,
    ) -> None:
        """Nothing is read yet; there is room for `n_ctx` tokens."""
        self.model, self._source, self._watch = model.eval(), source, watch
        n_ctx = min(model.config.n_ctx, n_ctx)
        self._cache = KeyValueCache(model.config, n_ctx=n_ctx, like=model.table)

    @torch.inference_mode()
    def next_logits(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Score every token that may follow `ids`, reading what was not read yet.

        [n] -> [n_vocab], read-only

        Raises:
            TraceError: Behind an encoder there are more than n_ctx tokens.
        """
        model, watch, n_ctx = self.model, self._watch, self.model.config.n_ctx
        new = _row(model, ids[self._cache.n_read :])
        if self._source is not None:
            check_room(len(ids), n_ctx)
            is_first = self._cache.n_read == 0
            given = {"source": _row(model, self._source)} if is_first else {}
            logits = model(new, watch, self._cache, last_only=True, **given)
        elif len(ids) > n_ctx:
            logits = model(_row(model, ids[-n_ctx:]), watch, last_only=True)
        else:
            logits = model(new, watch, self._cache, last_only=True)
        scores: NDArray[np.float32] = logits[0, -1].float().cpu().numpy()
        scores.flags.writeable = False
        return scores


def _generated(
    read: Reading,
    ids: list[int],
    sampling: Sampling,
    n_new: int,
    should_stop: Callable[[], bool],
) -> Iterator[Generated]:
    for _ in range(n_new):
        if should_stop():
            return
        logits = read.next_logits(ids)
        choice = pick(logits, sampling, ids, uniform(sampling.seed, len(ids)))
        unread = n_forgotten(len(ids), read.model.config.n_ctx)
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


def check_source(source: Sequence[int] | None, n: int, config: ModelConfig) -> None:
    """Refuse what an encoder cannot read, and a target so far without room.

    Raises:
        TraceError: There is no source, or too much of one, or no encoder to read it.
    """
    if not config.has_encoder:
        if source is not None:
            raise TraceError("This model has no encoder, so it takes no source.")
        return
    if not source:
        raise TraceError("There is no source to write from; type one first.")
    check_ids(source, config.n_vocab)
    if len(source) > config.n_ctx:
        raise TraceError(
            f"The source has {len(source)} tokens, {len(source) - config.n_ctx} more "
            f"than the {config.n_ctx} this model can read; shorten it."
        )
    check_room(n, config.n_ctx)


def check_room(n: int, n_ctx: int) -> None:
    """Refuse to slide over a target: its start token must stay in sight.

    Raises:
        TraceError: The model cannot read so many tokens.
    """
    if n > n_ctx:
        raise TraceError(
            f"The target fills all {n_ctx} tokens that this model can read; take some "
            "back to write on."
        )


def _row(model: Transformer, ids: Sequence[int]) -> Tensor:
    """As a batch of one, where the model is. [n] -> [1, n]."""
    return torch.tensor([ids], device=model.table.device)
