"""What is taken along from the main window: views, whole traces.

In: wishes from the menu. Out: the export dialog, files that are written in a thread,
and a sentence about each. Made at once, loaded when it is first asked for.
"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox, QProgressDialog, QWidget

from app.failures import ErrorReport
from app.session import Session
from app.settings import EXPORT_FOLDER, Settings
from app.workers.runner import Request, Runner
from app.workers.saving import SaveRequest, SaveTraceRequest, SavingWorker
from core.trace.archive import archive_bytes, save_trace

if TYPE_CHECKING:
    from app.dialogs.export.dialog import ExportDialog
    from app.dialogs.export.page import Content

TRACE_KIND = "Trace (*.npz)"
LARGE_BYTES = 64 * 2**20
"""From here on a person is asked whether what can be computed again is left out."""
MEBIBYTE = 2**20
PROGRESS_WIDTH = 360
PROGRESS_STEPS = 1000


class Exports(QObject):
    """Owns the export dialog, the thread that writes, and the progress of a trace."""

    told = Signal(str)
    """What has been done, a sentence."""

    def __init__(self, session: Session, settings: Settings, parent: QWidget) -> None:
        """Nothing is open, nothing is written."""
        super().__init__(parent)
        self._session, self._settings, self._parent = session, settings, parent
        self._dialog: ExportDialog | None = None
        self._progress: QProgressDialog | None = None
        self._writing: SaveTraceRequest | None = None
        kinds = (SaveRequest, SaveTraceRequest)
        self._runner = Runner(SavingWorker(), kinds, "saving")
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        self._runner.progressed.connect(self._on_runner_progressed)
        self._has_started = False

    @property
    def folder(self) -> Path:
        """Where files go unless told otherwise."""
        folder = Path(self._settings.read(EXPORT_FOLDER) or Path.home())
        return folder if folder.is_dir() else Path.home()

    @property
    def is_busy(self) -> bool:
        """Whether a file is being written."""
        return bool(self._runner.pending)

    @Slot()
    def open_dialog(self) -> "ExportDialog | None":
        """Offer the view that is on the screen; None while there is none."""
        from app.dialogs.export.dialog import ExportDialog

        scene = self._session.scene
        if scene is None:
            return None
        dialog = ExportDialog(self._session, scene, self.folder, self._parent.window())
        dialog.save_requested.connect(self.save)
        dialog.destroyed.connect(self._on_dialog_destroyed)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        self._dialog = dialog
        dialog.show()
        return dialog

    @Slot()
    def ask_and_open_trace(self) -> None:
        """Ask for a trace file, and open it in the place of a model."""
        chosen, _ = QFileDialog.getOpenFileName(
            self._parent, "Open a trace", str(self.folder), TRACE_KIND
        )
        if chosen:
            self._session.open_model(Path(chosen))

    @Slot(object, object)
    def save(self, content: "Content", file: Path) -> None:
        """Write something to a file."""
        self._request(SaveRequest(file, content.write))

    @Slot()
    def ask_and_save_trace(self) -> None:
        """Ask for a file and, where it would be large, what is left out of it."""
        trace = self._session.trace
        if trace is None or not self._session.is_current or self._writing is not None:
            return
        whole, compact = (archive_bytes(trace, is_compact=c) for c in (False, True))
        is_compact = False
        if whole > LARGE_BYTES:
            answer = ask_what(self._parent, whole, compact)
            if answer is None:
                return
            is_compact = answer
        chosen, _ = QFileDialog.getSaveFileName(
            self._parent, "Save the trace", str(self.folder / "trace.npz"), TRACE_KIND
        )
        if chosen:
            file = Path(chosen)
            has_ending = file.suffix.lower() == ".npz"
            file = file if has_ending else file.with_name(f"{file.name}.npz")
            self.save_trace(file, is_compact=is_compact)

    def save_trace(self, file: Path, *, is_compact: bool = False) -> None:
        """Write the present trace, as it is now, to a file."""
        scene, card = self._session.scene, self._session.model
        tokenizer = self._session.tokenizer
        if scene is None or card is None or tokenizer is None:
            return
        write = partial(
            save_trace,
            scene.trace,
            tokenizer=tokenizer,
            written_with=scene.target_tokenizer,
            name=card.name,
            is_compact=is_compact,
        )
        self._writing = SaveTraceRequest(file, write)
        self._progress = progress_dialog(self._parent, file)
        self._progress.canceled.connect(self._on_progress_canceled)
        self._request(self._writing)

    def close_down(self) -> None:
        """End the thread; a trace that is half written is taken away again."""
        if self._writing is not None:
            self._writing.stop.set()
        if self._dialog is not None:
            self._dialog.close()
        self._runner.stop()

    def _request(self, request: Request) -> None:
        if not self._has_started:
            self._has_started = True
            self._runner.start()
        self._runner.request(request)

    @Slot()
    def _on_progress_canceled(self) -> None:
        if self._writing is not None:
            self._writing.stop.set()

    @Slot()
    def _on_dialog_destroyed(self) -> None:
        self._dialog = None

    @Slot(object, object)
    def _on_runner_progressed(self, request: Request, part: tuple[int, int]) -> None:
        if self._progress is not None and request is self._writing:
            n_done, n_bytes = part
            self._progress.setValue(PROGRESS_STEPS * n_done // max(1, n_bytes))

    @Slot(object, object)
    def _on_runner_answered(self, request: Request, _: object) -> None:
        assert isinstance(request, SaveRequest | SaveTraceRequest)
        self._settings.write(EXPORT_FOLDER, str(request.file.parent))
        self._end_progress(request)
        self._tell(f"{request.file} is written.", "checked")

    @Slot(object, object)
    def _on_runner_failed(self, request: Request, report: ErrorReport) -> None:
        was_stopped = isinstance(request, SaveTraceRequest) and request.stop.is_set()
        self._end_progress(request)
        if was_stopped:
            self._tell(report.sentence, "muted")
        elif self._dialog is not None and self._dialog.isVisible():
            self._dialog.say(report.sentence, "error")
        else:
            self._session.failed.emit(report)

    def _tell(self, sentence: str, ink: str) -> None:
        """Say it where the person looks: in the dialog, or in the window."""
        if self._dialog is not None and self._dialog.isVisible():
            self._dialog.say(sentence, ink)
        else:
            self.told.emit(sentence)

    def _end_progress(self, request: Request) -> None:
        if request is not self._writing:
            return
        self._writing = None
        if self._progress is not None:
            self._progress.canceled.disconnect(self._on_progress_canceled)
            self._progress.close()
            self._progress.deleteLater()
            self._progress = None


def ask_what(parent: QWidget, whole: int, compact: int) -> bool | None:
    """Whether what can be computed again is left out; None: nothing is saved."""
    box = QMessageBox(parent)
    box.setObjectName("trace.how")
    box.setWindowTitle("Save the trace")
    box.setText(f"Every step together is {size_text(whole)}.")
    box.setInformativeText(
        f"{size_text(compact)} are enough to compute the rest again when the file is "
        "opened: scores, patterns and sums need no weights."
    )
    enough = box.addButton(
        f"Save {size_text(compact)}", QMessageBox.ButtonRole.AcceptRole
    )
    every = box.addButton(f"Save {size_text(whole)}", QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(enough)
    box.exec()
    if box.clickedButton() not in (enough, every):
        return None
    return box.clickedButton() is enough


def size_text(n_bytes: int) -> str:
    """A size as a person knows it: "12 MB", "1.3 GB"."""
    mebibytes = n_bytes / MEBIBYTE
    return f"{mebibytes / 1024:.1f} GB" if mebibytes >= 1000 else f"{mebibytes:.0f} MB"


def progress_dialog(parent: QWidget, file: Path) -> QProgressDialog:
    """Says how far the writing is, and can stop it."""
    dialog = QProgressDialog(
        f"Writing {file.name}…", "Cancel", 0, PROGRESS_STEPS, parent
    )
    dialog.setWindowTitle("Save the trace")
    dialog.setObjectName("trace.progress")
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.setMinimumWidth(PROGRESS_WIDTH)
    dialog.setAutoClose(False)
    dialog.setAutoReset(False)
    return dialog
