"""What went wrong, in words a person can act on, from wherever it went wrong.

`ErrorReport` is the only form in which a failure reaches the window. Workers make one
at the border of their thread; `FailureWatch` makes one of every exception nobody caught
and of Qt's own complaints, and hands it to the main thread: the hooks run in the thread
that failed, where no widget may be touched.
"""

import logging
import re
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    QStandardPaths,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)

from core.errors import CoreError, is_lack_of_memory

LOG_FILE = "glassformer.log"
LOG_BYTES = 512 * 1024
LOG_FORMAT = "%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"
SAME_AGAIN_S = 1.0
"""A fault that repeats with every repaint is told once in this time."""

HARMLESS = ("This plugin does not support propagateSizeHints()",)
"""What Qt says without a fault of anybody's: here, of every window off screen."""

OVERRIDES = re.compile(r"(Error calling Python override of [\w:]+\(\): )+")
"""What PySide writes before the words of an exception, once for each call of Qt's."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """A failure as the message bar shows it."""

    sentence: str
    """What happened, to what, and what to do."""
    details: str
    """The traceback, for "copy details"."""

    @classmethod
    def of(cls, error: BaseException, doing: str) -> "ErrorReport":
        """Put an exception into words; `doing` goes on from "while": "opening x"."""
        details = "".join(traceback.format_exception(error))
        if isinstance(error, CoreError):
            return cls(str(error), details)
        if is_lack_of_memory(error):
            return cls(
                f"There is not enough memory for {doing}; take a shorter sentence or a "
                "smaller model.",
                details,
            )
        kind = type(error).__name__
        first_line = next(iter(OVERRIDES.sub("", str(error)).splitlines()), "")
        what = f"{kind}: {first_line}" if first_line else kind
        return cls(
            f"Something unexpected happened while {doing} ({what}). You can go on; "
            "copy the details to report it.",
            details,
        )


class FailureWatch(QObject):
    """Catches what nobody caught, as long as it is installed."""

    failed = Signal(object)
    """An `ErrorReport`. Emitted in the thread that failed: connect bound methods."""

    def __init__(self) -> None:
        """Watch nothing yet."""
        super().__init__()
        self._last: tuple[str, float] = ("", 0.0)
        self._before: tuple[Any, Any, Any] | None = None

    def install(self) -> None:
        """Put the three hooks in place of those that are there."""
        qt_handler = qInstallMessageHandler(self._on_qt_message)
        self._before = (sys.excepthook, threading.excepthook, qt_handler)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def remove(self) -> None:
        """Give the hooks back to those that had them."""
        if self._before is not None:
            sys.excepthook, threading.excepthook, qt_handler = self._before
            qInstallMessageHandler(qt_handler)
            self._before = None

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        log.error("not caught", exc_info=(kind, error, trace))
        self._tell(ErrorReport.of(error, "answering you"))

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)

    def _on_qt_message(
        self, kind: QtMsgType, context: QMessageLogContext, message: str
    ) -> None:
        is_harmless = message.startswith(HARMLESS)
        level = logging.DEBUG if is_harmless else QT_LEVELS.get(kind, logging.WARNING)
        log.log(level, "Qt: %s", message)
        if kind in (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg):
            sentence = f"The window toolkit reports a fault: {message}"
            self._tell(ErrorReport(sentence, f"{context.file}:{context.line}"))

    def _tell(self, report: ErrorReport) -> None:
        """Hand the report on, unless the same was told a moment ago."""
        details, when = self._last
        now = monotonic()
        self._last = (report.details, now)
        if report.details != details or now - when > SAME_AGAIN_S:
            self.failed.emit(report)


QT_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def log_folder() -> Path:
    """Where the program keeps its log; needs the application's names to be set."""
    place = QStandardPaths.StandardLocation.AppLocalDataLocation
    return Path(QStandardPaths.writableLocation(place))


def log_to_file(folder: Path) -> logging.Handler | None:
    """Write warnings and faults to a file that stays small; None where that fails."""
    from logging.handlers import RotatingFileHandler  # loads sockets: after the paint

    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            folder / LOG_FILE, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8"
        )
    except OSError as error:
        log.warning("no log file: %s", error)
        return None
    handler.setFormatter(logging.Formatter(LOG_FORMAT))
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    return handler
