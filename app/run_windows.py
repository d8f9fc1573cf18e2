"""What the main window opens about runs: their window, and the export of pictures.

Made at once, loaded when it is first asked for: the first paint waits for neither.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QProgressDialog, QWidget

from app.session import Session
from app.settings import Settings

if TYPE_CHECKING:
    from app.dialogs.runs.export import PictureExport
    from app.dialogs.runs.window import RunsWindow

KINDS = "Animation (*.gif);;Strip of pictures (*.png)"
PROGRESS_WIDTH = 360


class RunWindows(QObject):
    """Owns the runs window, and the export that is under way."""

    continue_requested = Signal(object, bool)
    """Watch a run: its folder; True: let it go on."""

    train_requested = Signal()
    """Begin a run."""

    renamed = Signal(object, object)
    """A run has another name: its folder before and now."""

    told = Signal(str)
    """What has been done, a sentence."""

    def __init__(
        self, session: Session, settings: Settings, panel: QWidget, parent: QWidget
    ) -> None:
        """`panel` is what pictures are taken of."""
        super().__init__(parent)
        self._session, self._settings = session, settings
        self._panel, self._parent = panel, parent
        self._window: RunsWindow | None = None
        self._export: PictureExport | None = None
        self._progress: QProgressDialog | None = None

    @Slot()
    def open_runs(self) -> "RunsWindow":
        """Bring the runs window to the front."""
        if self._window is None:
            from app.dialogs.runs.window import RunsWindow

            self._window = RunsWindow(
                self._session, self._settings, self._parent.window()
            )
            self._window.continue_requested.connect(self.continue_requested)
            self._window.train_requested.connect(self.train_requested)
            self._window.renamed.connect(self.renamed)
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()
        return self._window

    @Slot()
    def ask_and_export(self) -> None:
        """Ask for a file, and draw the panel at every checkpoint into it."""
        timeline = self._session.timeline
        if timeline is None:
            return
        suggested = str(Path.home() / f"{timeline.name}.gif")
        chosen, kind = QFileDialog.getSaveFileName(
            self._parent, "Export the training as pictures", suggested, KINDS
        )
        if chosen:
            file = Path(chosen)
            ending = ".png" if "png" in kind else ".gif"
            known = file.suffix.lower() in (".gif", ".png")
            self.export(file if known else file.with_name(file.name + ending))

    def export(self, file: Path) -> "PictureExport | None":
        """Draw the panel at every checkpoint; one export at a time."""
        from app.dialogs.runs.export import PictureExport

        timeline = self._session.timeline
        if timeline is None or self._export is not None:
            return None
        self._progress = progress_dialog(self._parent, len(timeline.moments))
        self._export = PictureExport(self._session, self._panel, timeline, file)
        self._export.progressed.connect(self._on_export_progressed)
        self._export.failed.connect(self._session.failed)
        self._export.written.connect(self._on_export_written)
        self._export.ended.connect(self._on_export_ended)
        self._progress.canceled.connect(self._export.cancel)
        self._export.start()
        return self._export

    def close_down(self) -> None:
        """End every thread that was started for a window."""
        if self._export is not None:
            self._export.cancel()
        if self._window is not None:
            self._window.close()
            self._window.close_down()

    @Slot(int, int)
    def _on_export_progressed(self, n_done: int, n: int) -> None:
        if self._progress is not None:
            is_drawn = n_done == n
            words = (
                "Writing the file…" if is_drawn else f"Checkpoint {n_done + 1} of {n}"
            )
            self._progress.setLabelText(words)
            self._progress.setValue(n_done)

    @Slot(object)
    def _on_export_written(self, file: Path) -> None:
        self.told.emit(f"{file} holds the panel at every checkpoint.")

    @Slot()
    def _on_export_ended(self) -> None:
        export, dialog = self._export, self._progress
        self._export = self._progress = None
        if export is not None and dialog is not None:
            dialog.canceled.disconnect(export.cancel)  # closing it would cancel again
            dialog.close()
            dialog.deleteLater()


def progress_dialog(parent: QWidget, n: int) -> QProgressDialog:
    """Says how far an export is, and can stop it."""
    dialog = QProgressDialog("", "Cancel", 0, n + 1, parent)
    dialog.setWindowTitle("Export pictures")
    dialog.setObjectName("export.progress")
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.setMinimumDuration(0)
    dialog.setMinimumWidth(PROGRESS_WIDTH)
    dialog.setAutoClose(False)
    dialog.setAutoReset(False)
    return dialog
