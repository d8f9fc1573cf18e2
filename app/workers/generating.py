"""Writing on: a thread of its own, so that traces follow while the text grows."""

from dataclasses import dataclass
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from app.workers.runner import Worker
from core.generation.sampling import Sampling

if TYPE_CHECKING:
    from core.bundle import Bundle

TELL_EVERY_S = 1 / 30
"""A small model writes faster than the window can draw; it hears of several tokens."""

END_OF_TEXT = "<|endoftext|>"


@dataclass(frozen=True, slots=True, eq=False)
class GenerateRequest:
    """Write on after `ids`. Progress: `NewTokens`. Answer: None."""

    bundle: "Bundle"
    ids: tuple[int, ...]
    sampling: Sampling
    n_new: int
    stop: Event
    """Set from outside to end before the next token."""
    doing: str = "generating text"


@dataclass(frozen=True, slots=True)
class NewTokens:
    """Some tokens that were picked, in order."""

    ids: tuple[int, ...]


class GeneratingWorker(Worker):
    """Tells of new tokens as they come."""

    def answer(self, request: Any) -> None:
        """Write until there is enough, the text ends, or somebody says stop."""
        from core.generation.generate import generate

        waiting: list[int] = []
        told = float("-inf")
        end = request.bundle.tokenizer.specials.get(END_OF_TEXT)
        tokens = generate(
            request.bundle.model,
            request.ids,
            request.sampling,
            request.n_new,
            should_stop=lambda: request.stop.is_set() or self.should_end(),
            stop_ids=() if end is None else (end,),
        )
        try:
            for token in tokens:
                waiting.append(token.token_id)
                if monotonic() - told >= TELL_EVERY_S:
                    self._tell(request, waiting)
                    told = monotonic()
        finally:
            self._tell(request, waiting)

    def _tell(self, request: GenerateRequest, waiting: list[int]) -> None:
        if waiting:
            self.progressed.emit(request, NewTokens(tuple(waiting)))
            waiting.clear()
