"""How fast this machine would train: a few real steps in a process of their own.

In: a configuration. Out: a `Speed`, or a sentence. The newest question wins; the child
of an older one is ended.
"""

import logging
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtCore import QObject, QProcess, Signal, Slot

from core.training.config import CONFIG_FILE, RunConfig, config_text
from core.training.speed import speed_of

PROGRAM = ("-m", "core.training.calibrate")
NICENESS = 10
END_MS = 3000
SILENT = "The speed could not be measured; the run itself may still be started."

log = logging.getLogger(__name__)


class Calibration(QObject):
    """Owns the process that measures. Lives in the main thread."""

    measured = Signal(object, object)
    """What was asked, and its answer: `RunConfig`, `Speed`."""

    failed = Signal(object, str)
    """What was asked, and why there is no answer, in a sentence."""

    def __init__(self, program: tuple[str, ...] = PROGRAM) -> None:
        """Nothing is measured yet."""
        super().__init__()
        self._program = program
        self._process: QProcess | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._asked: RunConfig | None = None

    @property
    def is_running(self) -> bool:
        """Whether something is being measured."""
        return self._process is not None

    def measure(self, config: RunConfig) -> None:
        """Measure a configuration, in place of what is being measured."""
        self.stop()
        self._asked = config
        self._folder = TemporaryDirectory(prefix="glassformer-")
        place = Path(self._folder.name)
        (place / CONFIG_FILE).write_text(config_text(config), encoding="utf-8")
        self._process = QProcess(self)
        self._process.finished.connect(self._on_process_finished)
        self._process.errorOccurred.connect(self._on_process_error_occurred)
        self._process.started.connect(self._on_process_started)
        self._process.start(sys.executable, [*self._program, str(place)])

    def stop(self) -> None:
        """End what is being measured; nothing more is told of it."""
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(END_MS)
            process.deleteLater()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @Slot()
    def _on_process_started(self) -> None:
        """Let the window have the processor where both want it."""
        if self._process is None or sys.platform == "win32":
            return
        try:
            os.setpriority(os.PRIO_PROCESS, self._process.processId(), NICENESS)
        except OSError as error:
            log.info("the calibration keeps its priority: %s", error)

    @Slot()
    def _on_process_finished(self) -> None:
        process = self._process
        if process is None:
            return
        asked, said = self._asked, text_of(process.readAllStandardOutput())
        complaint = text_of(process.readAllStandardError())
        self.stop()
        speed = next(filter(None, map(speed_of, said.splitlines())), None)
        if speed is not None:
            self.measured.emit(asked, speed)
        else:
            log.warning("the calibration failed: %s", complaint)
            self.failed.emit(asked, last_line(complaint) or SILENT)

    @Slot()
    def _on_process_error_occurred(self) -> None:
        """The process did not even start, which `finished` does not tell."""
        process = self._process
        if (
            process is not None
            and process.error() == QProcess.ProcessError.FailedToStart
        ):
            self.stop()
            self.failed.emit(self._asked, SILENT)


def text_of(data: Any) -> str:
    """What a process wrote."""
    return bytes(data.data()).decode("utf-8", "replace")


def last_line(text: str) -> str:
    """The last line that says something; "" if none does."""
    return next((line.strip() for line in reversed(text.splitlines()) if line), "")
