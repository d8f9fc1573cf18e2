"""A session saved to a file and opened again: model, sentence, place, switches.

In: wishes from the menu, a file that was dropped. Out: a .glass file, or a window that
stands as it stood. The model is opened first; the sentence is put in once the model is
there, and the reader's place once the trace is. A model that is gone is asked for.
"""

import os
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

import resources
from app.failures import ErrorReport
from app.model_card import ModelCard
from app.session import Session
from app.settings import EXPORT_FOLDER, Settings
from core.errors import CoreError
from core.session_file import (
    ENDING,
    SessionFile,
    fingerprint_of,
    read_session,
    reference_to,
    write_session,
)
from core.trace.selection import clamped, n_merges_of_word
from core.trace.trace import Trace

DEFAULT_MODEL = Path(resources.__file__).parent / "models" / "default"
KIND = f"Session (*{ENDING})"
ANOTHER_MODEL = (
    "The model is another than when the session was saved; the sentence and the place "
    "are those of then."
)


class SessionFiles(QObject):
    """Owns a session that is being restored, until its trace is there."""

    told = Signal(str)
    """What has been done, or what is different from then: a sentence."""

    def __init__(self, session: Session, settings: Settings, parent: QWidget) -> None:
        """Nothing is restored."""
        super().__init__(parent)
        self._session, self._settings, self._parent = session, settings, parent
        self._restored: SessionFile | None = None
        self._place: Path | None = None
        self._awaits_trace = False
        session.model_changed.connect(self._on_session_model_changed)
        session.trace_changed.connect(self._on_session_trace_changed)
        session.failed.connect(self._on_session_failed)

    # Saving

    @Slot()
    def ask_and_save(self) -> None:
        """Ask for a file, and write the session to it."""
        if self._session.model is None:
            return
        suggested = str(self._folder / f"session{ENDING}")
        chosen, _ = QFileDialog.getSaveFileName(
            self._parent, "Save the session", suggested, KIND
        )
        if chosen:
            file = Path(chosen)
            has_ending = file.suffix.lower() == ENDING
            self.save(file if has_ending else file.with_name(file.name + ENDING))

    def save(self, file: Path) -> None:
        """Write the session as it is now."""
        try:
            write_session(self._present(file), file)
        except CoreError as error:
            self._session.failed.emit(ErrorReport.of(error, f"writing {file}"))
        else:
            self._settings.write(EXPORT_FOLDER, str(file.parent))
            self.told.emit(f"{file} holds the session.")

    def _present(self, file: Path) -> SessionFile:
        session = self._session
        card, tokenizer = session.model, session.tokenizer
        assert card is not None
        assert tokenizer is not None
        folder = card.folder
        is_own = folder is None or folder.resolve() == DEFAULT_MODEL.resolve()
        known = fingerprint_of(card.config, tokenizer)
        return SessionFile(
            model=reference_to(None if is_own else folder, card.name, known, file),
            text=session.text,
            ids=session.encoding.ids,
            target=session.target_text,
            target_ids=session.target.ids if session.target else (),
            n_typed=session.n_typed if session.target else 0,
            reads_specials=session.reads_specials,
            selection=session.selection,
            viewing=session.viewing,
            sampling=session.sampling,
        )

    @property
    def _folder(self) -> Path:
        folder = Path(self._settings.read(EXPORT_FOLDER) or Path.home())
        return folder if folder.is_dir() else Path.home()

    # Opening

    @Slot()
    def ask_and_open(self) -> None:
        """Ask for a session, and let the window stand as it stood."""
        chosen, _ = QFileDialog.getOpenFileName(
            self._parent, "Open a session", str(self._folder), KIND
        )
        if chosen:
            self.open(Path(chosen))

    def open(self, file: Path) -> None:
        """Open the session's model, and then what else the file says."""
        try:
            restored = read_session(file)
        except CoreError as error:
            self._session.failed.emit(ErrorReport.of(error, f"opening {file}"))
            return
        place = place_of(restored, file) or self._ask_for_model(restored)
        if place is not None:
            self._restored, self._place = restored, place
            self._awaits_trace = False
            self._session.open_model(place)

    def _ask_for_model(self, restored: SessionFile) -> Path | None:
        """Where the model is by now; None where the person does not say."""
        box = missing_model_box(restored, self._parent)
        browse = box.addButton("Browse…", QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(browse)
        box.exec()
        if box.clickedButton() is not browse:
            return None
        title = f"The folder of {restored.model.name}"
        chosen = QFileDialog.getExistingDirectory(self._parent, title)
        return Path(chosen) if chosen else None

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        if self._restored is None:
            return
        if card.folder == self._place:
            QTimer.singleShot(0, self._put_in)  # once the session has taken the model
        else:
            self._restored = None  # another model was opened meanwhile

    @Slot(object)
    def _on_session_failed(self, _: object) -> None:
        """A model that cannot be opened leaves the window as it is."""
        self._restored = None

    @Slot()
    def _put_in(self) -> None:
        """Put in what does not wait for a trace, and wait for it."""
        restored, session = self._restored, self._session
        card, tokenizer = session.model, session.tokenizer
        if restored is None or card is None or tokenizer is None:
            return
        session.request_viewing(restored.viewing)
        session.request_sampling(restored.sampling)
        session.set_specials(restored.reads_specials)
        session.request_text(restored.text)
        if session.has_target:
            session.request_target(restored.target)
        self._put_in_ids(restored, fingerprint_of(card.config, tokenizer))
        self._awaits_trace = True
        self._on_session_trace_changed(session.trace)
        if not session.text:
            self._restored = None

    def _put_in_ids(self, restored: SessionFile, fingerprint: str) -> None:
        """Restore what a model wrote on, where it is the same model."""
        if fingerprint != restored.model.fingerprint:
            self.told.emit(ANOTHER_MODEL)
            return
        try:
            if restored.ids:
                self._session.request_ids(restored.ids)
            if restored.target_ids:
                self._session.request_target_ids(restored.target_ids, restored.n_typed)
        except CoreError as error:  # somebody wrote the file by hand
            self._session.failed.emit(ErrorReport.of(error, "opening the session"))

    @Slot(object)
    def _on_session_trace_changed(self, trace: Trace | None) -> None:
        """Go to the reader's place, in the trace that it was in."""
        restored, session = self._restored, self._session
        is_there = trace is not None and self._awaits_trace and session.is_current
        if restored is None or trace is None or not is_there:
            return
        self._restored = None
        at = clamped(restored.selection, trace)
        n_merges = min(restored.selection.n_merges, n_merges_of_word(at, trace))
        session.request_selection(replace(restored.selection, n_merges=n_merges))


def place_of(restored: SessionFile, file: Path) -> Path | None:
    """Where the session's model is; None where it is gone."""
    if not restored.model.place:
        return DEFAULT_MODEL
    places = restored.model.candidates(file)
    return next(filter(os.path.exists, places), None)  # tells of no forbidden place


def missing_model_box(restored: SessionFile, parent: QWidget) -> QMessageBox:
    """Says which model is gone."""
    box = QMessageBox(parent)
    box.setObjectName("session.missing")
    box.setWindowTitle("Open a session")
    box.setText(f"The model of this session, {restored.model.name}, is not there.")
    box.setInformativeText(
        f"It was in {restored.model.place}. Show where it is now, or cancel."
    )
    return box
