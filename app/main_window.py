"""The window itself: up at once with an opening page, furnished a moment later.

Nothing here may load what takes time: numpy, the tokenizer, the parts of the workbench
come when the opening page has been painted.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow

from app.frame.opening import OpeningPage
from app.settings import (
    APPLICATION,
    GEOMETRY,
    TEXT,
    Settings,
    bytes_of_text,
    text_of_bytes,
)
from app.widgets.qt_calls import tells_faults

if TYPE_CHECKING:
    from app.workbench import Workbench

DEFAULT_SIZE = (1280, 800)
LEAST_SIZE = (720, 460)


@tells_faults
class MainWindow(QMainWindow):
    """A frame that remembers its place, around the opening page or the workbench.

    `bench` is the workbench, None while the opening page is seen.
    """

    def __init__(self, settings: Settings, sentence: str | None = None) -> None:
        """Show the opening page; without a sentence, the remembered one."""
        super().__init__()
        self._settings = settings
        self.bench: Workbench | None = None
        self.setWindowTitle(APPLICATION)
        self.setMinimumSize(*LEAST_SIZE)
        self.resize(*DEFAULT_SIZE)
        text = settings.read(TEXT) if sentence is None else sentence
        self.setCentralWidget(OpeningPage(settings, text))
        self.restoreGeometry(bytes_of_text(settings.read(GEOMETRY)))

    def furnish(self, bench: "Workbench") -> None:
        """Put the workbench in the place of the opening page."""
        self.bench = bench
        self.setCentralWidget(bench)
        bench.show()
        bench.setFocus()
        # What is painted next is laid out to the end, not still finding its place.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how the window stood, unless a run that goes on has a question."""
        if self.bench is not None and not self.bench.may_leave():
            event.ignore()
            return
        self._settings.write(GEOMETRY, text_of_bytes(self.saveGeometry()))
        if self.bench is not None:
            self.bench.leave()
        super().closeEvent(event)
