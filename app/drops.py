"""What is dropped on the window: a model, a trace, a session, or a text to read.

A text file becomes the sentence; dropped on the field of the target so far, it becomes
that.
"""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from app.failures import ErrorReport
from app.session import Session
from app.session_files import SessionFiles
from app.widgets.qt_calls import tells_faults
from core.errors import CoreError, TraceError
from core.session_file import ENDING

TEXT_ENDINGS = (".txt", ".md")
MOST_BYTES = 1_000_000
"""Of a text to walk through a model; a corpus belongs into the training studio."""


@tells_faults
class Drops(QObject):
    """Opens what is dropped on a widget, or on one of the fields inside it."""

    def __init__(
        self,
        session: Session,
        files: SessionFiles,
        window: QWidget,
        sentence: QWidget,
        target: QWidget,
    ) -> None:
        """Let the widgets take drops."""
        super().__init__(window)
        self._session, self._files, self._target = session, files, target
        for widget in (window, sentence, target):
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take one file or folder; more than one says nothing of which is meant."""
        kinds = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)
        if event.type() not in kinds or not isinstance(event, QDropEvent):
            return False
        paths = dropped_paths(event)
        if len(paths) != 1:
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self.open(paths[0], is_for_target=watched is self._target)
        return True

    def open(self, path: Path, *, is_for_target: bool = False) -> None:
        """Open a session or a text by its ending, anything else as a model or a trace.

        A text becomes the sentence, or the target so far.
        """
        ending = path.suffix.lower()
        if ending == ENDING:
            self._files.open(path)
        elif ending in TEXT_ENDINGS and path.is_file():
            self._read(path, is_for_target=is_for_target)
        else:
            self._session.open_model(path)

    def _read(self, path: Path, *, is_for_target: bool) -> None:
        session = self._session
        take = session.request_target if is_for_target else session.request_text
        try:
            take(text_of(path))
        except CoreError as error:
            session.failed.emit(ErrorReport.of(error, f"reading {path}"))


def text_of(path: Path) -> str:
    """The text of a file, without its last line's end.

    Raises:
        TraceError: It cannot be read, is too large, or no UTF-8 text.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise TraceError(
                f"{path} is larger than {MOST_BYTES:,} bytes, which no model here "
                "reads at once; drop a shorter text, or train on it (Ctrl+T)."
            )
        return path.read_bytes().decode("utf-8-sig").removesuffix("\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise TraceError(f"{path} could not be read ({reason}).") from error
    except UnicodeDecodeError as error:
        raise TraceError(
            f"{path} is no UTF-8 text; save it as UTF-8 and drop it again."
        ) from error


def dropped_paths(event: QDropEvent) -> list[Path]:
    """The files of this machine that are being dropped."""
    urls = event.mimeData().urls()
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
