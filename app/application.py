"""The program from its start to its end: what exists once, and in which order.

Window first, torch after: the workers begin when the window has been painted. At the
end the window goes first, and then whatever still works is waited for.
"""

import logging
import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

import resources
from app.actions import KeyGuard
from app.failures import ErrorReport, FailureWatch, log_folder, log_to_file
from app.main_window import MainWindow
from app.model_card import ModelCard
from app.options import Options, check_step
from app.screenshot import Screenshot
from app.session import Session
from app.settings import (
    APPLICATION,
    MAP_COLOURS,
    MODEL,
    ORGANISATION,
    PENALTY,
    READS_SPECIALS,
    SEED,
    STEP,
    TEMPERATURE,
    TEXT,
    THEME,
    TOP_K,
    TOP_P,
    TYPING_PAUSE,
    Settings,
)
from app.style.icons import load_icons
from app.style.maps import use_palette
from app.style.theme import ThemeSwitch
from app.workers.runner import stop_runners
from core.errors import CoreError
from core.generation.sampling import Sampling
from core.trace.steps import steps_for

DEFAULT_MODEL = Path(resources.__file__).parent / "models" / "default"
END_PATIENCE_MS = 1500
"""How long the closed program waits for work that is under way."""
SIGNALS_MS = 200
"""How often Python looks whether Ctrl+C was pressed: Qt's loop would not tell it."""


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
    """Owns session, window, settings and themes."""

    def __init__(self, app: QApplication, options: Options, settings: Settings) -> None:
        """Put everything together; nothing is shown or computed yet."""
        super().__init__()
        self._app = app
        self._options = options
        self._settings = settings
        self._watch = FailureWatch()
        self._session = Session(sampling_of(settings), settings.read(TYPING_PAUSE))
        self._watch.failed.connect(self._session.failed)
        self._themes = ThemeSwitch(app)
        self._themes.choose(options.theme or settings.read(THEME))
        use_palette(settings.read(MAP_COLOURS))
        self._guard = KeyGuard(app)
        self._window = MainWindow(self._session, settings)
        self._paint = FirstPaint(self._window)
        self._paint.painted.connect(self._on_window_painted)
        settings.setting_changed.connect(self._on_setting_changed)
        self._session.model_changed.connect(self._on_first_model)

    def run(self) -> int:
        """Show the window and work until it is closed; the exit code."""
        self._watch.install()
        self._listen_to_signals()
        self._begin()
        if self._options.screenshot is None:
            self._window.show()
            code = self._app.exec()
            self._remember()
        else:
            self._app.setCursorFlashTime(0)  # a blinking cursor never comes to rest
            self._window.resize(*self._options.size)
            self._window.show()
            picture = Screenshot(self._session, self._window, self._options.screenshot)
            code = self._app.exec()
            picture.deleteLater()
        self._window.hide()
        self._settings.sync()
        self._session.stop_generating()
        if not stop_runners(END_PATIENCE_MS):
            logging.shutdown()
            os._exit(code)  # the import of torch cannot be stopped, and holds nothing
        self._watch.remove()
        return code

    def _begin(self) -> None:
        """Ask for the model, the sentence and the step to begin with."""
        remembered = Path(self._settings.read(MODEL) or DEFAULT_MODEL)
        model = remembered if remembered.is_dir() else DEFAULT_MODEL
        session, options = self._session, self._options
        session.open_model(options.model or model)
        session.set_specials(self._settings.read(READS_SPECIALS))
        text = self._settings.read(TEXT) if options.text is None else options.text
        session.request_text(text)
        session.go_to(options.step or self._settings.read(STEP))

    def _remember(self) -> None:
        session, settings = self._session, self._settings
        if session.model is not None and session.model.folder is not None:
            folder = session.model.folder.resolve()
            settings.write(MODEL, "" if folder == DEFAULT_MODEL else str(folder))
        settings.write(TEXT, session.text)
        settings.write(STEP, session.selection.step)
        settings.write(READS_SPECIALS, session.reads_specials)
        remember_sampling(settings, session.sampling)

    def _listen_to_signals(self) -> None:
        """Ctrl+C and a request to end close the window as its cross does."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        self._looks = QTimer(self, interval=SIGNALS_MS)
        self._looks.timeout.connect(self._on_looks_timeout)
        self._looks.start()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._window.close()
        self._app.exit(0)

    @Slot()
    def _on_looks_timeout(self) -> None:
        """Nothing to do: Python has had its turn."""

    @Slot()
    def _on_window_painted(self) -> None:
        self._session.start()
        self._themes.theme_changed.connect(self._on_theme_changed)
        load_icons()
        log_to_file(log_folder())

    @Slot(object)
    def _on_first_model(self, card: ModelCard) -> None:
        self._session.model_changed.disconnect(self._on_first_model)
        step = self._options.step
        if step is not None:
            try:
                check_step(step, [row.key for row in steps_for(card.config)])
            except CoreError as error:
                self._session.failed.emit(ErrorReport.of(error, "going to a step"))

    @Slot(str)
    def _on_theme_changed(self, _: str) -> None:
        load_icons()

    @Slot(str)
    def _on_setting_changed(self, key: str) -> None:
        if key == THEME.key:
            self._themes.choose(self._settings.read(THEME))
        elif key == MAP_COLOURS.key:
            use_palette(self._settings.read(MAP_COLOURS))


def sampling_of(settings: Settings) -> Sampling:
    """The remembered way of picking the next token."""
    return Sampling(
        temperature=settings.read(TEMPERATURE),
        top_k=settings.read(TOP_K),
        top_p=settings.read(TOP_P),
        repetition_penalty=settings.read(PENALTY),
        seed=settings.read(SEED),
    )


def remember_sampling(settings: Settings, sampling: Sampling) -> None:
    """Keep the way of picking the next token for the next start."""
    settings.write(TEMPERATURE, sampling.temperature)
    settings.write(TOP_K, sampling.top_k)
    settings.write(TOP_P, sampling.top_p)
    settings.write(PENALTY, sampling.repetition_penalty)
    settings.write(SEED, sampling.seed)
