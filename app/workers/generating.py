"""Writing on: a thread of its own, whose passes are shown while the text grows.

Each pass reads one token; its rows join those before them to one trace, so nothing is
computed twice. The newest token is not in it: the model has not read it yet.
"""

from dataclasses import dataclass
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any

from app.sentence import prompt_of_ids
from app.workers.runner import Worker
from app.workers.tracing import TraceTiming, device_text
from core.generation.ends import end_ids
from core.generation.sampling import Sampling
from core.tokenizers.base import Encoding
from core.trace.trace import Trace

if TYPE_CHECKING:
    from core.bundle import Bundle
    from core.generation.recorded import Recording

TELL_EVERY_S = 1 / 30
"""A small model writes faster than the window can draw; it hears of several tokens."""
TIMES_AS_LONG = 20
"""Writing goes on for so many times what a telling took: that costs 5 % at most."""


@dataclass(frozen=True, slots=True, eq=False)
class GenerateRequest:
    """Write on after `ids`. Progress: `NewTokens`. Answer: None."""

    bundle: "Bundle"
    ids: tuple[int, ...]
    sampling: Sampling
    n_new: int
    stop: Event
    """Set from outside to end before the next token."""
    specials: bool = False
    """Whether "<|endoftext|>" in the text is a special token."""
    source: Encoding | None = None
    """What an encoder reads; `ids` are then the target so far, the start token first.
    """
    doing: str = "generating text"


@dataclass(frozen=True, slots=True, eq=False)
class NewTokens:
    """Some tokens that were picked, in order, and what was read to pick them."""

    ids: tuple[int, ...]
    trace: Trace
    """Of the prompt and the tokens before the last, which nobody has read yet."""
    timing: TraceTiming
    """Of the last pass."""


class GeneratingWorker(Worker):
    """Tells of new tokens as they come."""

    def answer(self, request: Any) -> None:
        """Write until there is enough, the text ends, or somebody says stop."""
        from core.generation.generate import generate
        from core.generation.recorded import Recording

        bundle = request.bundle
        recording = Recording(bundle.config, len(request.ids) + request.n_new)
        teller = Teller(self, request, recording)
        source = request.source
        tokens = generate(
            bundle.model,
            request.ids,
            request.sampling,
            request.n_new,
            should_stop=lambda: request.stop.is_set() or self.should_end(),
            source=source.ids if source else None,
            stop_ids=bundle.end_ids or end_ids(bundle.target_tokenizer),
            watch=recording,
        )
        try:
            for token in tokens:
                teller.take(token.token_id)
        finally:
            teller.tell()


class Teller:
    """Gathers new tokens until it is time to tell of them."""

    def __init__(
        self, worker: Worker, request: GenerateRequest, recording: "Recording"
    ) -> None:
        """Tell through `worker`; the first token is told at once."""
        self._worker, self._request, self._recording = worker, request, recording
        self._ids = list(request.ids)
        self._n_told = len(self._ids)
        self._due = float("-inf")
        self._began = perf_counter()
        self._timing = TraceTiming(device_text(request.bundle.device), None)

    def take(self, token_id: int) -> None:
        """Take in the token that a pass has led to."""
        now = perf_counter()
        milliseconds = 1000 * (now - self._began)
        self._timing = TraceTiming(self._timing.device, milliseconds)
        self._ids.append(token_id)
        if now >= self._due:
            self.tell()
            took = perf_counter() - now
            self._due = now + took + max(TELL_EVERY_S, TIMES_AS_LONG * took)
        self._began = perf_counter()

    def tell(self) -> None:
        """Tell of the tokens that came since the last time, if some did."""
        new = tuple(self._ids[self._n_told :])
        if not new:
            return
        request, recording = self._request, self._recording
        bundle, read = request.bundle, self._ids[: recording.n]
        prompt = prompt_of_ids(
            read,
            bundle.target_tokenizer,
            specials=request.specials,
            start_id=bundle.config.start_id if request.source else None,
        )
        trace = recording.trace(bundle, prompt.encoding, request.source)
        self._n_told = len(self._ids)
        self._worker.progressed.emit(request, NewTokens(new, trace, self._timing))
