"""What is dropped on the window: a model's folder or file, a trace, a session."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from app.session import Session
from app.session_files import SessionFiles
from app.widgets.qt_calls import tells_faults
from core.session_file import ENDING


@tells_faults
class Drops(QObject):
    """Opens what is dropped on a widget."""

    def __init__(self, session: Session, files: SessionFiles, target: QWidget) -> None:
        """Let the widget take drops."""
        super().__init__(target)
        self._session, self._files = session, files
        target.setAcceptDrops(True)
        target.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take one file or folder; more than one says nothing of which is meant."""
        kinds = (QEvent.Type.DragEnter, QEvent.Type.Drop)
        if event.type() not in kinds or not isinstance(event, QDropEvent):
            return False
        paths = dropped_paths(event)
        if len(paths) != 1:
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self.open(paths[0])
        return True

    def open(self, path: Path) -> None:
        """Open a session by its ending, anything else as a model or a trace."""
        if path.suffix.lower() == ENDING:
            self._files.open(path)
        else:
            self._session.open_model(path)


def dropped_paths(event: QDropEvent) -> list[Path]:
    """The files of this machine that are being dropped."""
    urls = event.mimeData().urls()
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
