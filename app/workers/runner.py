"""A thread for work that takes time: one request running, the newest waiting.

In: frozen requests from the main thread. Out: the answer of each, or an `ErrorReport`.
What waits is replaced by a newer request of the same kind, so nothing piles up while
somebody types.
"""

import sys
from typing import Any, Protocol
from weakref import WeakSet

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal, Slot

from app.failures import ErrorReport

SWITCH_INTERVAL_S = 0.001
"""How long Python computes in one thread before the window gets its turn; with Python's
own 5 ms a busy worker holds the window up for 0.1 s."""


FOREVER = QDeadlineTimer(QDeadlineTimer.ForeverConstant.Forever)


class Request(Protocol):
    """What a runner takes: frozen, and able to say what is done about it."""

    @property
    def doing(self) -> str:
        """What is done, after "while": "opening x"."""


class Worker(QObject):
    """Lives in the runner's thread; subclasses answer requests."""

    answered = Signal(object, object)
    """A request and its answer."""

    failed = Signal(object, object)
    """A request and the `ErrorReport` of why it has no answer."""

    progressed = Signal(object, object)
    """A request and a part of its answer."""

    @Slot(object)
    def run(self, request: Request) -> None:
        """Answer one request; whatever goes wrong becomes a report."""
        try:
            answer = self.answer(request)
        except Exception as error:  # the border of the thread
            self.failed.emit(request, ErrorReport.of(error, request.doing))
        else:
            self.answered.emit(request, answer)
        self.clear_up(request)

    def clear_up(self, request: Any) -> None:
        """What has to be done once the answer is on its way: nothing, mostly."""

    def answer(self, request: Any) -> Any:
        """Do the work; may emit `progressed` on the way and must heed `should_end`."""
        raise NotImplementedError

    def should_end(self) -> bool:
        """Whether the program is about to close."""
        return self.thread().isInterruptionRequested()


class Runner(QObject):
    """Owns a thread and hands it requests, one by one. Lives in the main thread."""

    answered = Signal(object, object)
    """A request and its answer."""

    failed = Signal(object, object)
    """A request and the `ErrorReport` of why it has no answer."""

    progressed = Signal(object, object)
    """A request and a part of its answer."""

    _handed_over = Signal(object)

    def __init__(self, worker: Worker, kinds: tuple[type, ...], name: str) -> None:
        """Take requests of these `kinds`; of those that wait, the first kind goes on.

        Nothing runs before `start`.
        """
        super().__init__()
        self._kinds = kinds
        self._waiting: dict[type, Request] = {}
        self._running: Request | None = None
        self._is_stopped = False
        self._worker = worker
        self._thread = QThread()
        self._thread.setObjectName(name)
        worker.moveToThread(self._thread)
        self._handed_over.connect(worker.run)
        worker.answered.connect(self._on_worker_answered)
        worker.failed.connect(self._on_worker_failed)
        worker.progressed.connect(self._on_worker_progressed)
        RUNNERS.add(self)

    @property
    def pending(self) -> tuple[Request, ...]:
        """The request that is being answered, if any, and those that wait."""
        running = () if self._running is None else (self._running,)
        return (*running, *self._waiting.values())

    def start(self) -> None:
        """Begin with what has been asked for so far."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._thread.start()
        self._hand_over_next()

    def request(self, request: Request) -> None:
        """Ask for something, in place of what waits of the same kind."""
        self._waiting[type(request)] = request
        self._hand_over_next()

    def withdraw(self, kind: type) -> None:
        """Forget the waiting request of a kind."""
        self._waiting.pop(kind, None)

    def stop(self, until: QDeadlineTimer = FOREVER) -> bool:
        """Let the thread finish what it is at, and end it; answers are dropped.

        True if it has ended in time. It is never ended by force, which would take the
        program with it.
        """
        self._is_stopped = True
        self._waiting.clear()
        self._thread.requestInterruption()
        self._thread.quit()
        return self._thread.wait(until)

    def _hand_over_next(self) -> None:
        if self._running is not None or not self._thread.isRunning():
            return
        for kind in self._kinds:
            if kind in self._waiting:
                self._running = self._waiting.pop(kind)
                self._handed_over.emit(self._running)
                return

    def _finish(self) -> None:
        self._running = None
        self._hand_over_next()

    @Slot(object, object)
    def _on_worker_answered(self, request: Request, answer: object) -> None:
        assert QThread.isMainThread()
        if not self._is_stopped:
            self._finish()
            self.answered.emit(request, answer)

    @Slot(object, object)
    def _on_worker_failed(self, request: Request, report: ErrorReport) -> None:
        assert QThread.isMainThread()
        if not self._is_stopped:
            self._finish()
            self.failed.emit(request, report)

    @Slot(object, object)
    def _on_worker_progressed(self, request: Request, part: object) -> None:
        assert QThread.isMainThread()
        if not self._is_stopped:
            self.progressed.emit(request, part)


RUNNERS: WeakSet[Runner] = WeakSet()
"""Every runner there is, so that none outlives the program."""


def stop_runners(patience_ms: int) -> bool:
    """End every thread; true if all have ended in time.

    Qt aborts the process if one still runs at its end.
    """
    until = QDeadlineTimer(patience_ms)
    return all([runner.stop(until) for runner in list(RUNNERS)])
