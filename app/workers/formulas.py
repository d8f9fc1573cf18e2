"""Formulas are set in a thread: a new one takes 20 to 100 ms, the first one 300 more.

In: a `FormulaRequest`. Out: its SVG, from the cache at once or later by a signal. The
thread runs only while formulas wait, so there is nothing to stop but a formula.
"""

from collections import deque

from PySide6.QtCore import QCoreApplication, QObject, QThread, Signal, Slot

from app.style.formula_svg import FormulaRequest, svg_or_nothing


class FormulaThread(QThread):
    """Sets the formulas that wait, in order, and ends."""

    rendered = Signal(FormulaRequest, bytes)
    """One formula is done; its SVG is b"" where it could not be set."""

    def __init__(self, waiting: deque[FormulaRequest], parent: QObject) -> None:
        """`waiting` is shared: its owner appends, this thread takes from the front."""
        super().__init__(parent)
        self._waiting = waiting

    def run(self) -> None:
        """Work until nothing waits or somebody asks to stop."""
        while self._waiting and not self.isInterruptionRequested():
            request = self._waiting.popleft()  # both ends of a deque are thread-safe
            self.rendered.emit(request, svg_or_nothing(request))


class FormulaRenderer(QObject):
    """Owns the thread and every formula set so far."""

    rendered = Signal(FormulaRequest, bytes)
    """A formula that was asked for is done; its SVG is b"" where it cannot be set."""

    def __init__(self, parent: QObject | None = None) -> None:
        """An idle renderer; it ends with the application."""
        super().__init__(parent)
        self._waiting: deque[FormulaRequest] = deque()
        self._done: dict[FormulaRequest, bytes] = {}
        self._asked: set[FormulaRequest] = set()
        self._is_closed = False
        self._thread = FormulaThread(self._waiting, self)
        self._thread.rendered.connect(self._on_thread_rendered)
        self._thread.finished.connect(self._on_thread_finished)
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.close)

    def request(self, wanted: FormulaRequest) -> bytes | None:
        """The SVG if it is there already; else None, and `rendered` will bring it."""
        if wanted in self._done:
            return self._done[wanted]
        if wanted not in self._asked and not self._is_closed:
            self._asked.add(wanted)
            self._waiting.append(wanted)
            self._thread.start()  # does nothing while it runs
        return None

    @Slot()
    def close(self) -> None:
        """Let the thread end after its formula; from now on none is set."""
        self._is_closed = True
        self._thread.requestInterruption()
        self._thread.wait()
        self._waiting.clear()

    @Slot(FormulaRequest, bytes)
    def _on_thread_rendered(self, request: FormulaRequest, svg: bytes) -> None:
        self._done[request] = svg
        self.rendered.emit(request, svg)

    @Slot()
    def _on_thread_finished(self) -> None:
        if self._waiting:  # came in while the thread was on its way out
            self._thread.start()
