"""What the passes of generation computed, joined row by row into one trace.

With kept keys and values each pass reads the new tokens alone, so the steps that it
shows are rows that follow those of the passes before. In: a `Recording` as the watcher
of `generate`. Out: the trace of all tokens that were read, as a fresh pass over them
would give it. The newest token was written and not read yet: it is not in it. What an
encoder makes of its source comes once, with the first pass.
"""

import torch
from torch import Tensor

from core.bundle import Bundle
from core.config import ModelConfig
from core.errors import TraceError
from core.model.functions import is_finite
from core.pipeline import given_of, ids_of
from core.tokenizers.base import Encoding
from core.trace.step import ENCODER
from core.trace.steps import Step, kept_keys, steps_for
from core.trace.trace import Trace

INTO_ATTENTION = ("attn.q", "attn.k", "attn.v")


class Recording:
    """A watcher that keeps the rows of every pass, in room for `n_ctx` tokens.

    While passes go on it only remembers what they show; rows are copied into their
    place once, when a trace is asked for. Rows that were handed out are never written
    to again, so the traces share them.
    """

    def __init__(self, config: ModelConfig, n_ctx: int) -> None:
        """Take in at most `n_ctx` tokens: prompt and new ones together."""
        kept = [step for step in steps_for(config) if step.key in kept_keys(config)]
        # The first layer's `resid_in` is what enters it, under another name.
        renamed = {step.inputs[0] for step in kept if step.op == "same"}
        self._steps = {step.key: step for step in kept if step.key not in renamed}
        self._of_source = {key for key, step in self._steps.items() if is_once(step)}
        self._first = next(key for key in self._steps if key not in self._of_source)
        self._n_ctx = min(n_ctx, config.n_ctx)
        self._is_damaged = False
        self._begin_afresh()

    @property
    def n(self) -> int:
        """Tokens that were read."""
        return self._n

    def __call__(self, key: str, value: Tensor) -> Tensor:
        """Remember the rows of a step; the pass goes on as it is."""
        step = self._steps.get(key)
        if step is None:
            return value
        rows = value[0] if value.ndim > len(step.axes) else value
        if key == self._first:
            self._begin_pass(len(rows))
        if step.name in INTO_ATTENTION:
            self._is_damaged = self._is_damaged or not is_finite(rows)
        self._new[key].append(rows)
        return value

    def asks_for_rows(self, path: str) -> bool:
        """Whether a NaN is on its way, which the fused kernel may swallow."""
        return self._is_damaged

    def trace(
        self, bundle: Bundle, encoding: Encoding, source: Encoding | None = None
    ) -> Trace:
        """The trace of the tokens that were read; behind an encoder, of its source.

        Raises:
            TraceError: `encoding` has more or fewer tokens.
        """
        if len(encoding.pieces) != self._n:
            raise TraceError(
                f"{self._n} tokens were read and {len(encoding.pieces)} are named; "
                "name those that were read."
            )
        kept = {key: self._rows(step) for key, step in self._steps.items()}
        return Trace(
            config=bundle.config,
            weights=bundle.weights,
            encoding=encoding,
            source=source,
            kept={**ids_of(encoding, source), **kept},
            given=given_of(
                bundle.config, self._n, n_source=len(source.ids) if source else 0
            ),
        )

    def _begin_afresh(self) -> None:
        self._n = 0
        self._new: dict[str, list[Tensor]] = {key: [] for key in self._steps}
        self._room: dict[str, Tensor] = {}
        self._n_placed = dict.fromkeys(self._steps, 0)

    def _begin_pass(self, n_new: int) -> None:
        """Count the rows that come; without room for them the window has slid.

        Then the pass reads all of its tokens afresh, and what was kept is void.
        """
        if self._n + n_new > self._n_ctx:
            self._begin_afresh()
        self._n += n_new

    def _rows(self, step: Step) -> Tensor:
        """The rows of a step so far, on the CPU: new ones move to their place."""
        axis = step.axes.index("n")
        if step.key in self._of_source:
            if step.key not in self._room:
                self._room[step.key] = self._new[step.key].pop().cpu()
            return self._room[step.key]
        if new := self._new[step.key]:
            rows = torch.cat(new, dim=axis).cpu()
            new.clear()
            if step.key not in self._room:
                shape = list(rows.shape)
                shape[axis] = self._n_ctx
                self._room[step.key] = torch.empty(shape, dtype=rows.dtype)
            start, n_rows = self._n_placed[step.key], rows.shape[axis]
            self._room[step.key].narrow(axis, start, n_rows).copy_(rows)
            self._n_placed[step.key] = start + n_rows
        return self._room[step.key].narrow(axis, 0, self._n)


def is_once(step: Step) -> bool:
    """Whether its rows are those of a source, which is read in the first pass alone."""
    return step.side_of("n") == ENCODER
