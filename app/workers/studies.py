"""Studies of a trace: what looks at all of its heads, and so takes longer than a frame.

A thread of their own works on them, so that no trace and no step waits for one. torch
comes with the trace that is studied.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from app.workers.memory import give_back
from app.workers.runner import Request, Worker
from core.analysis.heads import HeadScores, head_scores
from core.analysis.rollout import Joining, rollout
from core.analysis.why import TourStop, why
from core.trace.attentions import kind_named
from core.trace.matrix import FloatArray
from core.trace.trace import Trace
from core.trace.viewing import Head, Viewing
from core.trace.views.overview import small_maps

if TYPE_CHECKING:
    from core.bundle import Bundle


class StudyRequest(Request, Protocol):
    """What is asked about a trace."""

    @property
    def trace(self) -> Trace:
        """The trace that is looked at."""

    @property
    def question(self) -> object:
        """What tells two requests of the same kind about the same trace apart."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoresRequest:
    """Score every head. Answer: `HeadScores`."""

    bundle: "Bundle | None"
    """None of a trace file: then the sentence alone tells."""
    trace: Trace
    of_model: HeadScores | None
    """Scores of the same model: what no sentence changes need not be measured again."""
    kind: str = ""
    """Of which attention: "encoder", "decoder", "cross"; "" where there is one kind."""
    doing: str = "scoring the heads"

    @property
    def question(self) -> object:
        """Whose heads are scored."""
        return self.kind


@dataclass(frozen=True, slots=True, eq=False)
class RolloutRequest:
    """Roll attention out over the layers. Answer: maps [n_layers, n_query, n_key]."""

    trace: Trace
    joining: Joining
    kind: str = ""
    """Of which attention."""
    doing: str = "rolling attention out"

    @property
    def question(self) -> object:
        """How heads are joined, and whose they are."""
        return self.joining, self.kind


@dataclass(frozen=True, slots=True, eq=False)
class MapsRequest:
    """Reduce some heads to small maps. Answer: a map by head."""

    trace: Trace
    stage: str
    viewing: Viewing
    heads: tuple[Head, ...]
    doing: str = "drawing the heads"

    @property
    def question(self) -> tuple[object, ...]:
        """Which numbers the maps are made of."""
        return self.stage, self.viewing.kind, self.viewing.shape


@dataclass(frozen=True, slots=True, eq=False)
class WhyRequest:
    """Ask why a token was said. Answer: the stops of the tour."""

    trace: Trace
    position: int
    """The token whose row gives the logits."""
    token_id: int
    label_of: Callable[[int], str]
    doing: str = "looking for the reasons"

    @property
    def question(self) -> tuple[int, int]:
        """Which logit is asked about."""
        return self.position, self.token_id


class StudiesWorker(Worker):
    """Answers by the table below."""

    def answer(self, request: Any) -> Any:
        """The answer that the request's docstring names."""
        return ANSWERS[type(request)](request)

    def clear_up(self, request: Any) -> None:
        """Scores and rollout look at every head of every layer, and leave much."""
        if isinstance(request, ScoresRequest | RolloutRequest):
            give_back()


def score(request: ScoresRequest) -> HeadScores:
    """Score the sentence's heads; those of a new model are tested first."""
    from core.analysis.telling import NO_MODEL, telling_scores, without_telling

    trace, bundle, kind = request.trace, request.bundle, request.kind
    of_model = request.of_model
    if bundle is None or kind_named(trace.config, kind).is_cross:
        of_model = without_telling(trace.config, NO_MODEL, kind)
    elif of_model is None:
        of_model = telling_scores(bundle, kind)
    return head_scores(trace, of_model, kind)


def roll_out(request: RolloutRequest) -> FloatArray:
    """Multiply the layers' joined patterns."""
    return rollout(request.trace, request.joining, request.kind)


def draw_small(request: MapsRequest) -> dict[Head, FloatArray]:
    """Reduce maps one by one."""
    return small_maps(request.trace, request.stage, request.viewing, request.heads)


def explain_pick(request: WhyRequest) -> tuple[TourStop, ...]:
    """Follow the largest contributions back."""
    asked = request.position, request.token_id
    return why(request.trace, *asked, request.label_of)


ANSWERS: dict[type, Callable[[Any], Any]] = {
    WhyRequest: explain_pick,
    MapsRequest: draw_small,
    ScoresRequest: score,
    RolloutRequest: roll_out,
}
"""Of the requests that wait, the first kind here goes first."""
