"""The loss curve as a file: a picture, a drawing or a table; its ending says which.

Place: behind the button of the loss card. In: a run and a file. Out: that it is over.
"""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.failures import ErrorReport
from app.workers.curve_files import WRITERS, CurveFileRequest, CurveFileWorker
from app.workers.runner import Request, Runner

FILTERS = "Picture (*.png);;Drawing (*.svg);;Table (*.csv)"


def with_ending(path: Path, chosen: str) -> Path:
    """The path, with the ending of the chosen filter where it has none of ours."""
    if path.suffix.lower() in WRITERS:
        return path
    ending = next((e for e in WRITERS if f"*{e}" in chosen), ".png")
    return path.with_name(path.name + ending)


class CurveExport(QObject):
    """One export, in a thread of its own that ends with it."""

    failed = Signal(ErrorReport)
    """There is no file."""
    ended = Signal()
    """It is over, in whatever way."""

    def __init__(self, run: Path, file: Path) -> None:
        """Nothing happens before `start`."""
        super().__init__()
        self._request = CurveFileRequest(run, file)
        self._runner = Runner(CurveFileWorker(), (CurveFileRequest,), "curve file")
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)

    def start(self) -> None:
        """Read and write."""
        self._runner.start()
        self._runner.request(self._request)

    def _end(self) -> None:
        self._runner.stop()
        self.ended.emit()

    @Slot(object, object)
    def _on_runner_answered(self, _request: Request, _answer: object) -> None:
        self._end()

    @Slot(object, object)
    def _on_runner_failed(self, _: Request, report: ErrorReport) -> None:
        self.failed.emit(report)
        self._end()
