"""Looks which checkpoints the run of the open model has, and again while it may go on.

In: the folder of the open model. Out: its run's `Timeline`, read in a thread of its
own, since a run may lie on a slow disk.
"""

import logging
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.failures import ErrorReport
from app.workers.runner import Runner
from app.workers.runs import RunsWorker, TimelineRequest
from core.training.timeline import Timeline

LOOK_EVERY_MS = 2000

log = logging.getLogger(__name__)


class TimelineWatch(QObject):
    """Follows one model at a time."""

    timeline_read = Signal(object)
    """The `Timeline` of the model's run; None: it is of no run."""

    def __init__(self, parent: QObject) -> None:
        """Follow nothing yet."""
        super().__init__(parent)
        self._folder: Path | None = None
        self._timeline: Timeline | None = None
        self._runner = Runner(RunsWorker(), (TimelineRequest,), "timeline")
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        self._timer = QTimer(self, singleShot=True, interval=LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """Let the thread begin."""
        self._runner.start()

    def stop(self) -> None:
        """End the thread."""
        self._timer.stop()
        self._runner.stop()

    def follow(self, folder: Path | None) -> None:
        """Watch the run of this model folder; None watches nothing."""
        known, self._folder = self._timeline, folder
        if known is not None and known.place_of(folder) is not None:
            return  # the timer goes on
        self._tell(None)
        self._look()

    @Slot()
    def _look(self) -> None:
        if self._folder is not None:
            self._runner.request(TimelineRequest(self._folder))

    def _tell(self, timeline: Timeline | None) -> None:
        self._timeline = timeline
        self.timeline_read.emit(timeline)
        if timeline is None:
            self._timer.stop()
        else:
            self._timer.start()

    @Slot(object, object)
    def _on_runner_answered(self, request: TimelineRequest, answer: object) -> None:
        timeline = answer if isinstance(answer, Timeline) else None
        has_it = timeline is not None and timeline.place_of(self._folder) is not None
        if has_it or request.folder == self._folder:
            self._tell(timeline)
        else:
            self._look()  # another model was opened meanwhile

    @Slot(object, object)
    def _on_runner_failed(self, _: object, report: ErrorReport) -> None:
        log.warning("%s", report.details)
        self._timer.start()
