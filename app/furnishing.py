"""What the program does once its window has been painted: session, workbench, torch.

Everything that takes time to load is imported by this module and by nothing that the
opening page needs. At the end it remembers what the reader had before them.
"""

import os
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

import resources
from app.actions import KeyGuard
from app.failures import ErrorReport, FailureWatch
from app.frame.recent import lasting
from app.main_window import MainWindow
from app.model_card import ModelCard
from app.options import Options, check_step, check_target
from app.panels import panel_modules
from app.screenshot import Screenshot
from app.session import Session
from app.settings import (
    MAP_COLOURS,
    MODEL,
    PENALTY,
    READS_SPECIALS,
    SEED,
    STEP,
    TARGET,
    TEMPERATURE,
    TEXT,
    TOP_K,
    TOP_P,
    TYPING_PAUSE,
    Settings,
)
from app.style.icons import load_icons
from app.style.maps import use_palette
from app.workbench import Workbench
from app.workers.modules import LoadingWorker, LoadRequest
from app.workers.runner import Runner, stop_runners
from core.errors import CoreError
from core.generation.sampling import Sampling
from core.trace.steps import steps_for

DEFAULT_MODEL = Path(resources.__file__).parent / "models" / "default"
END_PATIENCE_MS = 1500
"""How long the closed program waits for work that is under way."""


class Furnishing(QObject):
    """Owns the session, and what stands between it and the program."""

    def __init__(
        self,
        app: QApplication,
        window: MainWindow,
        options: Options,
        settings: Settings,
        watch: FailureWatch,
    ) -> None:
        """Furnish the window and begin with what the reader asked for or left."""
        super().__init__()
        self._options = options
        self._has_fallen_back = False
        self._settings = settings
        self._session = Session(sampling_of(settings), settings.read(TYPING_PAUSE))
        watch.failed.connect(self._session.failed)
        use_palette(settings.read(MAP_COLOURS))
        settings.setting_changed.connect(self._on_setting_changed)
        self._guard = KeyGuard(app)
        self._session.model_changed.connect(self._on_first_model)
        self._session.trace_changed.connect(self._on_first_trace)
        self._session.failed.connect(self._on_session_failed)
        self._loading = Runner(LoadingWorker(), (LoadRequest,), "loading")
        bench = Workbench(self._session, settings)
        self._begin()
        window.furnish(bench)  # with the sentence's pieces in it already
        self._session.start()
        load_icons()
        file = options.screenshot
        self._picture = Screenshot(self._session, window, file) if file else None

    def end(self) -> bool:
        """Remember what was open, and stop all work; whether it has ended."""
        self._remember()
        self._session.stop_generating()
        return stop_runners(END_PATIENCE_MS)

    def _begin(self) -> None:
        """Ask for the model, the sentence and the step to begin with."""
        remembered = Path(self._settings.read(MODEL) or DEFAULT_MODEL)
        model = remembered if os.path.exists(remembered) else DEFAULT_MODEL
        session, options = self._session, self._options
        session.open_model(options.model or model)
        session.set_specials(self._settings.read(READS_SPECIALS))
        text = self._settings.read(TEXT) if options.text is None else options.text
        session.request_text(text)
        remembered_target = self._settings.read(TARGET) if options.text is None else ""
        session.request_target(options.target or remembered_target)
        session.go_to(options.step or self._settings.read(STEP))

    @Slot(object)
    def _on_session_failed(self, _: object) -> None:
        """Without a model there is nothing to see: look, once all was told."""
        if self._session.model is None and self._options.model is None:
            QTimer.singleShot(0, self._fall_back)

    @Slot()
    def _fall_back(self) -> None:
        """Open the default model in place of a remembered one that cannot be opened."""
        session = self._session
        is_free = session.model is None and not session.activity
        if is_free and not self._has_fallen_back:
            self._has_fallen_back = True
            session.open_model(DEFAULT_MODEL)

    def _remember(self) -> None:
        session, settings = self._session, self._settings
        if session.model is not None and session.model.folder is not None:
            folder = lasting(session.model.folder)
            settings.write(MODEL, "" if folder == DEFAULT_MODEL else str(folder))
        settings.write(TEXT, session.text)
        settings.write(TARGET, session.target_text)
        settings.write(STEP, session.selection.step)
        settings.write(READS_SPECIALS, session.reads_specials)
        remember_sampling(settings, session.sampling)

    @Slot(object)
    def _on_first_model(self, card: ModelCard) -> None:
        self._session.model_changed.disconnect(self._on_first_model)
        options, config = self._options, card.config
        try:
            if options.step is not None:
                check_step(options.step, [row.key for row in steps_for(config)])
            check_target(options.target, has_encoder=config.has_encoder)
        except CoreError as error:
            self._session.failed.emit(ErrorReport.of(error, "beginning as asked"))

    @Slot(object)
    def _on_first_trace(self, _: object) -> None:
        """Load the panels that are not shown yet: the first step to one is a step."""
        self._session.trace_changed.disconnect(self._on_first_trace)
        self._loading.request(LoadRequest(panel_modules()))
        self._loading.start()

    @Slot(str)
    def _on_setting_changed(self, key: str) -> None:
        if key == MAP_COLOURS.key:
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
