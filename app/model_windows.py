"""What the main window opens about models: file dialogs, the browser, the card.

Made at once, loaded when it is first asked for: the first paint waits for none.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.session import Session
from app.settings import Settings

if TYPE_CHECKING:
    from app.dialogs.models.browser import ModelBrowser
    from app.dialogs.models.card import ModelCardDialog

FILES = "Models in one file (*.gguf)"


class ModelWindows(QObject):
    """Owns the browser; a card lives as long as it is open."""

    def __init__(self, session: Session, settings: Settings, parent: QWidget) -> None:
        """Nothing is open."""
        super().__init__(parent)
        self._session, self._settings, self._parent = session, settings, parent
        self._browser: ModelBrowser | None = None
        self._card: ModelCardDialog | None = None

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
        from app.dialogs.models.card import ModelCardDialog

        if self._session.model is None:
            return None
        if self._card is not None:
            self._card.close()
        self._card = ModelCardDialog(self._session.model, self._parent.window())
        self._card.finished.connect(self._on_card_finished)
        self._card.show()
        return self._card

    @Slot(int)
    def _on_card_finished(self, _: int) -> None:
        self._card = None

    def close_down(self) -> None:
        """End every thread that was started for a window."""
        if self._card is not None:
            self._card.close()
        if self._browser is not None:
            self._browser.close()
            self._browser.close_down()
