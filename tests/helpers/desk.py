"""The whole window over a real session with its threads, and hands to type with."""

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.failures import ErrorReport
from app.main_window import MainWindow
from app.panel_host import PanelHost
from app.session import Session
from app.settings import Settings
from app.workbench import Workbench

WAIT_MS = 20_000


class Desk:
    """A window with the tiny model open, and hands to type with."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.reports: list[ErrorReport] = []
        self.session = Session(pause_ms=0)
        self.session.failed.connect(self.reports.append)
        self.shell = MainWindow(Settings())
        self.bench = Workbench(self.session, Settings())
        self.shell.furnish(self.bench)
        self.shell.show()
        self.session.open_model(folder)
        self.session.start()
        qtbot.waitUntil(lambda: self.session.model is not None, timeout=WAIT_MS)

    @property
    def host(self) -> PanelHost:
        return self.bench.host

    def paste(self, text: str) -> None:
        """Put a text in place of what the field holds, as a reader does."""
        field = self.bench.sentence.edit
        QApplication.clipboard().setText(text)
        field.selectAll()
        field.paste()

    def read(self, text: str) -> None:
        """Paste a text and wait for its trace."""
        self.paste(text)
        self.wait()

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: self.session.is_current, timeout=WAIT_MS)

    def close(self) -> None:
        self.shell.close()
        self.session.close()
