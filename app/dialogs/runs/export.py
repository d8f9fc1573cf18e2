"""The panel of the main window at every checkpoint of a run, as a GIF or a strip.

In: the session, and the widget to picture. It moves the session through the checkpoints
as the time slider does, waits until each has come to rest, grabs the widget, writes the
step under it, and goes back to where the reader was. Out: one file.
"""

import logging
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QRectF, QTimer, Signal, Slot
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.failures import ErrorReport
from app.frame.time_bar import words_of
from app.session import Session
from app.style.fonts import BASE, LARGE, MEDIUM, mono, sans
from app.style.theme import theme
from app.widgets.label import Align, advance, draw_label
from app.workers.pictures import PicturesRequest, PicturesWorker
from app.workers.runner import Request, Runner
from core.training.animation import Picture
from core.training.timeline import Timeline

REST_MS = 150
"""What a panel draws late (formulas, checks) is there after this."""
FRAME_MS = 350
FOOT, MARGIN = 40, 14
"""Height of the line of words under the panel, and its room at the sides."""

log = logging.getLogger(__name__)


class PictureExport(QObject):
    """One export, from the first checkpoint to the file."""

    progressed = Signal(int, int)
    """So many checkpoints of so many are drawn."""
    failed = Signal(object)
    """There is no file, for a reason the session has not told: `ErrorReport`."""
    written = Signal(object)
    """The file is there: its Path."""
    ended = Signal()
    """It is over, in whatever way; the reader is back where they were."""

    def __init__(
        self, session: Session, picture: QWidget, timeline: Timeline, file: Path
    ) -> None:
        """Nothing happens before `start`."""
        super().__init__()
        self._session, self._picture = session, picture
        self._timeline, self._file = timeline, file
        self._pictures: list[Picture] = []
        self._is_over = False
        self._came_from = session.model.folder if session.model is not None else None
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._on_rest_timeout)
        self._runner = Runner(PicturesWorker(), (PicturesRequest,), "pictures")
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)

    def start(self) -> None:
        """Draw the first checkpoint."""
        session = self._session
        session.scene_changed.connect(self._on_session_changed)
        session.activity_changed.connect(self._on_session_changed)
        session.failed.connect(self._on_session_failed)
        self._show_next()

    @Slot()
    def cancel(self) -> None:
        """Stop, and write nothing."""
        self._end()

    @property
    def n_done(self) -> int:
        """Checkpoints drawn so far."""
        return len(self._pictures)

    def _show_next(self) -> None:
        moments = self._timeline.moments
        self.progressed.emit(self.n_done, len(moments))
        if self.n_done < len(moments):
            self._session.request_moment(moments[self.n_done].folder)
            self._on_session_changed(None)
            return
        self._runner.start()
        request = PicturesRequest(self._file, tuple(self._pictures), FRAME_MS)
        self._runner.request(request)

    @Slot(object)
    def _on_session_changed(self, _: object) -> None:
        """Wait anew for a rest, whenever something has changed."""
        self._rest.start()

    @Slot()
    def _on_rest_timeout(self) -> None:
        session, moments = self._session, self._timeline.moments
        card = session.model
        if card is None or self.n_done >= len(moments):
            return
        moment = moments[self.n_done]
        is_there = card.folder == moment.folder and session.is_current
        if session.activity or not is_there:
            self._rest.start()
            return
        words = words_of(moment, self._timeline)
        image = pictured(self._picture, self._timeline.name, words)
        if self._pictures and image.shape != self._pictures[0].shape:
            self._give_up("The window was resized; leave its size until all is drawn.")
            return
        self._pictures.append(image)
        self._show_next()

    @Slot(object)
    def _on_session_failed(self, _: object) -> None:
        self._end()

    @Slot(object, object)
    def _on_runner_answered(self, _request: Request, _answer: object) -> None:
        if not self._is_over:
            self.written.emit(self._file)
        self._end()

    @Slot(object, object)
    def _on_runner_failed(self, _: Request, report: ErrorReport) -> None:
        self._end()
        self.failed.emit(report)

    def _give_up(self, sentence: str) -> None:
        self._end()
        self.failed.emit(ErrorReport(sentence, sentence))

    def _end(self) -> None:
        """Go back to where the reader was; once."""
        if self._is_over:
            return
        self._is_over = True
        session = self._session
        session.scene_changed.disconnect(self._on_session_changed)
        session.activity_changed.disconnect(self._on_session_changed)
        session.failed.disconnect(self._on_session_failed)
        self._rest.stop()
        self._runner.stop()
        if self._came_from is not None:
            session.request_moment(self._came_from)
        self.ended.emit()


def pictured(widget: QWidget, name: str, words: str) -> Picture:
    """What a widget shows, with a line of words under it. -> [height, width, 3]."""
    grabbed = widget.grab().toImage()
    ratio = grabbed.devicePixelRatio()
    width, height = widget.width(), widget.height()
    whole = QImage(
        round(width * ratio),
        round((height + FOOT) * ratio),
        QImage.Format.Format_RGB888,
    )
    whole.setDevicePixelRatio(ratio)
    whole.fill(theme().colour("window"))
    with QPainter(whole) as painter:
        painter.drawImage(0, 0, grabbed)
        painter.setPen(theme().colour("line"))
        painter.drawLine(0, height, width, height)
        font = sans(LARGE, MEDIUM)
        box = QRectF(MARGIN, height, width - 2 * MARGIN, FOOT)
        painter.setFont(font)
        painter.setPen(theme().ink("text"))
        draw_label(painter, box, name, Align.AlignLeft)
        box.setLeft(box.left() + min(advance(name, font) + MARGIN, width / 2))
        painter.setFont(mono(BASE))
        painter.setPen(theme().ink("muted"))
        draw_label(painter, box, words, Align.AlignLeft)
    return pixels_of(whole)


def pixels_of(image: QImage) -> Picture:
    """The colours of an image of 24 bits. -> [height, width, 3]."""
    n_bytes, height, width = image.bytesPerLine(), image.height(), image.width()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(height, n_bytes)
    return rows[:, : width * 3].reshape(height, width, 3).copy()
