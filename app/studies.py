"""Who studies traces: head scores and rollout, for whoever shows them.

A view that is seen asks (`want_...`) each time it is displayed, and gets what is there,
or None, and a signal when it is. Nobody asks, nothing is computed: no thread runs
before the first wish. Answers about another trace than the session's are dropped.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.facts import Facts
from app.failures import ErrorReport
from app.workers.runner import Runner
from app.workers.studies import (
    ANSWERS,
    MapsRequest,
    RolloutRequest,
    ScoresRequest,
    StudiesWorker,
    StudyRequest,
    WhyRequest,
)
from core.analysis.heads import HeadScores
from core.analysis.rollout import Joining
from core.analysis.why import TourStop
from core.trace.matrix import FloatArray
from core.trace.trace import Trace
from core.trace.viewing import Head, Viewing
from core.trace.views.overview import is_easy, small_maps

if TYPE_CHECKING:
    from core.bundle import Bundle

AT_ONCE = 8
"""Small maps of a long sentence that are made before others may go first."""

log = logging.getLogger(__name__)


class Studies(QObject):
    """Owns the thread, the newest answers, and what is known of the model."""

    scores_changed = Signal(object)
    """The heads of the present trace have been scored: `HeadScores`."""

    rollout_changed = Signal(object)
    """Attention has been rolled out: maps [n_layers, n_query, n_key]."""

    maps_changed = Signal()
    """More small maps are there."""

    tour_changed = Signal(object)
    """Why a token was said: the stops, a tuple of `TourStop`."""

    failed = Signal(object)
    """A study has no answer: `ErrorReport`."""

    def __init__(self, facts: Facts) -> None:
        """Nothing is known yet."""
        super().__init__()
        self._facts = facts
        self._answers: dict[type, tuple[StudyRequest, Any]] = {}
        self._refused: StudyRequest | None = None
        self._maps_of: tuple[object, ...] = ()
        self._maps: dict[Head, FloatArray] = {}
        self._of_model: dict[str, tuple[Bundle, HeadScores]] = {}
        """By kind of attention: what no sentence changes."""
        self._has_started = False
        self._runner = Runner(StudiesWorker(), tuple(ANSWERS), "studies")
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        facts.trace_changed.connect(self._on_facts_trace_changed)

    def close(self) -> None:
        """Stop all work and wait for its end."""
        self._runner.stop()

    def want_scores(self, kind: str = "") -> HeadScores | None:
        """The scores of every head of a kind; `scores_changed` brings what is None.

        Of a trace file those that need no model; the others say what they lack.
        """
        trace, bundle = self._facts.trace, self._facts.bundle
        if trace is None:
            return None
        known = self._of_model.get(kind)
        of_model = known[1] if known and known[0] is bundle else None
        request = ScoresRequest(bundle, trace, of_model, kind)
        scores: HeadScores | None = self._want(request)
        return scores

    def want_rollout(self, joining: Joining, kind: str = "") -> FloatArray | None:
        """The maps of every layer; None where `rollout_changed` will bring them."""
        trace = self._facts.trace
        if trace is None:
            return None
        maps: FloatArray | None = self._want(RolloutRequest(trace, joining, kind))
        return maps

    def want_maps(
        self, trace: Trace, stage: str, viewing: Viewing, heads: Sequence[Head]
    ) -> Mapping[Head, FloatArray]:
        """The small maps there are; `maps_changed` brings others, the first first.

        Those of a short sentence are made at once. Ask again for the rest of a long
        one: a few are made at a time, so that what is in sight goes before what was.
        """
        question = (trace, stage, viewing.kind, viewing.shape)
        if question != self._maps_of:
            self._maps_of, self._maps = question, {}
        missing = [head for head in heads if head not in self._maps]
        if missing and is_easy(trace):  # a step keeps what stays: no empty maps between
            self._maps = {**self._maps, **small_maps(trace, stage, viewing, missing)}
        elif missing:
            batch = tuple(missing[:AT_ONCE])
            self._want(MapsRequest(trace, stage, viewing, batch))
        return self._maps

    def want_tour(
        self, position: int, token_id: int, label_of: Callable[[int], str]
    ) -> tuple[TourStop, ...] | None:
        """Why a token was said; None where `tour_changed` will bring it."""
        trace = self._facts.trace
        if trace is None:
            return None
        request = WhyRequest(trace, position, token_id, label_of)
        stops: tuple[TourStop, ...] | None = self._want(request)
        return stops

    @property
    def trace(self) -> Trace | None:
        """What answers are about: the session's newest trace."""
        return self._facts.trace

    @property
    def is_busy(self) -> bool:
        """Whether an answer is on its way."""
        return bool(self._runner.pending)

    def _want(self, request: StudyRequest) -> Any:
        """What is known, or None: then it is asked for, once."""
        answered = self._answers.get(type(request))
        if answered is not None and is_like(answered[0], request):
            return answered[1]
        asked = (*self._runner.pending, self._refused)
        if not any(is_like(other, request) for other in asked):
            self._runner.request(request)
            if not self._has_started:
                self._has_started = True
                self._runner.start()
        return None

    @Slot(object)
    def _on_facts_trace_changed(self, trace: Trace | None) -> None:
        """Let go of what is about another trace, and of the model before."""
        self._answers.clear()
        self._maps_of, self._maps = (), {}
        self._refused = None
        for kind in ANSWERS:
            self._runner.withdraw(kind)
        if any(of[0] is not self._facts.bundle for of in self._of_model.values()):
            self._of_model = {}

    @Slot(object, object)
    def _on_runner_answered(self, request: StudyRequest, answer: object) -> None:
        assert QThread.isMainThread()
        if isinstance(request, ScoresRequest) and isinstance(answer, HeadScores):
            self._keep_of_model(request, answer)
        if request.trace is not self._facts.trace:
            return
        if isinstance(request, MapsRequest) and isinstance(answer, dict):
            if (request.trace, *request.question) == self._maps_of:
                self._maps = {**self._maps, **answer}
                self.maps_changed.emit()
            return
        self._answers[type(request)] = request, answer
        self._tell(request, answer)

    def _keep_of_model(self, request: ScoresRequest, scores: HeadScores) -> None:
        """Remember what the next sentence in the same model need not measure again."""
        if request.bundle is not None:
            self._of_model[request.kind] = request.bundle, scores

    def _tell(self, request: StudyRequest, answer: object) -> None:
        signals = {
            ScoresRequest: self.scores_changed,
            RolloutRequest: self.rollout_changed,
            WhyRequest: self.tour_changed,
        }
        signals[type(request)].emit(answer)

    @Slot(object, object)
    def _on_runner_failed(self, request: StudyRequest, report: ErrorReport) -> None:
        assert QThread.isMainThread()
        if request.trace is self._facts.trace:
            self._refused = request  # asked for again, it would fail again
            log.warning("%s", report.details)
            self.failed.emit(report)


def is_like(one: object, other: StudyRequest) -> bool:
    """Whether both ask the same about the same trace."""
    return (
        isinstance(one, type(other))
        and one.trace is other.trace
        and one.question == other.question
    )
