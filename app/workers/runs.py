"""Reading what training runs have left on the disk: a thread beside the tracing one.

In: folders. Out: timelines. A run may lie on a slow disk or hold a
great many events, so nothing of it is read in the window's thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.workers.runner import Worker
from core.training.timeline import Timeline, timeline_of


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """Which checkpoints there are. Answer: `Timeline`; None: the model is of no run."""

    folder: Path
    """Of an open model."""

    @property
    def doing(self) -> str:
        """For a report."""
        return f"reading the run of {self.folder}"


def read_timeline(request: TimelineRequest) -> Timeline | None:
    """The run of a model."""
    return timeline_of(request.folder)


ANSWERS: dict[type, Callable[[Any], Any]] = {
    TimelineRequest: read_timeline,
}
"""Of the requests that wait, the first kind here goes first."""


class RunsWorker(Worker):
    """Answers by the table above."""

    def answer(self, request: Any) -> Any:
        """The answer that the request's docstring names."""
        return ANSWERS[type(request)](request)
