"""What the main window opens about models: file dialogs, the browser, the card.

Made at once, loaded when it is first asked for: the first paint waits for none. An
opening that takes long shows how far it is, and can be cancelled.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QFileDialog, QProgressDialog, QWidget

from app.badges import Badges
from app.model_card import ModelCard
from app.session import Session
from app.settings import Settings
from app.workers.tracing import OpenRequest

if TYPE_CHECKING:
    from app.dialogs.models.browser import ModelBrowser
    from app.dialogs.models.card import ModelCardDialog
    from app.dialogs.models.check import CheckDialog

FILES = "Models in one file (*.gguf)"
PATIENCE_MS, PROGRESS_WIDTH = 600, 360
"""An opening that will be over sooner shows no progress."""
RENEWAL_PAUSE_MS = 300
"""An open card follows so long after the model: the time slider opens many."""


class ModelWindows(QObject):
    """Owns the browser; a card lives as long as it is open."""

    def __init__(self, session: Session, settings: Settings, parent: QWidget) -> None:
        """Nothing is open."""
        super().__init__(parent)
        self._session, self._settings, self._parent = session, settings, parent
        self._browser: ModelBrowser | None = None
        self._card: ModelCardDialog | None = None
        self._check: CheckDialog | None = None
        self._opening: OpenRequest | None = None
        self._badges = Badges(session, settings, self)
        self._renewal = QTimer(self, singleShot=True, interval=RENEWAL_PAUSE_MS)
        self._renewal.timeout.connect(self._on_renewal_timeout)
        for changed in (session.model_changed, session.badge_changed):
            changed.connect(self._on_session_card_changed)
        self._progress = progress_dialog(parent)
        self._progress.canceled.connect(self._on_progress_canceled)
        session.opening_progressed.connect(self._on_session_opening_progressed)
        session.model_changed.connect(self._on_session_opening_ended)
        session.failed.connect(self._on_session_opening_ended)

    @Slot()
    def ask_and_open_folder(self) -> None:
        """Ask for a model's folder, and open it."""
        chosen = QFileDialog.getExistingDirectory(self._parent, "Open a model folder")
        if chosen:
            self._session.open_model(Path(chosen))

    @Slot()
    def ask_and_open_file(self) -> None:
        """Ask for a GGUF file, and open it."""
        chosen, _ = QFileDialog.getOpenFileName(
            self._parent, "Open a model file", "", FILES
        )
        if chosen:
            self._session.open_model(Path(chosen))

    @Slot()
    def open_browser(self) -> "ModelBrowser":
        """Show the models that lie on this computer."""
        if self._browser is None:
            from app.dialogs.models.browser import ModelBrowser

            self._browser = ModelBrowser(self._settings, self._parent.window())
            self._browser.open_requested.connect(self._session.open_model)
        self._browser.show()
        self._browser.raise_()
        self._browser.activateWindow()
        return self._browser

    @Slot()
    def open_card(self) -> "ModelCardDialog | None":
        """Show the card of the open model."""
        if self._session.model is None:
            return None
        if self._card is not None:
            self._card.close()
        card = self._card_of(self._session.model)
        card.show()
        return card

    @Slot(object)
    def _on_session_card_changed(self, _: object) -> None:
        if self._card is not None:
            self._renewal.start()

    @Slot()
    def _on_renewal_timeout(self) -> None:
        """Let an open card speak of the model that is open now, where it stands."""
        before = self._card
        if before is None or self._session.model is None:
            return
        box = before.geometry()
        before.close()
        card = self._card_of(self._session.model)
        card.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        card.setGeometry(box)
        card.show()

    def _card_of(self, model: ModelCard) -> "ModelCardDialog":
        from app.dialogs.models.card import ModelCardDialog

        self._card = ModelCardDialog(model, self._parent.window())
        self._card.finished.connect(self._on_card_finished)
        return self._card

    @Slot(int)
    def _on_card_finished(self, _: int) -> None:
        self._card = None

    @Slot(object, object)
    def _on_session_opening_progressed(
        self, request: OpenRequest, progress: tuple[int, int]
    ) -> None:
        if request.stop.is_set():
            return
        n_done, n = progress
        if request is not self._opening:
            self._opening = request
            self._progress.reset()
            self._progress.setLabelText(f"Opening {request.folder.name}…")
        self._progress.setMaximum(n)
        self._progress.setValue(n_done)

    @Slot()
    def _on_progress_canceled(self) -> None:
        if self._opening is not None:
            self._opening.stop.set()

    @Slot(object)
    def _on_session_opening_ended(self, _: object) -> None:
        self._opening = None
        self._progress.reset()
        self._progress.hide()

    @Slot()
    def open_check(self) -> "CheckDialog":
        """Walk the sentence through the reference, too."""
        from app.dialogs.models.check import CheckDialog

        if self._check is None:
            self._check = CheckDialog(self._session, self._parent.window())
            self._check.finished.connect(self._on_check_finished)
        self._check.show()
        self._check.raise_()
        return self._check

    @Slot(int)
    def _on_check_finished(self, _: int) -> None:
        self._check = None

    def close_down(self) -> None:
        """End every thread that was started for a window."""
        if self._check is not None:
            self._check.close()
        if self._card is not None:
            self._card.close()
        if self._browser is not None:
            self._browser.close()
            self._browser.close_down()


def progress_dialog(parent: QWidget) -> QProgressDialog:
    """Says how far an opening is, and can stop it; the window stays usable."""
    dialog = QProgressDialog("", "Cancel", 0, 1, parent)
    dialog.setWindowTitle("Open a model")
    dialog.setObjectName("model.progress")
    dialog.setMinimumDuration(PATIENCE_MS)
    dialog.setMinimumWidth(PROGRESS_WIDTH)
    dialog.setAutoClose(False)
    dialog.setAutoReset(False)
    dialog.reset()  # or it shows itself, though nothing is opened
    return dialog
