"""A tokenizer learned in sight: `python -m core.training.prepare`, followed.

In: a run's folder with its texts. Out: its merges as they are chosen, then the file.
The pairs are counted in a process of their own, since they are plain Python.
"""

import subprocess
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.failures import ErrorReport
from app.workers.trainer_process import Program, last_words, start_trainer
from core.tokenizers.folder import TOKENIZER_FILE
from core.training.events import Failed, Merged, Preparing
from core.training.events_tail import EventTail

PREPARE: Program = ("-m", "core.training.prepare")
LOOK_MS = 50
END_S = 5.0
SILENT = "The tokenizer could not be learned: its program ended without a word."


class Learning(QObject):
    """Owns the process that learns, one at a time. Lives in the main thread."""

    merged = Signal(object)
    """Merges were chosen: `Merged`."""

    told = Signal(object)
    """What is being done: `Preparing`."""

    learned = Signal(object)
    """The tokenizer is there: the Path of its file."""

    failed = Signal(object)
    """There is none: `ErrorReport`."""

    def __init__(self, program: Program = PREPARE) -> None:
        """Nothing is learned yet."""
        super().__init__()
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._tail: EventTail | None = None
        self._folder = Path()
        self._failure = ""
        self._looks = QTimer(self, interval=LOOK_MS)
        self._looks.timeout.connect(self._on_looks_timeout)

    @property
    def is_running(self) -> bool:
        """Whether something is being learned."""
        return self._process is not None

    def start(self, folder: Path) -> None:
        """Learn the tokenizer of a run that is ready to be started."""
        self.stop()
        self._folder, self._failure = folder, ""
        self._tail = EventTail(folder)
        try:
            self._process = start_trainer(folder, self._program)
        except OSError as error:
            self.failed.emit(ErrorReport.of(error, "learning the tokenizer"))
        else:
            self._looks.start()

    def stop(self) -> None:
        """End the process; nothing more is told of it."""
        self._looks.stop()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(END_S)

    @Slot()
    def _on_looks_timeout(self) -> None:
        process = self._process
        if process is None or self._tail is None:
            return
        has_ended = process.poll() is not None
        for event in self._tail.read_new():
            if isinstance(event, Merged):
                self.merged.emit(event)
            elif isinstance(event, Preparing):
                self.told.emit(event)
            elif isinstance(event, Failed):
                self._failure = event.message
        if has_ended:
            self._looks.stop()
            self._process = None
            self._tell_end(process.returncode)

    def _tell_end(self, code: int) -> None:
        file = self._folder / TOKENIZER_FILE
        if code == 0 and not self._failure and file.exists():
            self.learned.emit(file)
        else:
            said = last_words(self._folder)
            self.failed.emit(ErrorReport(self._failure or SILENT, said))
