"""What is noticed while the program is used: complaints in the log, and its size."""

import gc
import logging
import traceback
from dataclasses import dataclass

import psutil
from PySide6.QtWidgets import QApplication

MEGABYTE = 1e6
OF_NO_SCREEN = ("does not support raise()", "does not support propagateSizeHints()")
"""What Qt says off screen without a fault of anybody's."""
REFUSALS = "core.errors."
"""What a sentence of ours begins with in the log; a hurried hand meets some."""


class Heard(logging.Handler):
    """Keeps every warning and fault that is logged."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it, unless it is of no screen, or a refusal that the window tells."""
        line = record.getMessage().strip()
        is_refusal = line.rpartition("\n")[2].startswith(REFUSALS)
        if not is_refusal and not any(words in line for words in OF_NO_SCREEN):
            self.lines.append(f"{record.name}: {line}{raised(record)}")


def raised(record: logging.LogRecord) -> str:
    """Where the exception came from that was logged; "" without one."""
    if record.exc_info is None:
        return ""
    return "\n" + "".join(traceback.format_exception(*record.exc_info))


@dataclass(frozen=True, slots=True)
class Size:
    """What must not grow."""

    memory_mb: float
    n_threads: int
    n_widgets: int


def size_now() -> Size:
    """Measure this process, its garbage collected."""
    gc.collect()
    process = psutil.Process()
    memory_mb = process.memory_info().rss / MEGABYTE
    return Size(memory_mb, process.num_threads(), len(QApplication.allWidgets()))
