"""Holding a model to another program: a thread that waits for a process.

In: an open model and the sentence. Out: `Checked`. `transformers` is loaded in a
process of its own, which ends with the answer: it is large, and nothing else needs it.
On opening, a model is held to itself alone, in the thread that opened it.
"""

import logging
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from app.model_card import ModelCard
from app.workers.apart import apart
from app.workers.runner import Worker
from core.errors import CoreError
from core.tokenizers.base import Encoding

if TYPE_CHECKING:
    from core.analysis.comparison import Comparison
    from core.bundle import Bundle

log = logging.getLogger(__name__)
UNCHECKED = "The self-check could not be carried out, so nothing is known of it."


class WithdrawnError(CoreError):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckRequest:
    """Walk a sentence through the reference, too. Progress: str. Answer: `Checked`."""

    bundle: "Bundle"
    encoding: Encoding
    target: Encoding | None = None
    """Behind an encoder: the text so far, where `encoding` is the source."""
    withdrawn: Event = field(default_factory=Event)
    doing: str = "checking the model against the reference"


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """What there was to compare."""

    reference: "Comparison | None"
    reason: str = ""
    """Why there is no reference, a sentence."""
    cpu: "Comparison | None" = None
    """Where the model computes on another device: held to the CPU."""


class CheckingWorker(Worker):
    """Answers `CheckRequest`."""

    def answer(self, request: Any) -> Checked:
        """Compare with everything that there is."""
        from core.analysis import reference as of  # torch
        from core.pipeline import trace_encoding

        bundle, asked = request.bundle, (request.encoding, request.target)
        is_elsewhere = bundle.device.type != "cpu"
        cpu = of.against_cpu(bundle, *asked) if is_elsewhere else None
        if reason := of.obstacle(bundle):
            return Checked(None, reason, cpu)
        encoding, target, texts = of.beginning(bundle, *asked)
        ours = of.numbers_of(trace_encoding(bundle, encoding, target=target))
        given = bundle.folder, bundle.config, texts, ours

        def told(what: str) -> None:
            self.progressed.emit(request, what)

        def check() -> None:
            if request.withdrawn.is_set() or self.should_end():
                raise WithdrawnError("The check was stopped.")

        try:
            found = apart(of.against_transformers, given, told, check)
        except CoreError as error:
            return Checked(None, str(error), cpu)
        return Checked(found, "", cpu)


def self_checked(bundle: "Bundle", card: ModelCard) -> ModelCard:
    """The card of a model that is being opened, with what its self-check gave."""
    from core.analysis.self_check import self_check  # torch

    try:
        check = self_check(bundle)
    except Exception:  # a model that opens is not lost to its check
        log.exception("The self-check of %s failed", card.name)
        return replace(card, warnings=(*card.warnings, UNCHECKED))
    notes = (*card.notes, *filter(None, (check.note,)))
    return replace(
        card, notes=notes, warnings=(*card.warnings, *filter(None, (check.warning,)))
    )
