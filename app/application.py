"""The program from its start to its end: what exists once, and in which order.

Window first, with a page that holds the place; then, once that has been painted, all
that takes time to load (`app.furnishing`); torch last, in the workers. At the end the
window goes first, and then whatever still works is waited for.
"""

import logging
import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

from app.failures import FailureWatch, log_folder, log_to_file
from app.garbage import GarbageCollector
from app.main_window import MainWindow
from app.options import Options
from app.settings import APPLICATION, ORGANISATION, THEME, Settings
from app.style.icons import forget_icons, load_icons
from app.style.theme import ThemeSwitch
from app.widgets.qt_calls import tells_faults

if TYPE_CHECKING:
    from app.furnishing import Furnishing

SIGNALS_MS = 200
"""How often Python looks whether Ctrl+C was pressed: Qt's loop would not tell it."""
FAULT = 2
"""The exit code of a program that could not be put together."""


def run(options: Options) -> int:
    """Open the window, or draw one picture; the exit code."""
    app = create_application()
    if options.screenshot is None:
        return Program(app, options, Settings()).run()
    with TemporaryDirectory() as folder:  # a picture depends on nobody's settings
        program = Program(app, options, Settings(Path(folder) / "settings.ini"))
        return program.run()


def create_application() -> QApplication:
    """The one application, with the names that settings and logs are kept under."""
    app = QApplication([APPLICATION])
    app.setOrganizationName(ORGANISATION)
    app.setApplicationName(APPLICATION)
    return app


@tells_faults
class FirstPaint(QObject):
    """Notices that a window has been on the screen."""

    painted = Signal()
    """The window has been painted for the first time. Sent once, after that paint."""

    def __init__(self, window: QWidget) -> None:
        """Watch a window that is not shown yet."""
        super().__init__(window)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the first paint event, and for the paint behind it."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)
        return False


class Program(QObject):
    """Owns window, settings and themes, and the furnishing once the window is up."""

    def __init__(self, app: QApplication, options: Options, settings: Settings) -> None:
        """Put the window together; nothing is shown or computed yet."""
        super().__init__()
        self._app = app
        self._options = options
        self._settings = settings
        self._watch = FailureWatch()
        self._garbage = GarbageCollector(self)
        self._themes = ThemeSwitch(app)
        self._themes.choose(options.theme or settings.read(THEME))
        self._window = MainWindow(settings, options.text)
        self._furnishing: Furnishing | None = None
        self._is_asked_to_end = False
        self._paint = FirstPaint(self._window)
        self._paint.painted.connect(self._on_window_painted)
        settings.setting_changed.connect(self._on_setting_changed)

    def run(self) -> int:
        """Show the window and work until it is closed; the exit code."""
        self._watch.install()
        self._listen_to_signals()
        if self._options.screenshot is not None:
            self._app.setCursorFlashTime(0)  # a blinking cursor never comes to rest
            self._window.resize(*self._options.size)
        self._window.show()
        code = self._app.exec()
        self._window.hide()
        has_ended = self._furnishing is None or self._furnishing.end()
        self._settings.sync()
        if not has_ended:
            logging.shutdown()
            os._exit(code)  # the import of torch cannot be stopped, and holds nothing
        self._watch.remove()
        forget_icons()
        return code

    def _listen_to_signals(self) -> None:
        """Ctrl+C and a request to end close the window as its cross does."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        self._looks = QTimer(self, interval=SIGNALS_MS)
        self._looks.timeout.connect(self._on_looks_timeout)
        self._looks.start()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._is_asked_to_end = True  # a window closed inside its paint warns of it

    @Slot()
    def _on_looks_timeout(self) -> None:
        """Python has had its turn, so a signal has been heard."""
        if self._is_asked_to_end:
            self._window.close()
            self._app.exit(0)

    @Slot()
    def _on_window_painted(self) -> None:
        try:
            self._furnish()
        except Exception:
            self._app.exit(FAULT)  # an empty window would stay for ever
            raise

    def _furnish(self) -> None:
        from app.furnishing import Furnishing  # numpy and every part of the window

        options, settings = self._options, self._settings
        self._furnishing = Furnishing(
            self._app, self._window, options, settings, self._watch
        )
        self._themes.theme_changed.connect(self._on_theme_changed)
        log_to_file(log_folder())

    @Slot(str)
    def _on_theme_changed(self, _: str) -> None:
        load_icons()

    @Slot(str)
    def _on_setting_changed(self, key: str) -> None:
        if key == THEME.key:
            self._themes.choose(self._settings.read(THEME))
