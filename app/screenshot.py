"""One picture of the window, taken once everything in it has come to rest.

At rest means: a model is open, no work is under way, every formula is set, and the
window looked the same several times in a row.
"""

import sys
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QObject, QThread, QTimer, Slot
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from app.failures import ErrorReport
from app.session import Session

LOOK_EVERY_MS = 100
LOOKS_ALIKE = 3
"""So many equal pictures in a row are one at rest."""
PATIENCE_S = 120.0
FAULT = 2
"""The exit code of a picture that could not be taken."""


class Screenshot(QObject):
    """Watches a window, writes the picture, and ends the program."""

    def __init__(self, session: Session, window: QWidget, file: Path) -> None:
        """Begin to look; a failure of the session ends the program with a sentence."""
        super().__init__()
        self._session = session
        self._window = window
        self._file = file
        self._pictures: list[QImage] = []
        self._give_up_at = monotonic() + PATIENCE_S
        self._timer = QTimer(self, interval=LOOK_EVERY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._timer.start()
        session.failed.connect(self._on_session_failed)

    @Slot(object)
    def _on_session_failed(self, report: ErrorReport) -> None:
        self._end(report.sentence)

    @Slot()
    def _on_timer_timeout(self) -> None:
        if monotonic() > self._give_up_at:
            self._end(f"The window did not come to rest within {PATIENCE_S:.0f} s.")
            return
        if self._is_working():
            self._pictures.clear()
            return
        picture = self._window.grab().toImage()
        if self._pictures and picture != self._pictures[-1]:
            self._pictures.clear()
        self._pictures.append(picture)
        if len(self._pictures) >= LOOKS_ALIKE:
            self._write(picture)

    def _is_working(self) -> bool:
        """Whether the picture would miss something that is on its way."""
        session = self._session
        is_waiting = bool(session.text) and not (session.is_current or not session.fits)
        # Formulas are set in threads that belong to the window or to the application.
        owners = (self._window, QApplication.instance())
        threads = [t for owner in owners if owner for t in owner.findChildren(QThread)]
        is_setting = any(thread.isRunning() for thread in threads)
        return (
            session.model is None or bool(session.activity) or is_waiting or is_setting
        )

    def _write(self, picture: QImage) -> None:
        is_written = picture.save(str(self._file))
        self._end("" if is_written else f"{self._file} cannot be written.")

    def _end(self, sentence: str) -> None:
        self._timer.stop()
        self._session.failed.disconnect(self._on_session_failed)
        if sentence:
            sys.stderr.write(f"{sentence}\n")
        QApplication.exit(FAULT if sentence else 0)
